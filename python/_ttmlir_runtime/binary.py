"""Compiled files: .ttnn and .ttm programs, .ttsys system descriptors."""

import itertools
import json
import re

from tilewright import _core
from ttmlir._native import native as _native

from ._types import DataType

_ids = itertools.count(1)


class Flatbuffer:
    """A compiled file of any kind, verified when it is opened."""

    kinds = ("TTNN", "TTM0", "TTSY")

    def __init__(self, data):
        try:
            self._file = _core.Binary(bytes(data))
        except (RuntimeError, LookupError, NotImplementedError) as error:
            raise RuntimeError(f"the bytes are no binary: {error}") from None
        self.file_identifier, self.version, self.schema_hash, self.ttmlir_git_hash, self._expected_hash = self._file.info()
        if self.file_identifier not in self.kinds:
            raise RuntimeError(f"the file is of kind {self.file_identifier}; expected {' or '.join(self.kinds)}")

    @classmethod
    def load_from_path(cls, path):
        with open(path, "rb") as file:
            return cls(file.read())

    def check_schema_hash(self):
        """True if the file's layout is that of files written by this library."""
        return self.schema_hash == self._expected_hash

    def as_json(self):
        return self._file.json(-1, "")

    def store(self, path):
        with open(path, "wb") as file:
            file.write(self._file.bytes)

    def __repr__(self):
        return f"{type(self).__name__}({self.file_identifier}, version {self.version})"


class Binary(Flatbuffer):
    """Programs for a device."""

    kinds = ("TTNN", "TTM0")

    def __init__(self, data):
        super().__init__(data)
        self.id = next(_ids)
        self._compiled = {}  # (program, whether hooks are called) -> tilewright._core.Program
        self._debugs = {}  # program -> what its operations print or write
        self._inputs = {}  # program -> descriptions of its inputs, from JSON

    def get_num_programs(self):
        return self._file.programs

    def get_program_name(self, program_index):
        return self._file.program(program_index)[0]

    def is_program_private(self, program_index):
        """True if the program is called by other programs of the binary only."""
        return self._file.program(program_index)[1]

    def get_program_mesh_shape(self, program_index):
        return list(self._file.program(program_index)[2:4])

    def debugs(self, index):
        """{operand's id: [(kind, text)]} of a program's operations that print or write files for people."""
        if index not in self._debugs:
            asked = self._debugs[index] = {}
            names = {"PrintOp": "message", "MemorySnapshotOp": "file_path"}
            if self.file_identifier == "TTNN" and any(name in self._file.bytes for name in (b"debug.print", b"debug.memory_snapshot")):
                former = {}  # results of the debug dialect: the value that they are
                for op in _load_json(self.get_program_ops_as_json(index)):
                    kind, body = op["type_type"], op["type"]
                    if kind in names or kind in ("AnnotateOp", "RegionStartOp", "RegionEndOp"):
                        operand = former.get(body["operand"]["global_id"], body["operand"]["global_id"])
                        if kind in names:
                            asked.setdefault(operand, []).append((kind, body[names[kind]]))
                        else:
                            former[body["result"]["global_id"]] = operand
        return self._debugs[index]

    def get_program_ops_as_json(self, program_index):
        return self._file.json(program_index, "operations")

    def get_program_inputs_as_json(self, program_index):
        return self._file.json(program_index, "inputs")

    def get_program_outputs_as_json(self, program_index):
        return self._file.json(program_index, "outputs")

    def inputs(self, program_index):
        """The parsed result of get_program_inputs_as_json."""
        if program_index not in self._inputs:
            self._inputs[program_index] = _load_json(self.get_program_inputs_as_json(program_index))
        return self._inputs[program_index]

    def get_system_desc_as_json(self):
        return self._file.json(-1, "system_desc")

    def get_mlir_as_json(self):
        return self._file.json(-1, "mlir")

    def get_debug_info_golden(self, loc):
        """{device: GoldenTensor} stored in the binary for a location; empty if there is none."""
        for program in range(self.get_num_programs()):
            text = self._file.json(program, "debug_info")
            golden_info = (_load_json(text) if text else {}).get("golden_info") or {}
            for entry in golden_info.get("golden_map") or ():
                if entry["key"] == loc:
                    return {kv["device"]: GoldenTensor(kv["value"]) for kv in entry["value"]}
        return {}


class SystemDesc(Flatbuffer):
    """The chips of a system, and their links."""

    kinds = ("TTSY",)


class GoldenTensor:
    """The expected contents of a tensor of the program."""

    def __init__(self, fields):
        self.name, self.shape, self.stride = fields.get("name", ""), fields["shape"], fields["stride"]
        self.dtype = DataType[fields["dtype"]]
        self._data = bytearray(fields["data"])

    def get_data_buffer(self):
        return bytearray(self._data)


class GlobalTensorCache:
    """Constants that programs keep between runs; here each compiled program keeps its own."""

    _instance = None

    @classmethod
    def get_instance(cls):
        cls._instance = cls._instance or cls()
        return cls._instance

    def clear(self):
        pass

    def size(self):
        return 0


def _load_json(text):
    """JSON that may contain bare nan and inf."""
    return json.loads(re.sub(r"\binf\b", "Infinity", re.sub(r"\bnan\b", "NaN", text)))


load_from_path = Flatbuffer.load_from_path
load_binary_from_path = Binary.load_from_path
load_system_desc_from_path = SystemDesc.load_from_path


def load_binary_from_bytes(data):
    return Binary(data)


def load_binary_from_capsule(capsule):
    """The binary made by a pass of ttmlir.passes."""
    return Binary(_native._capsule_bytes(capsule))
