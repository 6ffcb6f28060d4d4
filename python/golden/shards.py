"""Tensors over a mesh: one torch tensor for each device."""

import torch

_CODES = {torch.qint8, torch.qint32, torch.quint8}
_RUNTIME = {torch.float32, torch.bfloat16, torch.float16, torch.uint8, torch.uint16, torch.uint32, torch.int32}


class GoldenMapTensor:
    """A tensor for each device of a mesh, in row-major order of the devices; {0: t} is one tensor that all devices hold.
    Functions of torch, operators and methods apply to each shard."""

    def __init__(self, shard_map, mesh_shape=(1, 1)):
        if isinstance(shard_map, torch.Tensor):
            shard_map = {0: shard_map}
        if not shard_map or not all(isinstance(t, torch.Tensor) for t in shard_map.values()):
            raise TypeError(f"expected {{device: torch tensor}} with at least one device, got {shard_map!r}")
        self._shards, self._mesh = dict(shard_map), tuple(mesh_shape)

    @property
    def shard_map(self):
        return self._shards

    @property
    def mesh_shape(self):
        return self._mesh

    def shard_at(self, device):
        """The tensor that a device holds."""
        found = self._shards.get(device)
        if found is None and len(self._shards) == 1 and 0 in self._shards:
            return self._shards[0]
        if found is None:
            raise KeyError(f"no shard for device {device}; there are {sorted(self._shards)}")
        return found

    @property
    def is_single(self):
        return len(self._shards) == 1

    def devices(self):
        count = 1
        for size in self._mesh:
            count *= size
        return range(count)

    def spread(self):
        """{device: tensor} for all devices of the mesh."""
        return {device: self.shard_at(device) for device in self.devices()}

    def group_by_axis(self, axis):
        """The groups of devices that differ only along an axis of the mesh."""
        return groups_along(self._mesh, axis)

    def apply_shardwise(self, function):
        """The function applied to a copy of each shard."""
        return map_shards((self,), lambda t: function(t.clone()))

    def clone(self):
        return GoldenMapTensor({d: t.clone() for d, t in self._shards.items()}, self._mesh)

    def contiguous(self):
        return GoldenMapTensor({d: t.contiguous() for d, t in self._shards.items()}, self._mesh)

    def golden_map_tensor_as_torch_tensors(self):
        """{device: tensor} in dtypes that the runtime has."""
        return {device: runtime_tensor(t).contiguous() for device, t in self._shards.items()}

    def __repr__(self):
        first = next(iter(self._shards.values()))
        return f"GoldenMapTensor({len(self._shards)} x {tuple(first.shape)} {first.dtype}, mesh {self._mesh})"

    def __len__(self):
        return len(next(iter(self._shards.values())))

    def __getitem__(self, key):
        return map_shards((self, key), lambda t, k: t[k])

    def __setitem__(self, key, value):
        for device, t in self._shards.items():
            t[key] = value.shard_at(device) if isinstance(value, GoldenMapTensor) else value

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        first = next(iter(self._shards.values()))
        found = getattr(first, name)
        if not callable(found):
            return found if not isinstance(found, torch.Tensor) else map_shards((self,), lambda t: getattr(t, name))

        def method(*args, **kwargs):
            return map_shards((self, *args), lambda t, *rest: getattr(t, name)(*rest, **kwargs))

        return method

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return map_shards(args, lambda *plain: function(*plain, **(kwargs or {})), kwargs)


def runtime_tensor(t):
    """The tensor in a dtype that the runtime has: codes of quantised tensors, bf16 for booleans, int32 for int64, f32 for
    the rest."""
    if t.dtype in _CODES:
        t = t.int_repr()
    if t.dtype in _RUNTIME:
        return t
    return t.to({torch.int64: torch.int32, torch.bool: torch.bfloat16}.get(t.dtype, torch.float32))


def _mapped(item, device):
    if isinstance(item, GoldenMapTensor):
        return item.shard_at(device)
    if isinstance(item, (list, tuple)):
        return type(item)(_mapped(x, device) for x in item)
    return item


def _found(item, into):
    if isinstance(item, GoldenMapTensor):
        into.append(item)
    elif isinstance(item, (list, tuple)):
        for x in item:
            _found(x, into)


def map_shards(args, function, kwargs=None):
    """The function of the shards of each device, as one tensor over the mesh, or as several."""
    tensors = []
    _found(args, tensors)
    _found(list((kwargs or {}).values()), tensors)
    mesh = tensors[0].mesh_shape
    devices = sorted(set().union(*(t.shard_map for t in tensors)))
    out = {device: function(*_mapped(tuple(args), device)) for device in devices}
    first = out[devices[0]]
    if isinstance(first, torch.Tensor):
        return GoldenMapTensor(out, mesh)
    if isinstance(first, (list, tuple)) and first and all(isinstance(x, torch.Tensor) for x in first):
        return tuple(GoldenMapTensor({d: out[d][i] for d in devices}, mesh) for i in range(len(first)))
    return first


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv", "mod", "pow", "rpow",
              "matmul", "and", "or", "xor", "lshift", "rshift", "lt", "le", "gt", "ge", "eq", "ne", "neg", "invert", "abs"):
    def _operator(self, *rest, name=f"__{_name}__"):
        return map_shards((self, *rest), lambda t, *others: getattr(t, name)(*others))

    setattr(GoldenMapTensor, f"__{_name}__", _operator)
GoldenMapTensor.__hash__ = object.__hash__


def groups_along(mesh, axis):
    """The groups of devices along an axis of the mesh, each in the order of its positions."""
    if len(mesh) == 1:
        mesh = (1, *mesh)
    rows, columns = mesh
    if axis == 0:
        return [[r * columns + c for r in range(rows)] for c in range(columns)]
    return [[r * columns + c for c in range(columns)] for r in range(rows)]


def split_over(t, mesh, dims):
    """{device: part}: dims[a] is the dimension split over axis a of the mesh; None or -1 replicates."""
    parts = [t]
    for size, dim in zip(mesh, dims):
        if dim is None or dim < 0:
            parts = [part for part in parts for _ in range(size)]
        else:
            if parts[0].shape[dim] % size:
                raise ValueError(f"dimension {dim} of shape {tuple(t.shape)} is not divisible by the mesh's {size} devices")
            parts = [piece for part in parts for piece in part.chunk(size, dim)]
    return dict(enumerate(parts))


def join_over(shards, mesh, dims):
    """The inverse of split_over; of replicated parts the first is taken."""
    parts = [shards[device] for device in sorted(shards)]
    for size, dim in reversed(list(zip(mesh, dims))):
        runs = [parts[i:i + size] for i in range(0, len(parts), size)]
        parts = [run[0] if dim is None or dim < 0 else torch.cat(run, dim) for run in runs]
    return parts[0]


def apply_sharding(golden, mesh_shape, shard_dims):
    """The tensor split over the mesh."""
    t = golden.shard_at(0) if isinstance(golden, GoldenMapTensor) else golden
    return GoldenMapTensor(split_over(t, mesh_shape, shard_dims), mesh_shape)


def apply_unsharding(golden, mesh_shape, shard_dims):
    """The shards joined to one tensor."""
    return GoldenMapTensor({0: join_over(golden.spread(), mesh_shape, shard_dims)}, mesh_shape)
