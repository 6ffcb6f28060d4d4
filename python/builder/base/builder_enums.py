"""Enums whose `.value` is the case of ttcore."""

from enum import Enum

from ttmlir.dialects import ttcore


def _enum(name):
    source = getattr(ttcore.ir, name)
    cls = Enum(name, dict(source.__members__), module=__name__)
    cls.__doc__ = f"The cases of ttcore's {name}."
    return cls


ReduceType = _enum("ReduceType")
MeshShardType = _enum("MeshShardType")
MeshShardDirection = _enum("MeshShardDirection")
AttentionMaskType = _enum("AttentionMaskType")
