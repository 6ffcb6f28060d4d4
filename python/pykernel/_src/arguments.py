"""What kernels are called with, and what a compiled one is."""

import enum
import os

TILE = 32


class CircularBuffer:
    """A circular buffer. tensor_shape: of the tensor that goes through it; dtype: the name of a ttcore data type."""

    def __init__(self, cb_id, tensor_shape=(8, 128, 128), dtype="Float32"):
        self.cb_id, self.tensor_shape, self.dtype, self.tile_shape = cb_id, tuple(tensor_shape), dtype, TILE

    @property
    def tilized_shape(self):
        """The shape in tiles."""
        return [*self.tensor_shape[:-2], *(-(-n // TILE) for n in self.tensor_shape[-2:])]


class CompileTimeValue:
    """An integer or boolean that is built into the kernel, for the parameter `key`."""

    def __init__(self, key, value):
        self.key, self.value = key, value


class Arguments:
    """A runtime argument: a value of all cores, the common_idx-th of them, or values of each core, [x][y]."""

    def __init__(self, x=0, y=0, is_common=False, common_idx=None):
        if is_common and common_idx is None:
            raise ValueError("a common argument has a common_idx")
        self.is_common, self.common_idx = is_common, common_idx
        self.args = [[[] for _ in range(y)] for _ in range(x)]

    @staticmethod
    def make_common(value, index):
        out = Arguments(is_common=True, common_idx=index)
        out.value = value
        return out


class Kernel:
    """A kernel's C++."""

    def __init__(self, kernel_name, kernel_string):
        self.kernel_name, self.kernel_string = kernel_name, kernel_string

    def dump(self):
        print(self.kernel_string)

    def dump_to_file(self, file_path=""):
        """Writes it to a file, generated/pykernels/NAME.cpp by default; returns the path."""
        path = os.path.abspath(file_path or os.path.join("generated", "pykernels", f"{self.kernel_name}.cpp"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(self.kernel_string)
        return path


class TensorAccessorConfig(enum.IntFlag):
    """What a kernel knows of a tensor's memory: the bits of tt-metal's ArgConfig."""

    NONE = 0
    Sharded = 1
    IsDram = 2
    RuntimeRank = 4
    RuntimeNumBanks = 8
    RuntimeTensorShape = 16
    RuntimeShardShape = 32
    RuntimeBankCoords = 64
