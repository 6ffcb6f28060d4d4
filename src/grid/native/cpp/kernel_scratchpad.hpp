/* kernel_scratchpad.hpp: private memory of a kernel (Metal 2.0's scratch::). */
#pragma once

#include "kernel_objects.hpp"

/* Memory of the core that belongs to one kernel while it runs, by the host's name; the
 * machine allocates it as the only page of a circular buffer that nothing else uses. */
struct ScratchpadBindingToken {
    uint16_t buffer;
    uint32_t size;
};
template <class T> class Scratchpad {
    CoreLocalMem<T> memory;
    uint32_t bytes;

    TW_QUIET void within(uint32_t begin, uint32_t end, tw::at at) const
    {
        if (begin > end || end > bytes)
            tw::ask(at, TW_SAY_ASSERTION,
                    (int64_t)(uintptr_t)"an access lies within its scratchpad");
    }

  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using size_type = uint32_t;
    using pointer = CoreLocalMem<T>;
    using iterator = pointer;
    TW_QUIET explicit Scratchpad(const ScratchpadBindingToken &token, TW_AT)
        : memory(::get_write_ptr(token.buffer, at)), bytes(token.size)
    {
        if (bytes % sizeof(T))
            tw::ask(at, TW_SAY_ASSERTION,
                    (int64_t)(uintptr_t)"a scratchpad's size is a multiple of its elements'");
    }
    TW_QUIET auto &operator[](uint32_t i) const
    {
        within(i * (uint32_t)sizeof(T), (i + 1) * (uint32_t)sizeof(T),
               tw::at_of(tw::mine.last));
        return memory[i];
    }
    TW_QUIET uint32_t size() const { return bytes / (uint32_t)sizeof(T); }
    TW_QUIET uint32_t size_in_bytes() const { return bytes; }
    TW_QUIET DataFormat get_dataformat() const { return DataFormat::Invalid; }
    TW_QUIET uint32_t get_base_address() const { return memory.get_address(); }
    TW_QUIET pointer local_mem() const { return memory; }
    TW_QUIET iterator begin() const { return memory; }
    TW_QUIET iterator end() const { return memory + (int32_t)size(); }
    TW_QUIET Lock scoped_lock(uint32_t offset, uint32_t count, TW_AT) const
    {
        within(offset * (uint32_t)sizeof(T), (offset + count) * (uint32_t)sizeof(T), at);
        return {};
    }
};

template <class T> struct noc_traits_t<Scratchpad<T>> : tw::both_ways<tw::local_args> {
    static TW_QUIET uint32_t local(const Scratchpad<T> &s, const tw::local_args &a, bool, tw::at)
    {
        return s.get_base_address() + a.offset_bytes;
    }
};
