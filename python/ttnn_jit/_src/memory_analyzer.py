"""What of a device's memory is free before a compiled function runs, as options of D2M's pipelines."""

from _ttmlir_runtime import utils

from .inspect import bytes_of


class MemoryAnalyzer:
    """The addresses, the same in every bank, that are free in the L1 and the DRAM of a device, and those that a tensor of a type would
    take, as (first, end); (0, 0) where `perform_memory_analysis` is off or a memory has no room. `output_type` is a tensor's type with
    a #ttnn.ttnn_layout. What users hold are buffers of `_ttmlir_runtime.utils`; tensors of ttnn take no addresses before a run."""

    def __init__(self, device, output_type, perform_memory_analysis=True):
        self.device, self.enabled = device, perform_memory_analysis
        self._views = {}
        self._l1_addr_range = self._dram_addr_range = self._output_addr_range = (0, 0)
        if not self.enabled:
            return
        self._views = {name: utils.get_memory_view(device, name) for name in ("L1", "DRAM")}
        self._l1_addr_range = self._largest("L1")
        self._dram_addr_range = self._largest("DRAM")
        self.enabled = all(self._l1_addr_range) and all(self._dram_addr_range)
        if self.enabled:
            self._output_addr_range = self._output(output_type)

    def _largest(self, name):
        """The addresses of the largest gap; for L1 those below the lowest buffer, where circular buffers lie."""
        if name == "L1":
            start, lowest = utils.get_l1_base_allocator_addr(self.device), utils.get_lowest_occupied_compute_l1_address(self.device)
            end = utils.get_l1_size_per_core(self.device) if lowest is None else lowest
            return (start, end) if start < end else (0, 0)
        size = self._views[name].largest_contiguous_bytes_free_per_bank
        return self._taken(utils.allocate_dram_buffer, size) if size else (0, 0)

    def _taken(self, allocate, size):
        """The addresses that a buffer of `size` bytes in one bank gets."""
        buffer = allocate(self.device, size, size)
        start = buffer.address()
        buffer.deallocate()
        return start, start + size

    def _output(self, output_type):
        size = bytes_of(str(output_type))
        if not size:
            raise ValueError(f"MemoryAnalyzer: expected the type of a tensor with a #ttnn.ttnn_layout of tiles, found {output_type}")
        in_l1 = "#ttnn.buffer_type<l1>" in str(output_type)
        return self._taken(utils.allocate_l1_buffer if in_l1 else utils.allocate_dram_buffer, size)

    def print_stats(self):
        """Prints the banks, bytes and addresses of both memories."""
        for (name, view), (start, end) in zip(self._views.items(), (self._l1_addr_range, self._dram_addr_range)):
            print(f"[{name}] Memory View: {view.num_banks} banks of {view.total_bytes_per_bank} bytes, {view.total_bytes_allocated_per_bank} taken, "
                  f"{view.largest_contiguous_bytes_free_per_bank} free in one piece; D2M may use [{start}, {end}), "
                  f"{100 * (end - start) / view.total_bytes_per_bank:.1f} %")

    def get_l1_range_str(self):
        """The option of D2M's pipelines for L1, "" without one; a space precedes it."""
        return self._option("available-l1-addr-range", self._l1_addr_range)

    def get_dram_range_str(self):
        """The same for DRAM, which no pass reads."""
        return self._option("not-implemented-dram-addr-range", self._dram_addr_range)

    def get_output_range_str(self):
        """The same for the result, which no pass reads."""
        return self._option("not-implemented-preallocated-output-tensor-addr-range", self._output_addr_range)

    @staticmethod
    def _option(name, found):
        return f" {name}={found[0]},{found[1]}" if found[0] < found[1] else ""
