/* native_text.c: the text that is compiled for a kernel: a prelude (macros of the chip and
 * of the launch, the kernel API), which many kernels share, and what is the kernel's own.
 */
#include "grid/native/native.h"

/* Defines the arguments known before a run as constants; an accessor identifies its tensor
 * by its index in the list. */
static void put_arguments(const dev_kernel *k, tw_strbuf *out)
{
    size_t n = k->n_args[DEV_ARGS_COMPILE_TIME];
    tw_strbuf_printf(out, "constexpr tw::arg_list<%zu> tw_compile_time_args = {{", n);
    for (size_t i = 0; i < n; i++) {
        const dev_arg *a = &k->args[DEV_ARGS_COMPILE_TIME][i];
        bool number = a->kind != DEV_ARG_ADDRESS && a->kind != DEV_ARG_ACCESSOR;
        tw_strbuf_printf(out, "{%uu}, ", number ? (uint32_t)a->value : 0);
    }
    tw_strbuf_puts(out, "}, {");
    for (size_t i = 0; i < n; i++)
        tw_strbuf_puts(out, k->args[DEV_ARGS_COMPILE_TIME][i].kind != DEV_ARG_ADDRESS
                                ? "true, "
                                : "false, ");
    tw_strbuf_printf(
        out, "}};\nconstexpr std::array<uint32_t, %zu> kernel_compile_time_args = {", n);
    for (size_t i = 0; i < n; i++)
        tw_strbuf_printf(out, "tw_compile_time_args[%zu], ", i);
    tw_strbuf_puts(out, "};\n");
}

/* Defines the vendor's macros for the chip and the units that compute; a compute kernel is
 * one thread here. */
static void put_processor(const dev_chip *chip, const dev_native *n, const dev_kernel *k,
                          tw_strbuf *out)
{
    bool compute = false;
    tw_strbuf_printf(out,
                     "#define %s\n#define NOC_L1_READ_ALIGNMENT_BYTES %d\n"
                     "#define NOC_DRAM_READ_ALIGNMENT_BYTES %d\n#define DRAM_ALIGNMENT %d\n"
                     "#define NOC_MAX_BURST_SIZE %u\n%s%s",
                     strcmp(chip->arch, "blackhole") == 0 ? "ARCH_BLACKHOLE"
                                                          : "ARCH_WORMHOLE",
                     chip->l1_align, chip->dram_align, chip->dram_align, chip->noc_packet,
                     k->wide ? "#define TW_WIDE_DST\n" : "",
                     k->full_sync ? "#define TW_FULL_SYNC\n" : "");
    if (dev_code_kind(n->function, &compute) && compute)
        tw_strbuf_puts(out, "#define COMPILE_FOR_TRISC 1\n#define TRISC_UNPACK\n"
                            "#define TRISC_MATH\n#define TRISC_PACK\n");
    /* the API's enumerations that data movement kernels do not have, and may declare */
    if (strstr(n->text, "enum PoolType"))
        tw_strbuf_puts(out, "#define PoolType tw_PoolType\n#define TW_OWN_POOL_TYPE\n");
}

/* The processor of a kernel that moves data: the API's headers do not ask for it. */
static void put_mover(const dev_native *n, const dev_kernel *k, tw_strbuf *out)
{
    bool compute = false;
    if (dev_code_kind(n->function, &compute) && compute)
        return;
    tw_strbuf_puts(out, k->noc ? "#define COMPILE_FOR_BRISC\n#define NOC_INDEX 1\n"
                               : "#define COMPILE_FOR_NCRISC\n#define NOC_INDEX 0\n");
}

static const dev_buffer *accessed(const dev_machine *m, const dev_program *p,
                                  const dev_arg *a)
{
    return a->kind != DEV_ARG_ACCESSOR
               ? NULL
               : &m->tensors.buffers[p->tensors ? p->tensors[a->value] : (size_t)a->value];
}

/* Properties of a tensor in an accessor's type: 1 in DRAM + 2 sharded. */
static void put_kinds(const dev_machine *m, const dev_program *p, const dev_kernel *k,
                      tw_strbuf *out)
{
    tw_strbuf_puts(out, "#define TW_ACCESSOR_KINDS {");
    for (size_t i = 0; i < k->n_args[DEV_ARGS_COMPILE_TIME]; i++) {
        const dev_buffer *b = accessed(m, p, &k->args[DEV_ARGS_COMPILE_TIME][i]);
        const bool sharded = b && (b->space == DEV_L1 || b->space == DEV_DRAM_SHARDED);
        tw_strbuf_printf(out, "%d, ", b ? !dev_space_is_l1(b->space) + 2 * sharded : 0);
    }
    tw_strbuf_puts(out, "0}\n");
}

/* Bytes of a page of each accessor's tensor, for kernels that need constants. */
static void put_pages(const dev_machine *m, const dev_program *p, const dev_kernel *k,
                      tw_strbuf *out)
{
    tw_strbuf_puts(out, "#define TW_ACCESSOR_PAGES {");
    for (size_t i = 0; i < k->n_args[DEV_ARGS_COMPILE_TIME]; i++) {
        const dev_buffer *b = accessed(m, p, &k->args[DEV_ARGS_COMPILE_TIME][i]);
        tw_strbuf_printf(out, "%zu, ", b ? b->page : 0);
    }
    tw_strbuf_puts(out, "0}\n");
}

/* Bytes of a page and format of each circular buffer, for kernels that need constants. */
static void put_buffers(const dev_program *p, tw_strbuf *out)
{
    uint32_t bytes[DEV_MAX_CBS] = {0}, formats[DEV_MAX_CBS] = {0};
    for (size_t i = 0; i < p->n_cbs; i++)
        if (p->cbs[i].port >= 0 && p->cbs[i].port < DEV_MAX_CBS) {
            bytes[p->cbs[i].port] = p->cbs[i].page;
            formats[p->cbs[i].port] = p->cbs[i].format;
        }
    tw_strbuf_puts(out, "#define TW_BUFFER_BYTES {");
    for (size_t i = 0; i < DEV_MAX_CBS; i++)
        tw_strbuf_printf(out, "%u, ", bytes[i]);
    tw_strbuf_puts(out, "}\n#define TW_BUFFER_FORMATS {");
    for (size_t i = 0; i < DEV_MAX_CBS; i++)
        tw_strbuf_printf(out, "%u, ", formats[i]);
    tw_strbuf_puts(out, "}\n");
}

void dev_native_put_prelude(const dev_machine *m, const dev_program *p, const dev_native *n,
                            const dev_kernel *k, bool constants, tw_strbuf *out)
{
    if (constants) {
        put_buffers(p, out);
        put_pages(m, p, k, out);
    }
    put_kinds(m, p, k, out);
    tw_strbuf_puts(out, n->defines);
    put_processor(m->chip, n, k, out);
    tw_strbuf_puts(out, "#include \"tilewright/kernel_newer.hpp\"\n");
}

/* A text of no file begins with a comment that has its kernel's name; kernels that differ
 * in nothing else are compiled once. */
static const char *behind_name(const dev_native *n)
{
    bool named = n->file != n->path && strncmp(n->text, "// ", 3) == 0;
    return named ? n->text + strcspn(n->text, "\n") : n->text;
}

void dev_native_put_source(const dev_native *n, const dev_kernel *k, tw_strbuf *out)
{
    /* not inlined: a body that is only an endless loop would lose its line */
    static const char tail[] = "extern \"C\" void tw_kernel_entry()\n"
                               "{\n    void (*volatile kernel)() = kernel_main;\n"
                               "    kernel();\n"
                               "    tw::check_handed_over();\n}\n"
                               "TW_KERNEL_MODULE(tw_kernel_entry);\n";
    put_mover(n, k, out);
    put_arguments(k, out);
    /* they would belong to the host's thread, which runs all cores */
    tw_strbuf_puts(out, "#pragma GCC poison thread_local __thread\n");
    if (strstr(n->defines, "TW_NAMED_") || strstr(n->text, "kernel_args.h") ||
        strstr(n->text, "TT_KERNEL"))
        tw_strbuf_puts(out, "#include \"tilewright/kernel_named.hpp\"\n");
    tw_strbuf_printf(out, "#line 1 \"%s\"\n", n->file);
    tw_strbuf_puts(out, behind_name(n));
    dev_native_put_main(n->text, n->file, out);
    tw_strbuf_printf(out, "\n#line 1 \"<end of %s>\"\n%s", n->file, tail);
}

/* ---- names of files in it ------------------------------------------------------------ */

static const char stand_in[] = "<kernel>";

const char *dev_native_file_of(const dev_native_source *source, const char *path)
{
    bool asks = strstr(source->text, "__FILE__") ||
                strstr(source->text, "__builtin_FILE") ||
                strstr(source->text, "source_location");
    return source->of_file || asks ? path : stand_in;
}

void dev_native_put_path(const dev_native *n, const char *text, tw_strbuf *out)
{
    for (const char *at; n->file != n->path && (at = strstr(text, n->file));) {
        tw_strbuf_append(out, text, (size_t)(at - text));
        tw_strbuf_puts(out, n->path);
        text = at + strlen(n->file);
    }
    tw_strbuf_puts(out, text);
}
