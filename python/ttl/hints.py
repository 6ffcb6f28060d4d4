"""Notes with the supported alternative for common mistakes in threads."""

COPY = "copy its tiles to a circular buffer: ttl.copy(tensor[row, column], block) in a data movement thread"
NUMBERS = "threads move tiles and do not see their numbers; what decides is an argument of the kernel (ttl.RuntimeInt), or arithmetic with masks"
SHOWN = "print integers and text; a block's numbers are seen after the run, in the tensor that it was copied to"
MASKS = "choose: ttl.math.where(condition, a, b), with ttl.math.gt(a, b), gtz(x) or the like for the condition"
CAST = "use ttl.math.typecast(block, dtype)"
KEPT = "a block keeps its shape; slices of tensors are taken in ttl.copy(tensor[rows, columns], block)"
FILL = "block.store(ttl.math.fill(other, number)) fills it, `other` being a block of its shape that wait() gave"
ON_HOST = "numbers are seen on the host, in the tensor that the block was copied to"

# Names of torch and NumPy that blocks and ttl.math do not have.
INSTEAD = {
    **dict.fromkeys(("sum", "reduce"), "use ttl.math.reduce_sum(block, dims=[...])"),
    **dict.fromkeys(("amax", "argmax"), "use ttl.math.reduce_max(block, dims=[...]) for the largest; indices are not computed"),
    **dict.fromkeys(("amin", "argmin"), "the smallest is the negative of ttl.math.reduce_max(-block, dims=[...])"),
    **dict.fromkeys(("mean", "average"), "use ttl.math.reduce_sum(block, dims=[...]) * (1 / n)"),
    **dict.fromkeys(("softmax", "log_softmax", "layer_norm"), "make it of exp, reduce_max, reduce_sum and broadcast: examples/ttl"),
    **dict.fromkeys(("where", "masked_fill"), MASKS),
    **dict.fromkeys(("dot", "mm", "bmm"), "use a @ b"),
    **dict.fromkeys(("T", "mT", "t"), "use ttl.transpose(block)"),
    **dict.fromkeys(("to", "type", "astype", "float", "half", "bfloat16", "int", "double"), CAST),
    **dict.fromkeys(("reshape", "view", "flatten", "squeeze", "unsqueeze", "permute", "size", "expand"), KEPT),
    **dict.fromkeys(("numpy", "item", "tolist", "cpu", "data", "detach"), ON_HOST),
    **dict.fromkeys(("clone", "copy_"), "use block.store(expression)"),
    **dict.fromkeys(("fill", "fill_", "zero_"), FILL),
}

# Names of tt-lang's language until November 2025.
FORMER = {"dma": "use ttl.copy(source, destination)", "core_index": "use ttl.core(dims=2), which gives the column and the row",
          "Stream": "tensors are used as they are: ttl.copy(tensor[row, column], block)"}


def instead(name):
    """The alternative to a name of torch's or NumPy's, or None."""
    from . import functions
    from .composites import COMPOSITES

    if name in ("reduce_sum", "reduce_max", "broadcast"):
        return f"use ttl.math.{name}(block, dims=[...])"
    if name in functions.ELEMENTWISE or name in COMPOSITES or name in ("transpose", "typecast", "matmul", "clamp"):
        return INSTEAD.get(name) or f"use ttl.math.{name}(block)"
    return INSTEAD.get(name)


OF_HOSTS = ("torch", "numpy", "jax", "scipy", "math")  # whose functions compute on the host


def lost(why):
    """A note for a name whose value depends on the branch that was taken."""
    if "'if' of line" in why and "a block" in why:
        return "call wait() or reserve() before the 'if', or use the block inside"
    if "is a block" in why:
        return "sums of a loop are made in a block that reserve() gave: block += expression"
    return "give it a value before, with the same type on every way"


def no_block(value):
    """A note for an operand that is no block."""
    from .buffer import CircularBuffer
    from .values import Scalar, Slice

    if isinstance(value, CircularBuffer):
        name = value.name or "buffer"
        return f"take a block of it: with {name}.wait() as block"
    if isinstance(value, Slice) or hasattr(value, "dtype"):
        return COPY
    if isinstance(value, Scalar):
        return ("sums of a loop are made in a block: block += expression; a number beside a block is built into the kernel: loop over "
                "list(range(...)), which is unrolled, or keep it in a tensor")
    if isinstance(value, (list, tuple)):
        return "take one of its items, or loop over them"
    if isinstance(value, bool):
        return "use 1 or 0"
    return "'*' multiplies with a number, '@' two blocks" if isinstance(value, (int, float)) else None


def parameter(name, parameters):
    """The parameter that was probably meant by an argument's name."""
    import difflib

    near = difflib.get_close_matches(name, parameters, 1)
    return f"did you mean '{near[0]}'?" if near else f"there {'are' if len(parameters) > 1 else 'is'} {', '.join(parameters)}" if parameters else None
