"""What names mean in kernels that are compiled from Python functions: a language is a table of these entries."""

import inspect

REQUIRED = object()


class Known:
    """Marks a parameter whose argument is known when the kernel is compiled: an attribute of the operation."""


class Parameter:
    __slots__ = ("name", "known", "default")

    def __init__(self, name, known=False, default=REQUIRED):
        self.name, self.known, self.default = name, known, default


class Function:
    """A function of a language. `build` gets values and known arguments and returns a value, or None."""

    __slots__ = ("name", "build", "parameters")

    def __init__(self, name, build, parameters):
        self.name, self.build, self.parameters = name, build, tuple(parameters)

    @property
    def signature(self):
        """As a user writes a call."""
        shown = [p.name if p.default is REQUIRED else f"{p.name}={p.default!r}" for p in self.parameters]
        return f"{self.name}({', '.join(shown)})"

    def bind(self, arguments, keywords):
        """Pairs the arguments of a call with parameters, in their order: {name: (parameter, argument)}. TypeError if they do not fit."""
        if len(arguments) > len(self.parameters):
            raise TypeError(f"function '{self.name}' takes {len(self.parameters)} arguments, got {len(arguments)}")
        bound = {p.name: (p, a) for p, a in zip(self.parameters, arguments)}
        named = {p.name: p for p in self.parameters}
        for name, argument in keywords:
            if name not in named:
                raise TypeError(f"function '{self.name}' has no argument '{name}'")
            if name in bound:
                raise TypeError(f"function '{self.name}' got '{name}' twice")
            bound[name] = named[name], argument
        missing = [p.name for p in self.parameters if p.default is REQUIRED and p.name not in bound]
        if missing:
            raise TypeError(f"function '{self.name}' takes {len(self.parameters)} arguments, and {', '.join(map(repr, missing))} "
                            f"{'are' if len(missing) > 1 else 'is'} missing")
        return {p.name: bound[p.name] for p in self.parameters if p.name in bound}


def of_python(build, name=None):
    """The entry of a Python function: parameters annotated with Known are known."""
    parameters = [Parameter(p.name, p.annotation is Known, REQUIRED if p.default is p.empty else p.default)
                  for p in inspect.signature(build).parameters.values()]
    return Function(name or build.__name__.rstrip("_"), build, parameters)
