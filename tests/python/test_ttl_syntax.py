"""Every kind of node of Python's syntax trees in a thread and in a helper: it works, or an error gives its line, a
caret and advice."""

import ast
import re
import sys
import textwrap

import pytest

torch = pytest.importorskip("torch")

from ttl_written import kernel_of  # noqa: E402

# A statement or more; those that set `n` to 3 in the end work, for the others the error's words.
STATEMENTS = {
    "FunctionDef": ("def f(a, /, b=1, *c, d=1, **e):\n    return a + b + d\nn = f(1)", None),
    "AsyncFunctionDef": ("async def f():\n    return 3\nn = 3", "'async def' statements are not supported in threads"),
    "ClassDef": ("class A:\n    pass\nn = 3", "'class' statements are not supported"),
    "Return": ("def f():\n    return 3\nn = f()", None),
    "Delete": ("n = m = 3\ndel m", None),
    "Delete others'": ("del made", "only the thread's own names can be deleted"),
    "Assign": ("n = m = 3", None),
    "AugAssign": ("n = 1\nn += 2", None),
    "AnnAssign": ("n: int = 3", None),
    "For": ("n = 0\nfor i in range(3):\n    n = n + 1", None),
    "For else": ("for i in range(3):\n    pass\nelse:\n    n = 3", None),
    "For else of a list": ("n = 3\nfor i in [1, 2]:\n    if i == 2:\n        break\nelse:\n    n = 4", None),
    "While else": ("n = 0\nwhile n < 2:\n    n += 1\nelse:\n    n += 1", None),
    "AsyncFor": ("async for i in range(3):\n    pass", "outside async function"),
    "While": ("n = 0\nwhile n < 3:\n    n += 1", None),
    "While later": ("n = x\nwhile n < 3:\n    n += 1", "'while' on what is known only when the kernel runs"),
    "If": ("if x == 0:\n    n = 3\nelif x == 1:\n    n = 4\nelse:\n    n = 5", None),
    "With": ("with list('a') as f:\n    n = 3", "'with' requires a method call on an object"),
    "AsyncWith": ("async with x as y:\n    pass", "outside async function"),
    "Match": ("match x:\n    case 0:\n        n = 3\n    case _:\n        n = 4", None),
    "Match known": ("match 'b':\n    case 'a' | 'b':\n        n = 3", None),
    "Match later": ("match x + 5:\n    case 1 | 2:\n        n = 4\n    case m if m == 6:\n        n = 5\n    case m:\n        n = m - 2", None),
    "Match none": ("n = 3\nmatch x:\n    case 7:\n        n = 4", None),
    "Match a tuple": ("match (x, 1):\n    case (0, n):\n        pass", "patterns in threads are values, '|' of them, names and '_'"),
    "Raise": ("raise ValueError('no')", "ValueError: no"),
    "Raise a class": ("raise ValueError", "ValueError"),
    "Raise on a way not taken": ("n = 3\nif n > 3:\n    raise ValueError('no')", None),
    "Raise later": ("if x > 3:\n    raise ValueError('no')\nn = 3", "'raise' statements are not supported"),
    "Try": ("try:\n    n = 3\nexcept ValueError:\n    n = 4", "'try' statements are not supported"),
    "TryStar": ("try:\n    n = 3\nexcept* ValueError:\n    n = 4", "'try' statements are not supported"),
    "Assert": ("assert 1 + 1 == 2, 'two'\nn = 3", None),
    "Assert later": ("assert x == 2", "an assertion on what is known only when the kernel runs"),
    "Import": ("import math, os.path as p\nn = math.floor(3.5) if p else 4", None),
    "ImportFrom": ("from math import pi as p\nn = int(p)", None),
    "Global": ("global torch\nn = 3 if torch else 4", None),
    "Global assigned": ("global made\nmade = 3\nn = made", "'made' is the host's, which threads only read"),
    "Nonlocal": ("def f():\n    nonlocal n\n    n = 3\nn = 1\nf()", "'nonlocal' statements are not supported"),
    "Expr": ("'a text'\n3\nn = 3", None),
    "Pass": ("pass\nn = 3", None),
    "Break": ("n = 0\nfor i in [1, 2, 3, 4]:\n    n += 1\n    if i == 3:\n        break", None),
    "Break later": ("n = 3\nfor i in range(4):\n    if i == x:\n        break", "'break' that depends on what the kernel finds out"),
    "Continue": ("n = 0\nfor i in range(4):\n    if i == x:\n        continue\n    n += 1", None),
    "TypeAlias": ("type A = int\nn = 3", "'type"),
}
EXPRESSIONS = {
    "BoolOp": ("3 if x == 0 and not x or x > 5 else 4", None), "NamedExpr": ("(m := 2) + m - 1", None),
    "BinOp": ("((7 // 2 * 2 - 1 + x) % 4 << 1 >> 1 ^ 3 | 2 & 3) + 1", None), "UnaryOp": ("-(-3) + +x + ~x + 1", None),
    "Lambda": ("(lambda a, b=1: a + b)(2)", None), "IfExp": ("3 if x == 0 else 4", None), "Dict": ("{'a': 3, **{'b': 1}}['a']", None),
    "Set": ("len({1, 2, 3}) if x in {0, 1} and x not in {5} else 4", None), "Set later": ("len({x})", "sets hold what is known"), "ListComp": ("sum([i for i in (1, 2, 3) if i < 3 if i])", None),
    "SetComp": ("len({i % 3 for i in range(9)})", None),
    "In": ("3 if x + 4 in (1, 4) and x not in (1, 2) and x + 6 in range(0, 9, 3) and x + 7 not in range(0, 9, 3) and x + 2 in range(5, 0, -1) "
           "and x not in [] else 4", None),
    "DictComp": ("{i: i + 1 for i in range(4)}[2]", None), "GeneratorExp": ("sum(i for i in (1, 2))", None),
    "Await": ("await x", "outside async function|'await' is not supported"), "Yield": ("(yield 3)", "'yield' is not supported"),
    "YieldFrom": ("(yield from [3])", "'yield' is not supported"),
    "Compare": ("3 if 0 <= x < 1 != 2 and 1 in (1, 2) and 3 not in [4] and None is None and x is not None else 4", None),
    "Call": ("max(*[1, 2], 3, **{})", None), "FormattedValue": ("len(f'{1:>3}')", None), "JoinedStr": ("len(f'a{1!r}b')", None),
    "Constant": ("[3, 1.5, 'a', b'a', True, None, ..., 2j][0]", None), "Attribute": ("(3).real", None),
    "Subscript": ("[1, 2, 3][2]", None), "Starred": ("[*(1, 2), 3][-1]", None), "Name": ("x + 3", None), "List": ("[3][0]", None),
    "Tuple": ("(3,)[0]", None), "Slice": ("[1, 2, 3, 4][1:4:1][1]", None),
    "TemplateStr": ("len(t'{1}')", "not supported"), "Interpolation": ("len(t'{1}')", "not supported"),
}
ABSTRACT = {"stmt", "expr"}
OLD = {"Num", "Str", "Bytes", "NameConstant", "Ellipsis", "Index", "ExtSlice", "AugLoad", "AugStore", "Param", "Suite"}

COMPUTE = """with a_cb.wait() as block, out_cb.reserve() as result:
    if n == 3:
        result.store(block * 2)
    else:
        result.store(block * 0)"""


def snippets():
    for name, (text, error) in STATEMENTS.items():
        yield name, text, error
    for name, (text, error) in EXPRESSIONS.items():
        yield name, f"n = {text}", error


def test_every_kind_of_node_is_here():
    for base, have in ((ast.stmt, STATEMENTS), (ast.expr, EXPRESSIONS)):
        kinds = {k.__name__ for k in base.__subclasses__()} - OLD
        assert kinds <= set(have), kinds - set(have)


@pytest.mark.parametrize("where", ("thread", "helper"))
@pytest.mark.parametrize("name, text, error", list(snippets()), ids=[s[0] for s in snippets()])
def test_syntax(name, text, error, where):
    helper = "def helper(x):\n" + textwrap.indent(text, "    ") + "\n    return n\n"
    text, helper = (text, "") if where == "thread" else ("n = helper(x)", helper)
    try:
        kernel = kernel_of(f"x = ttl.core(dims=1)\n{text}\n{COMPUTE}", helper=helper)
    except SyntaxError as wrong:
        if sys.version_info >= (3, 14) or error is None:
            raise
        assert name in ("TypeAlias", "TemplateStr", "Interpolation", "AsyncFor", "AsyncWith", "Await", "Nonlocal"), wrong
        return
    a = torch.ones(32, 32)
    out = torch.zeros(32, 32)
    if error is None:
        kernel(a, out)
        assert torch.equal(out, 2 * a), "n is not 3"
        return
    with pytest.raises(Exception) as raised:
        kernel(a, out)
    message = str(raised.value)
    assert re.search(error, message), message
    assert "-->" in message and "^" in message and "note:" in message, message
