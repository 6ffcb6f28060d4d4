/* kernel_sfpi.hpp: the vector unit's own language: vectors of 32 values, DST's rows as
 * vectors, conditions for each lane; and the calls that run a function over a tile's faces.
 *
 * A vector holds four rows of a face, either its even or its odd columns: vectors 2k and 2k
 * + 1 of a face are its rows 4k to 4k + 3. A tile is 32 vectors, a face 8. */
#pragma once

#include "kernel_dst.hpp"

namespace sfpi {

constexpr int lanes = 32;
inline unsigned instructions; /* since the last store */

/* Lanes enabled by a condition. Assignments change only those. */
struct lane_mask {
    uint32_t on = 0xFFFFFFFF;
};
inline lane_mask enabled;

struct vBool {
    uint32_t bits;
    friend TW_QUIET vBool operator&&(vBool a, vBool b) { return {a.bits & b.bits}; }
    friend TW_QUIET vBool operator||(vBool a, vBool b) { return {a.bits | b.bits}; }
    friend TW_QUIET vBool operator!(vBool a) { return {~a.bits}; }
};

/* v_if, v_elseif, v_else: the lanes enabled before, and those not taken by a branch yet. */
class condition {
    uint32_t before, left;

  public:
    TW_QUIET condition() : before(enabled.on), left(enabled.on) {}
    TW_QUIET ~condition() { enabled.on = before; }
    TW_QUIET condition(const condition &) = delete;
    TW_QUIET void take(vBool b)
    {
        enabled.on = left & b.bits;
        left &= ~b.bits;
    }
    TW_QUIET void rest() { enabled.on = left; }
    TW_QUIET void narrow(vBool b) { enabled.on &= b.bits; }
};

template <class T> struct vec {
    T lane[lanes];

    vec() = default;
    TW_QUIET vec(T x)
    {
        for (T &l : lane)
            l = x;
    }
    TW_QUIET vec(const vec &o) { __builtin_memcpy(lane, o.lane, sizeof lane); }
    TW_QUIET vec &operator=(const vec &o)
    {
        for (int i = 0; i < lanes; i++)
            if (enabled.on >> i & 1)
                lane[i] = o.lane[i];
        return *this;
    }
};

template <class V, class F> TW_QUIET inline V each(const V &a, F f)
{
    V r;
    instructions++;
    for (int i = 0; i < lanes; i++)
        r.lane[i] = f(a.lane[i]);
    return r;
}
template <class V, class F> TW_QUIET inline V each(const V &a, const V &b, F f)
{
    V r;
    instructions++;
    for (int i = 0; i < lanes; i++)
        r.lane[i] = f(a.lane[i], b.lane[i]);
    return r;
}
template <class V, class F> TW_QUIET inline vBool which(const V &a, const V &b, F f)
{
    vBool r = {0};
    instructions++;
    for (int i = 0; i < lanes; i++)
        r.bits |= (uint32_t)(f(a.lane[i], b.lane[i]) ? 1 : 0) << i;
    return r;
}

struct vFloat;
struct vInt;
struct vUInt;

/* constants in the 16-bit formats that loads of immediates take */
struct s2vFloat16b {
    float value;
    TW_QUIET explicit s2vFloat16b(float f) : value(f) {}
    TW_QUIET explicit s2vFloat16b(uint32_t bits) : value(tw::as_float(bits << 16)) {}
    TW_QUIET explicit s2vFloat16b(int bits) : s2vFloat16b((uint32_t)bits) {}
};
using s2vFloat16a = s2vFloat16b;
using sFloat16b = s2vFloat16b;
using sFloat16a = s2vFloat16b;

#define TW_COMPARE(V, N, op)                                                               \
    friend TW_QUIET vBool operator op(const V &a, const V &b)                              \
    {                                                                                      \
        return which(a, b, [](N x, N y) TW_QUIET { return x op y; });                               \
    }
#define TW_ARITHMETIC(V, N, op)                                                            \
    friend TW_QUIET V operator op(const V &a, const V &b)                                  \
    {                                                                                      \
        return each(a, b, [](N x, N y) TW_QUIET { return (N)(x op y); });                           \
    }                                                                                      \
    TW_QUIET V &operator op##=(const V &b) { return *this = *this op b; }

struct vFloat : vec<float> {
    using vec::vec;
    vFloat() = default;
    vFloat(const vFloat &) = default;
    TW_QUIET vFloat(float x) : vec(x) {}
    TW_QUIET vFloat(double x) : vec((float)x) {}
    TW_QUIET vFloat(int x) : vec((float)x) {}
    TW_QUIET vFloat(s2vFloat16b x) : vec(x.value) {}
    TW_QUIET vFloat &operator=(const vFloat &o)
    {
        vec::operator=(o);
        return *this;
    }
    TW_QUIET vFloat operator-() const
    {
        return each(*this, [](float x) TW_QUIET { return -x; });
    }
    TW_ARITHMETIC(vFloat, float, +)
    TW_ARITHMETIC(vFloat, float, -)
    TW_ARITHMETIC(vFloat, float, *)
    TW_COMPARE(vFloat, float, <)
    TW_COMPARE(vFloat, float, <=)
    TW_COMPARE(vFloat, float, >)
    TW_COMPARE(vFloat, float, >=)
    TW_COMPARE(vFloat, float, ==)
    TW_COMPARE(vFloat, float, !=)
};

#define TW_INTEGER_VECTOR(V, N)                                                            \
    struct V : vec<N> {                                                                    \
        using vec::vec;                                                                    \
        V() = default;                                                                     \
        V(const V &) = default;                                                            \
        TW_QUIET V(int32_t x) : vec((N)x) {}                                               \
        TW_QUIET V(uint32_t x) : vec((N)x) {}                                              \
        TW_QUIET V &operator=(const V &o)                                                  \
        {                                                                                  \
            vec::operator=(o);                                                             \
            return *this;                                                                  \
        }                                                                                  \
        TW_QUIET V operator-() const                                                       \
        {                                                                                  \
            return each(*this, [](N x) TW_QUIET { return (N)-x; });                                 \
        }                                                                                  \
        TW_QUIET V operator~() const                                                       \
        {                                                                                  \
            return each(*this, [](N x) TW_QUIET { return (N)~x; });                                 \
        }                                                                                  \
        TW_ARITHMETIC(V, N, +)                                                             \
        TW_ARITHMETIC(V, N, -)                                                             \
        TW_ARITHMETIC(V, N, &)                                                             \
        TW_ARITHMETIC(V, N, |)                                                             \
        TW_ARITHMETIC(V, N, ^)                                                             \
        TW_ARITHMETIC(V, N, <<)                                                            \
        TW_ARITHMETIC(V, N, >>)                                                            \
        TW_COMPARE(V, N, <)                                                                \
        TW_COMPARE(V, N, <=)                                                               \
        TW_COMPARE(V, N, >)                                                                \
        TW_COMPARE(V, N, >=)                                                               \
        TW_COMPARE(V, N, ==)                                                               \
        TW_COMPARE(V, N, !=)                                                               \
        TW_QUIET V &operator++() { return *this += V(1); }                                 \
        TW_QUIET V &operator--() { return *this -= V(1); }                                 \
    };
TW_INTEGER_VECTOR(vInt, int32_t)
TW_INTEGER_VECTOR(vUInt, uint32_t)

/* ---- DST ------------------------------------------------------------------------------ */

inline int64_t dst_base; /* index of the vector dst_reg[0] */

class dst_vector {
    int64_t vector;

    static TW_QUIET unsigned element_index(unsigned in_tile, int lane)
    {
        unsigned face = in_tile / 8, row = in_tile % 8 / 2 * 4 + (unsigned)lane / 8;
        return face * 256 + row * 16 + (unsigned)lane % 8 * 2 + in_tile % 2;
    }
    template <class V, class T> TW_QUIET V load() const
    {
        const T *tile = (const T *)(uintptr_t)tw::ask(tw::mine.last, TW_ASK_TILE, vector >> 5,
                                                      0, std::is_integral_v<T>);
        V r;
        instructions++;
        for (int i = 0; i < lanes; i++)
            r.lane[i] = tile[element_index(vector & 31, i)];
        return r;
    }
    template <class V, class T> TW_QUIET void store(const V &from) const
    {
        T *tile = (T *)(uintptr_t)tw::ask(tw::mine.last, TW_ASK_TILE, vector >> 5, 2,
                                          std::is_integral_v<T>);
        for (int i = 0; i < lanes; i++)
            if (enabled.on >> i & 1)
                tile[element_index(vector & 31, i)] = from.lane[i];
        tw::ask(tw::mine.last, TW_SAY_TILE, vector >> 5, std::is_integral_v<T>,
                instructions + 1);
        instructions = 0;
    }

  public:
    TW_QUIET explicit dst_vector(int64_t v) : vector(v) {}
    dst_vector(const dst_vector &) = default;
    TW_QUIET operator vFloat() const { return load<vFloat, float>(); }
    TW_QUIET operator vInt() const { return load<vInt, int32_t>(); }
    TW_QUIET operator vUInt() const { return load<vUInt, uint32_t>(); }
    TW_QUIET vFloat operator=(const vFloat &v) const { return store<vFloat, float>(v), v; }
    TW_QUIET vInt operator=(const vInt &v) const { return store<vInt, int32_t>(v), v; }
    TW_QUIET vUInt operator=(const vUInt &v) const { return store<vUInt, uint32_t>(v), v; }
    TW_QUIET vFloat operator=(float v) const { return *this = vFloat(v); }
    TW_QUIET vFloat operator=(double v) const { return *this = vFloat(v); }
    TW_QUIET vFloat operator=(s2vFloat16b v) const { return *this = vFloat(v); }
    TW_QUIET vFloat operator=(const dst_vector &o) const { return *this = (vFloat)o; }
    TW_QUIET vFloat operator-() const { return -(vFloat) * this; }
#define TW_OF_DST(op)                                                                      \
    template <class T> friend TW_QUIET auto operator op(const dst_vector &a, const T &b)   \
    {                                                                                      \
        return (vFloat)a op(vFloat) b;                                                     \
    }                                                                                      \
    template <class T>                                                                     \
        requires(!std::is_same_v<T, dst_vector>)                                           \
    friend TW_QUIET auto operator op(const T &a, const dst_vector &b)                      \
    {                                                                                      \
        return (vFloat)a op(vFloat) b;                                                     \
    }
    TW_OF_DST(+)
    TW_OF_DST(-)
    TW_OF_DST(*)
    TW_OF_DST(<)
    TW_OF_DST(<=)
    TW_OF_DST(>)
    TW_OF_DST(>=)
    TW_OF_DST(==)
    TW_OF_DST(!=)
};

struct dst_registers {
    TW_QUIET dst_vector operator[](int64_t i) const { return dst_vector(dst_base + i); }
    TW_QUIET void operator++(int) const { dst_base++; }
    TW_QUIET void operator++() const { dst_base++; }
    TW_QUIET void operator+=(int n) const { dst_base += n; }
};
constexpr dst_registers dst_reg;

/* ---- functions of vectors ----------------------------------------------------------------- */

template <class To, class From> TW_QUIET inline To reinterpret(const From &v)
{
    To r;
    static_assert(sizeof r.lane == sizeof v.lane);
    __builtin_memcpy(r.lane, v.lane, sizeof r.lane);
    return r;
}
namespace bits {
template <class V> TW_QUIET inline vUInt of(const V &v) { return reinterpret<vUInt>(v); }
TW_QUIET inline vFloat back(const vUInt &v) { return reinterpret<vFloat>(v); }
} // namespace bits

TW_QUIET inline vFloat abs(const vFloat &v) { return bits::back(bits::of(v) & vUInt(0x7FFFFFFFu)); }
TW_QUIET inline vInt abs(const vInt &v)
{
    return each(v, [](int32_t x) TW_QUIET { return x < 0 ? -x : x; });
}
/* the exponent, without its bias or with it; the mantissa, with or without its leading 1 */
TW_QUIET inline vInt exexp(const vFloat &v)
{
    return reinterpret<vInt>(bits::of(v) >> vUInt(23u) & vUInt(255u)) - vInt(127);
}
TW_QUIET inline vInt exexp_nodebias(const vFloat &v)
{
    return reinterpret<vInt>(bits::of(v) >> vUInt(23u) & vUInt(255u));
}
TW_QUIET inline vInt exman8(const vFloat &v)
{
    return reinterpret<vInt>((bits::of(v) & vUInt(0x7FFFFFu)) | vUInt(0x800000u));
}
TW_QUIET inline vInt exman9(const vFloat &v)
{
    return reinterpret<vInt>(bits::of(v) & vUInt(0x7FFFFFu));
}
TW_QUIET inline vFloat setexp(const vFloat &v, const vInt &e)
{
    return bits::back((bits::of(v) & vUInt(0x807FFFFFu)) | (bits::of(e) & vUInt(255u)) << vUInt(23u));
}
TW_QUIET inline vFloat setexp(const vFloat &v, const vUInt &e) { return setexp(v, reinterpret<vInt>(e)); }
TW_QUIET inline vFloat setexp(const vFloat &v, int e) { return setexp(v, vInt(e)); }
TW_QUIET inline vFloat setman(const vFloat &v, const vInt &m)
{
    return bits::back((bits::of(v) & vUInt(0xFF800000u)) | (bits::of(m) & vUInt(0x7FFFFFu)));
}
TW_QUIET inline vFloat setman(const vFloat &v, int m) { return setman(v, vInt(m)); }
TW_QUIET inline vFloat setsgn(const vFloat &v, const vFloat &s)
{
    return bits::back((bits::of(v) & vUInt(0x7FFFFFFFu)) | (bits::of(s) & vUInt(0x80000000u)));
}
TW_QUIET inline vFloat setsgn(const vFloat &v, int s)
{
    return bits::back((bits::of(v) & vUInt(0x7FFFFFFFu)) | vUInt(s ? 0x80000000u : 0u));
}
TW_QUIET inline vFloat copysgn(const vFloat &v, const vFloat &s) { return setsgn(v, s); }
TW_QUIET inline vFloat addexp(const vFloat &v, int n)
{
    return bits::back(bits::of(v) + vUInt((uint32_t)n << 23));
}
/* leading zeros */
TW_QUIET inline vInt lz(const vInt &v)
{
    return each(v, [](int32_t x) TW_QUIET { return x ? __builtin_clz((uint32_t)x) : 32; });
}
TW_QUIET inline vUInt shft(const vUInt &v, const vInt &by)
{
    vUInt r;
    for (int i = 0; i < lanes; i++) {
        int n = by.lane[i];
        r.lane[i] = n >= 32 || n <= -32 ? 0 : n >= 0 ? v.lane[i] << n : v.lane[i] >> -n;
    }
    return r;
}
TW_QUIET inline vInt shft(const vInt &v, const vInt &by)
{
    return reinterpret<vInt>(shft(reinterpret<vUInt>(v), by));
}
template <class V> TW_QUIET inline void vec_swap(V &a, V &b)
{
    V t = a;
    a = b;
    b = t;
}
namespace bits {
/* in the order of SFPSWAP */
TW_QUIET inline bool is_less(float x, float y) { return tw::is_less(x, y); }
template <class N> TW_QUIET inline bool is_less(N x, N y) { return x < y; }
template <class V> TW_QUIET inline V smaller(const V &a, const V &b)
{
    return each(a, b, [](auto x, auto y) TW_QUIET { return is_less(y, x) ? y : x; });
}
template <class V> TW_QUIET inline V larger(const V &a, const V &b)
{
    return each(a, b, [](auto x, auto y) TW_QUIET { return is_less(x, y) ? y : x; });
}
} // namespace bits
/* smaller values to the first, larger ones to the second */
template <class V> TW_QUIET inline void vec_min_max(V &a, V &b)
{
    V low = bits::smaller(a, b);
    b = bits::larger(a, b);
    a = low;
}
TW_QUIET inline vFloat vec_min(const vFloat &a, const vFloat &b) { return bits::smaller(a, b); }
TW_QUIET inline vFloat vec_max(const vFloat &a, const vFloat &b) { return bits::larger(a, b); }
/* of newer releases */
TW_QUIET inline vFloat min(const vFloat &a, const vFloat &b) { return bits::smaller(a, b); }
TW_QUIET inline vFloat max(const vFloat &a, const vFloat &b) { return bits::larger(a, b); }
TW_QUIET inline vFloat clamp(const vFloat &v, const vFloat &low, const vFloat &high)
{
    return min(max(v, low), high);
}
TW_QUIET inline vFloat int32_to_float(const vInt &v, int = 0)
{
    vFloat r;
    for (int i = 0; i < lanes; i++)
        r.lane[i] = (float)v.lane[i];
    return r;
}
/* to nearest, ties to even; saturates */
namespace bits {
template <class V> TW_QUIET inline V rounded(const vFloat &v, float least, float most)
{
    V r;
    for (int i = 0; i < lanes; i++) {
        float x = __builtin_rintf(v.lane[i]);
        r.lane[i] = (decltype(r.lane[0] + 0))(x > least ? (x < most ? x : most) : least);
    }
    return r;
}
} // namespace bits
TW_QUIET inline vInt float_to_int16(const vFloat &v, int = 0) { return bits::rounded<vInt>(v, -32767, 32767); }
TW_QUIET inline vInt float_to_int8(const vFloat &v, int = 0) { return bits::rounded<vInt>(v, -127, 127); }
TW_QUIET inline vUInt float_to_uint16(const vFloat &v, int = 0) { return bits::rounded<vUInt>(v, 0, 65535); }
TW_QUIET inline vUInt float_to_uint8(const vFloat &v, int = 0) { return bits::rounded<vUInt>(v, 0, 255); }
TW_QUIET inline vUInt float_to_fp16b(const vFloat &v, int = 0)
{
    return each(bits::of(v), [](uint32_t b) TW_QUIET { return (b + 0x7FFF + (b >> 16 & 1)) >> 16; });
}

/* constant registers, and those that a kernel sets */
inline vFloat vConstFloatPrgm0, vConstFloatPrgm1, vConstFloatPrgm2;
inline vInt vConstIntPrgm0, vConstIntPrgm1, vConstIntPrgm2;
#define vConst0 (::sfpi::vFloat(0.0f))
#define vConst1 (::sfpi::vFloat(1.0f))
#define vConstNeg1 (::sfpi::vFloat(-1.0f))
#define vConst0p8373 (::sfpi::vFloat(0.8373f))
#define vConstTileId (::sfpi::lane_numbers())
TW_QUIET inline vInt lane_numbers()
{
    vInt r;
    for (int i = 0; i < lanes; i++)
        r.lane[i] = 2 * i;
    return r;
}

} // namespace sfpi

#define v_if(...)                                                                          \
    {                                                                                      \
        ::sfpi::condition tw_condition;                                                    \
        tw_condition.take(__VA_ARGS__);
#define v_elseif(...) tw_condition.take(__VA_ARGS__);
#define v_else tw_condition.rest();
#define v_and(...) tw_condition.narrow(__VA_ARGS__);
#define v_endif }
#define v_block                                                                            \
    {                                                                                      \
        ::sfpi::condition tw_condition;
#define v_endblock }

using namespace sfpi;

/* ---- over a tile's faces -------------------------------------------------------------------- */

namespace tw {

/* Faces selected by a mode: 4 RC, 1 the first row, 2 the first column, else one. */
template <class F, class... Args>
TW_QUIET inline void over_faces(int mode, int64_t base, F function, Args... args)
{
    static constexpr int faces[][4] = {{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 0, 1, 0}, {1, 1, 1, 1}};
    const int *which = faces[mode == 4 ? 3 : mode == 1 || mode == 2 ? mode : 0];
    for (int face = 0; face < 4; face++)
        if (which[face]) {
            sfpi::dst_base = base + 8 * face;
            function(args...);
        }
    sfpi::dst_base = 0;
}

} // namespace tw

template <bool approximate = false, class F, class... Args>
TW_QUIET inline void _llk_math_eltwise_unary_sfpu_params_(F &&function, uint32_t dst,
                                                          int mode = 4, Args... args)
{
    tw::over_faces(mode, 32 * (int64_t)dst, function, args...);
}
template <bool approximate = false, class F, class... Args>
TW_QUIET inline void _llk_math_eltwise_binary_sfpu_params_(F &&function, uint32_t a, uint32_t b,
                                                           uint32_t out, int mode = 4,
                                                           Args... args)
{
    tw::over_faces(mode, 0, function, a, b, out, args...);
}
template <bool approximate = false, class F, class... Args>
TW_QUIET inline void _llk_math_eltwise_ternary_sfpu_params_(F &&function, uint32_t a, uint32_t b,
                                                            uint32_t c, uint32_t out,
                                                            int mode = 4, Args... args)
{
    tw::over_faces(mode, 0, function, a, b, c, out, args...);
}
/* of the vendor's table of functions, the types of kernels' own ones */
enum class SfpuType : uint8_t { unused, exponential };
template <auto...> TW_QUIET inline void llk_math_eltwise_unary_sfpu_init(...) {}
template <auto...> TW_QUIET inline void llk_math_eltwise_binary_sfpu_init(...) {}
#define SFPU_UNARY_CALL_NO_TEMPLATE_ARGS(sync, wide, function, dst, mode, ...)             \
    _llk_math_eltwise_unary_sfpu_params_<false>(function, dst, (int)mode __VA_OPT__(, ) __VA_ARGS__)
#define SFPU_BINARY_CALL_NO_TEMPLATE_ARGS(sync, wide, function, a, b, out, mode, ...)      \
    _llk_math_eltwise_binary_sfpu_params_<false>(function, a, b, out,                      \
                                                 (int)mode __VA_OPT__(, ) __VA_ARGS__)
