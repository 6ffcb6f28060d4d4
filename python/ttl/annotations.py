"""Types of the language's specification, for annotations; they are not checked."""

from typing import Tuple, TypeVar, Union

from .connect import Identity, MulticastRemoteSemaphore, UnicastRemoteSemaphore
from .values import Block, Slice, Tiles

PositiveInt = NaturalInt = int
Size, Index, Count = PositiveInt, NaturalInt, NaturalInt
Shape = Union[Size, Tuple[Size, ...]]
CoreCoord = Union[Index, Tuple[Index, ...]]
CoreRange = Tuple[Union[Index, slice], ...]
DstT = TypeVar("DstT", CoreCoord, CoreRange)
BlockExpr, TensorSlice = Tiles, Slice
PipeIdentity = SrcPipeIdentity = DstPipeIdentity = Identity

__all__ = ["Block", "BlockExpr", "CoreCoord", "CoreRange", "Count", "DstPipeIdentity", "DstT", "Index", "MulticastRemoteSemaphore",
           "NaturalInt", "PipeIdentity", "PositiveInt", "Shape", "Size", "SrcPipeIdentity", "TensorSlice", "UnicastRemoteSemaphore"]
