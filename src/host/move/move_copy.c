/* move_copy.c: the strided copy behind most operations that move elements.
 *
 * krn_plan_copy drops and merges axes until the loop nest is as short as the two views
 * allow, then chooses the inner loop: runs of bytes, a repeated element, a blocked
 * transposition, or single elements. */
#include "host/isa.h"
#include "host/move/move.h"
#include "host/move/move_square.h"
#include "host/parallel.h"

enum { SHAPE_RUNS, SHAPE_FILL, SHAPE_TRANSPOSE, SHAPE_ELEMENTS };

/* Below this many bytes a second thread costs more than it saves. */
#define PARALLEL_BYTES (256 * 1024)

typedef struct axis {
    int64_t size, src, dst;
} axis;

typedef uint32_t v4 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint16_t v8 __attribute__((vector_size(16), aligned(1), may_alias));
/* Wide elements, aligned only as the caller's smaller ones. */
typedef uint16_t cell2 __attribute__((aligned(1), may_alias));
typedef uint32_t cell4 __attribute__((aligned(1), may_alias));
typedef uint64_t cell8 __attribute__((aligned(1), may_alias));
typedef struct __attribute__((packed, may_alias)) cell16 {
    uint64_t part[2];
} cell16;
typedef struct __attribute__((packed, may_alias)) cell32 {
    cell16 part[2];
} cell32;
typedef struct __attribute__((packed, may_alias)) cell64 {
    cell32 part[2];
} cell64;
typedef struct __attribute__((packed, may_alias)) cell128 {
    cell64 part[2];
} cell128;

/* ---- planning */

static int64_t magnitude(int64_t v)
{
    return v < 0 ? -v : v;
}

/* Outer axes have larger strides in dst: writes then run forward. */
static void sort_axes(axis *axes, int count)
{
    for (int i = 1; i < count; i++) {
        const axis a = axes[i];
        int j = i;
        for (; j > 0 && magnitude(axes[j - 1].dst) < magnitude(a.dst); j--)
            axes[j] = axes[j - 1];
        axes[j] = a;
    }
}

/* Coalesces adjacent axes that have one common stride in both views. */
static int merge_axes(axis *axes, int count)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (axes[i].size == 1)
            continue;
        if (n > 0 && axes[n - 1].src == axes[i].size * axes[i].src &&
            axes[n - 1].dst == axes[i].size * axes[i].dst) {
            axes[n - 1].size *= axes[i].size;
            axes[n - 1].src = axes[i].src;
            axes[n - 1].dst = axes[i].dst;
        } else {
            axes[n++] = axes[i];
        }
    }
    return n;
}

static bool is_element(int64_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

static bool is_cell(int64_t size)
{
    return is_element(size) || size == 32 || size == 64 || size == 128;
}

/* Returns the axis along which src is dense, for a transposition with the last axis; -1 if
 * none pays. */
static int across_axis(const axis *axes, int count, int element)
{
    if (count < 2 || element > 8 || axes[count - 1].dst != element ||
        axes[count - 1].size < 4)
        return -1;
    for (int i = 0; i < count - 1; i++)
        if (axes[i].src == element && axes[i].size >= 4)
            return i;
    return -1;
}

static void choose_shape(krn_copy_plan *p, axis *axes, int count)
{
    const axis *last = count ? &axes[count - 1] : NULL;
    const int across = across_axis(axes, count, p->element);

    if (last && last->src == p->element && last->dst == p->element) {
        const int64_t bytes = last->size * p->element;
        p->shape = SHAPE_RUNS;
        if (count > 1 && is_cell(bytes)) { /* short runs are wide elements */
            p->element = (int)bytes;
            choose_shape(p, axes, count - 1);
            return;
        }
    } else if (last && last->src == 0 && last->dst == p->element) {
        p->shape = SHAPE_FILL;
    } else if (across >= 0) {
        const axis a = axes[across];
        p->shape = SHAPE_TRANSPOSE;
        for (int i = across; i < count - 2; i++)
            axes[i] = axes[i + 1];
        axes[count - 2] = a;
    } else {
        p->shape = SHAPE_ELEMENTS;
        if (count > 1 &&
            last->size < axes[count - 2].size) { /* the longer loop is inside */
            const axis shorter = *last;
            axes[count - 1] = axes[count - 2];
            axes[count - 2] = shorter;
        }
    }
    if (count == 0)
        axes[count++] = (axis){1, p->element, p->element};
    p->loops = count;
    for (int i = 0; i < count; i++) {
        p->size[i] = axes[i].size;
        p->src_stride[i] = axes[i].src;
        p->dst_stride[i] = axes[i].dst;
    }
}

tw_status krn_plan_copy(int element, int rank, const int64_t *size,
                        const int64_t *src_stride, int64_t src_offset,
                        const int64_t *dst_stride, int64_t dst_offset,
                        krn_copy_plan *out_plan)
{
    axis axes[KRN_COPY_LOOPS + 1];

    if (!is_element(element))
        return tw_error(TW_UNSUPPORTED,
                        "copy of %d-byte elements: 1, 2, 4, 8 or 16 are possible", element);
    if (rank < 0 || rank > KRN_COPY_LOOPS)
        return tw_error(TW_UNSUPPORTED, "copy over %d axes: at most %d are possible", rank,
                        KRN_COPY_LOOPS);
    krn_copy_plan p = {.element = element,
                       .src_offset = src_offset * element,
                       .dst_offset = dst_offset * element,
                       .count = 1};
    for (int i = 0; i < rank; i++) {
        if (size[i] < 0)
            return tw_error(TW_INVALID, "copy: axis %d has size %lld", i,
                            (long long)size[i]);
        axes[i] = (axis){size[i], src_stride[i] * element, dst_stride[i] * element};
        p.count *= size[i];
    }
    if (p.count > 0) {
        sort_axes(axes, rank);
        choose_shape(&p, axes, merge_axes(axes, rank));
    }
    *out_plan = p;
    return TW_SUCCESS;
}

/* ---- inner loops */

/* Elements of more than a byte, and short runs, which are copied like elements. */
#define CELLS(DO) DO(2) DO(4) DO(8) DO(16) DO(32) DO(64) DO(128)

#define LOOPS(bytes)                                                                       \
    static void elements_##bytes(const char *src, int64_t src_step, char *dst,             \
                                 int64_t dst_step, int64_t count)                          \
    {                                                                                      \
        for (int64_t i = 0; i < count; i++)                                                \
            *(cell##bytes *)(dst + i * dst_step) =                                         \
                *(const cell##bytes *)(src + i * src_step);                                \
    }                                                                                      \
    static void fill_##bytes(const void *value, int64_t count, void *dst)                  \
    {                                                                                      \
        const cell##bytes v = *(const cell##bytes *)value;                                 \
        cell##bytes *d = dst;                                                              \
        for (int64_t i = 0; i < count; i++)                                                \
            d[i] = v;                                                                      \
    }
CELLS(LOOPS)

static void copy_elements(int element, const char *src, int64_t src_step, char *dst,
                          int64_t dst_step, int64_t count)
{
#define COPY(bytes)                                                                        \
    case bytes:                                                                            \
        elements_##bytes(src, src_step, dst, dst_step, count);                             \
        break;
    switch (element) {
        CELLS(COPY)
    default:
        for (int64_t i = 0; i < count; i++)
            dst[i * dst_step] = src[i * src_step];
    }
}

static void fill_elements(int element, const void *value, int64_t count, void *dst)
{
#define FILL(bytes)                                                                        \
    case bytes:                                                                            \
        fill_##bytes(value, count, dst);                                                   \
        break;
    switch (element) {
        CELLS(FILL)
    default:
        memset(dst, *(const uint8_t *)value, (size_t)count);
    }
}

/* ---- transposition: lines of 64 bytes are read and written whole, through a block in L1,
 * so that power-of-two strides do not evict half-used lines from the cache. */

static inline void transpose4x4(const char *src, int64_t src_step, uint32_t *dst,
                                int64_t width)
{
    const v4 a = *(const v4 *)src, b = *(const v4 *)(src + src_step);
    const v4 c = *(const v4 *)(src + 2 * src_step), d = *(const v4 *)(src + 3 * src_step);
    const v4 ac0 = __builtin_shufflevector(a, c, 0, 4, 1, 5);
    const v4 ac1 = __builtin_shufflevector(a, c, 2, 6, 3, 7);
    const v4 bd0 = __builtin_shufflevector(b, d, 0, 4, 1, 5);
    const v4 bd1 = __builtin_shufflevector(b, d, 2, 6, 3, 7);
    *(v4 *)(dst) = __builtin_shufflevector(ac0, bd0, 0, 4, 1, 5);
    *(v4 *)(dst + width) = __builtin_shufflevector(ac0, bd0, 2, 6, 3, 7);
    *(v4 *)(dst + 2 * width) = __builtin_shufflevector(ac1, bd1, 0, 4, 1, 5);
    *(v4 *)(dst + 3 * width) = __builtin_shufflevector(ac1, bd1, 2, 6, 3, 7);
}

static inline v8 low16(v8 a, v8 b)
{
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

static inline v8 high16(v8 a, v8 b)
{
    return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

static inline void transpose8x8(const char *src, int64_t src_step, uint16_t *dst,
                                int64_t width)
{
    v8 r[8], t[8];
    for (int i = 0; i < 8; i++)
        r[i] = *(const v8 *)(src + i * src_step);
    /* three steps of a perfect shuffle of rows i and i + 4 */
    for (int i = 0; i < 4; i++) {
        t[2 * i] = low16(r[i], r[i + 4]);
        t[2 * i + 1] = high16(r[i], r[i + 4]);
    }
    for (int i = 0; i < 4; i++) {
        r[2 * i] = low16(t[i], t[i + 4]);
        r[2 * i + 1] = high16(t[i], t[i + 4]);
    }
    for (int i = 0; i < 4; i++) {
        *(v8 *)(dst + 2 * i * width) = low16(r[i], r[i + 4]);
        *(v8 *)(dst + (2 * i + 1) * width) = high16(r[i], r[i + 4]);
    }
}

/* A square of one line: rows are src_step apart and dense; column j becomes dst + j *
 * dst_step. */
static void transpose_lines_4(const char *src, int64_t src_step, char *dst,
                              int64_t dst_step)
{
#if defined(__x86_64__)
    if (krn_isa_chosen() >= KRN_ISA_AVX512) {
        krn_transpose_square_avx512(src, src_step, dst, dst_step);
        return;
    }
#endif
    uint32_t block[16][16] __attribute__((aligned(64)));
    for (int i = 0; i < 16; i++)
        __builtin_prefetch(src + i * src_step + KRN_SQUARE_AHEAD);
    for (int i = 0; i < 16; i += 4)
        for (int j = 0; j < 16; j += 4)
            transpose4x4(src + i * src_step + j * 4, src_step, &block[j][i], 16);
    for (int j = 0; j < 16; j++)
        memcpy(dst + j * dst_step, block[j], 64);
}

static void transpose_lines_2(const char *src, int64_t src_step, char *dst,
                              int64_t dst_step)
{
    uint16_t block[32][32] __attribute__((aligned(64)));
    for (int i = 0; i < 32; i += 8)
        for (int j = 0; j < 32; j += 8)
            transpose8x8(src + i * src_step + j * 2, src_step, &block[j][i], 32);
    for (int j = 0; j < 32; j++)
        memcpy(dst + j * dst_step, block[j], 64);
}

static void transpose_lines_8(const char *src, int64_t src_step, char *dst,
                              int64_t dst_step)
{
    uint64_t block[8][8] __attribute__((aligned(64)));
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            block[j][i] = *(const cell8 *)(src + i * src_step + j * 8);
    for (int j = 0; j < 8; j++)
        memcpy(dst + j * dst_step, block[j], 64);
}

static void transpose_lines_1(const char *src, int64_t src_step, char *dst,
                              int64_t dst_step)
{
    uint8_t block[64][64] __attribute__((aligned(64)));
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++)
            block[j][i] = *(const uint8_t *)(src + i * src_step + j);
    for (int j = 0; j < 64; j++)
        memcpy(dst + j * dst_step, block[j], 64);
}

static void transpose_square(int element, const char *src, int64_t src_step, char *dst,
                             int64_t dst_step)
{
    switch (element) {
    case 1:
        transpose_lines_1(src, src_step, dst, dst_step);
        break;
    case 2:
        transpose_lines_2(src, src_step, dst, dst_step);
        break;
    case 4:
        transpose_lines_4(src, src_step, dst, dst_step);
        break;
    default:
        transpose_lines_8(src, src_step, dst, dst_step);
    }
}

/* The first index of a square: the last one ends with the axis, over its neighbour. */
static inline int64_t square_at(int64_t i, int64_t size, int64_t side)
{
    return TW_MIN(i, size - side);
}

/* Less than a line of 4-byte elements in one direction, at least 4 in both. */
static void transpose_narrow_4(const char *src, int64_t src_step, char *dst,
                               int64_t dst_step, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < columns; i += 4)
        for (int64_t j = 0; j < rows; j += 4) {
            const int64_t c = square_at(i, columns, 4), r = square_at(j, rows, 4);
            uint32_t block[16];
            transpose4x4(src + c * src_step + r * 4, src_step, block, 4);
            for (int k = 0; k < 4; k++)
                memcpy(dst + (r + k) * dst_step + c * 4, block + 4 * k, 16);
        }
}

/* rows (dense in src, dst_step apart in dst) x columns (src_step apart, dense in dst). */
static void transpose(int element, const char *src, int64_t src_step, char *dst,
                      int64_t dst_step, int64_t rows, int64_t columns)
{
    const int64_t side = 64 / element;

    if (rows < side || columns < side) {
        if (element == 4 && rows >= 4 && columns >= 4) {
            transpose_narrow_4(src, src_step, dst, dst_step, rows, columns);
            return;
        }
        for (int64_t i = 0; rows <= columns && i < rows; i++)
            copy_elements(element, src + i * element, src_step, dst + i * dst_step, element,
                          columns);
        for (int64_t i = 0; columns < rows && i < columns; i++)
            copy_elements(element, src + i * src_step, element, dst + i * element, dst_step,
                          rows);
        return;
    }
    for (int64_t i = 0; i < rows; i += side)
        for (int64_t j = 0; j < columns; j += side) {
            const int64_t r = square_at(i, rows, side), c = square_at(j, columns, side);
            transpose_square(element, src + c * src_step + r * element, src_step,
                             dst + r * dst_step + c * element, dst_step);
        }
}

/* ---- running */

static void run_inner(const krn_copy_plan *p, const char *src, char *dst,
                      const int64_t *size)
{
    const int last = p->loops - 1;

    switch (p->shape) {
    case SHAPE_RUNS:
        memcpy(dst, src, (size_t)(size[last] * p->element));
        break;
    case SHAPE_FILL:
        fill_elements(p->element, src, size[last], dst);
        break;
    case SHAPE_TRANSPOSE:
        transpose(p->element, src, p->src_stride[last], dst, p->dst_stride[last - 1],
                  size[last - 1], size[last]);
        break;
    default:
        copy_elements(p->element, src, p->src_stride[last], dst, p->dst_stride[last],
                      size[last]);
    }
}

/* Indices [first, end) of the outermost loop. */
static void run_part(const krn_copy_plan *p, const char *src, char *dst, int64_t first,
                     int64_t end)
{
    const int outer = p->loops - (p->shape == SHAPE_TRANSPOSE ? 2 : 1);
    int64_t size[KRN_COPY_LOOPS], at[KRN_COPY_LOOPS] = {0};

    memcpy(size, p->size, (size_t)p->loops * sizeof *size);
    size[0] = end - first;
    src += p->src_offset + first * p->src_stride[0];
    dst += p->dst_offset + first * p->dst_stride[0];
    for (;;) {
        run_inner(p, src, dst, size);
        int i = outer - 1;
        for (; i >= 0; i--) {
            src += p->src_stride[i];
            dst += p->dst_stride[i];
            if (++at[i] < size[i])
                break;
            src -= at[i] * p->src_stride[i];
            dst -= at[i] * p->dst_stride[i];
            at[i] = 0;
        }
        if (i < 0)
            return;
    }
}

typedef struct copy_job {
    const krn_copy_plan *plan;
    const char *src;
    char *dst;
    int64_t parts;
} copy_job;

static void run_task(void *context, int64_t task, int thread)
{
    const copy_job *job = context;
    const int64_t n = job->plan->size[0];
    (void)thread;
    run_part(job->plan, job->src, job->dst, n * task / job->parts,
             n * (task + 1) / job->parts);
}

void krn_copy_run(const krn_copy_plan *plan, const void *src, void *dst,
                  struct tw_threadpool *pool)
{
    if (plan->count == 0)
        return;
    copy_job job = {plan, src, dst, 1};
    int64_t bytes = plan->element;
    for (int i = 0; i < plan->loops; i++)
        bytes *= plan->size[i];
    if (pool && bytes >= PARALLEL_BYTES)
        job.parts = TW_MIN(plan->size[0], 4 * krn_threads(pool));
    if (job.parts <= 1)
        run_part(plan, src, dst, 0, plan->size[0]);
    else
        krn_parallel(pool, 0, job.parts, run_task, &job);
}

typedef struct fill_job {
    int element;
    const void *value;
    char *dst;
    int64_t count, parts;
} fill_job;

static void fill_task(void *context, int64_t task, int thread)
{
    const fill_job *job = context;
    const int64_t first = job->count * task / job->parts;
    const int64_t end = job->count * (task + 1) / job->parts;
    (void)thread;
    fill_elements(job->element, job->value, end - first, job->dst + first * job->element);
}

void krn_fill(int element, const void *value, int64_t count, void *dst,
              struct tw_threadpool *pool)
{
    assert(is_element(element));
    fill_job job = {element, value, dst, count, 1};
    if (pool && count * element >= PARALLEL_BYTES)
        job.parts = 4 * krn_threads(pool);
    krn_parallel(pool, 0, job.parts, fill_task, &job);
}
