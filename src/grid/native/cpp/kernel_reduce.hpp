/* kernel_reduce.hpp: reductions whose kind and dimension the macros REDUCE_OP and
 * REDUCE_DIM give. A kernel may define them before it includes the API's header of
 * reductions, so this header is included there too, each time. */
#if defined(REDUCE_OP) && defined(REDUCE_DIM) && !defined(TW_REDUCE_DEFINED)
#define TW_REDUCE_DEFINED
template <bool at_start>
TW_QUIET inline void reduce_init(uint32_t in, uint32_t scaler, uint32_t out = 16, TW_AT)
{
    reduce_init<REDUCE_OP, REDUCE_DIM>(in, scaler, out, at);
}
template <bool at_start>
TW_QUIET inline void reduce_init_delta(uint32_t in, uint32_t scaler, uint32_t out = 16, TW_AT)
{
    reduce_init<REDUCE_OP, REDUCE_DIM>(in, scaler, out, at);
}
namespace ckernel {
using ::reduce_init;
using ::reduce_init_delta;
} // namespace ckernel
/* of what the unpacker has loaded */
TW_QUIET inline void reduce_tile_math(uint32_t dst, uint32_t = 4, TW_AT)
{
    llk_math_reduce<REDUCE_OP, REDUCE_DIM>(dst, 4, at);
}
#ifdef TW_REDUCE_UNSAID
TW_QUIET inline void reduce_init(uint32_t in, uint32_t scaler, uint32_t out = 16, TW_AT)
{
    reduce_init<REDUCE_OP, REDUCE_DIM>(in, scaler, out, at);
}
TW_QUIET inline void reduce_init_short(uint32_t in, uint32_t scaler, uint32_t out = 16, TW_AT)
{
    reduce_init<REDUCE_OP, REDUCE_DIM>(in, scaler, out, at);
}
TW_QUIET inline void reduce_tile(uint32_t in, uint32_t scaler, int64_t tile,
                                 int64_t scaler_tile, int64_t dst, TW_AT)
{
    reduce_tile<REDUCE_OP, REDUCE_DIM>(in, scaler, tile, scaler_tile, dst, at);
}
namespace ckernel {
using ::reduce_init;
using ::reduce_init_short;
using ::reduce_tile;
} // namespace ckernel
#endif
#endif
