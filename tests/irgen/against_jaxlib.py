#!/usr/bin/env python3
"""Asks the MLIR inside jaxlib about modules of StableHLO, CHLO, Shardy and what they stand on.

    PYTHONPATH=build/python tests/irgen/against_jaxlib.py [--build DIR] [--seeds FIRST:COUNT] [--broken]
                                                          [--dialects a,b] [--ops N] [FILE ...]

Random modules (irgen), or the pieces of text tests.  Both readers must say the same of each; of what
both accept the texts must be equal in three forms, and each must read the other's bytecode.  Blanks
are folded: a newer MLIR no longer doubles those before an attribute's own text.  Exit status 1 if
they disagree, 77 without jaxlib."""

import argparse
import collections
import io
import json
import os
import re
import sys
from pathlib import Path

try:
    from jaxlib.mlir import ir as peer
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext
    from jaxlib.mlir.dialects import chlo, mpmd, sdy, stablehlo
except ImportError:
    print("jaxlib is not installed")
    sys.exit(77)
from ttmlir import ir as ours

import generated  # beside this file

ROOT = Path(__file__).resolve().parents[2]
DIALECTS = "stablehlo,chlo,sdy,mpmd,arith,func"
FORMS = {"pretty": {}, "generic": {"print_generic_op_form": True},
         "local": {"use_local_scope": True}, "located": {"enable_debug_info": True}}


def new_context(ir):
    context = ir.Context()
    if ir is peer:
        registry = peer.DialectRegistry()
        _jax_mlir_ext.register_dialects(registry)
        context.append_dialect_registry(registry)
        for dialect in (stablehlo, chlo, sdy, mpmd):
            dialect.register_dialect(context)
        context.load_all_available_dialects()
    return context


CONTEXTS = {ir: new_context(ir) for ir in (peer, ours)}
DIED = "a reader died"
# Differences between the versions: jaxlib's are older, but for arith, whose properties are newer.
CHANGED = ["stablehlo.collective_broadcast", "stablehlo.custom_call.result_tilings", "chlo.top_k", "mpmd.for"]
# jaxlib writes meshes of fragments without escapes.
YOUNGER = re.compile(r"mesh_name = \"[^\"]*\\|unreduced ?= ?\w+ ?\{|reduction_op|all_reduce max|chlo\.top_k|!quant\.|#sparse_tensor|#ttcore")


def folded(text):
    return re.sub(r"[ \n]+", " ", text).strip()


def kind_of(text):
    text = re.sub(r"'([^']*)'", lambda m: "_" if re.search(r"[<0-9]", m[1]) else m[0], text)
    return re.sub(r"(?<!#)\b-?\d+\b", "_", text.replace("non-token ", ""))


def parse(ir, source):
    """The module and None, or None and the first error's message."""
    try:
        return ir.Module.parse(source, CONTEXTS[ir]), None
    except ir.MLIRError as error:
        found = error.error_diagnostics
        return None, found[0].message if found else str(error)


def written(module):
    out = io.BytesIO()
    module.operation.write_bytecode(out)
    return out.getvalue()


def judge(source):
    """The disagreement, or None; and whether the module is valid."""
    (theirs, their_error), (mine, my_error) = parse(peer, source), parse(ours, source)
    if their_error or my_error:
        if my_error and their_error:
            said = [kind_of(folded(text)) for text in (their_error, my_error)]
            return (None if said[0] == said[1] else f"messages: {said[0]}\n{'':12}ours: {said[1]}"), False
        return ("only jaxlib objects: " + kind_of(their_error) if their_error else
                "only we object: " + kind_of(my_error)), False
    for name, form in FORMS.items():
        texts = [folded(m.operation.get_asm(**form)) for m in (theirs, mine)]
        if texts[0] != texts[1]:
            return f"texts differ ({name})", True
    if "arith." in source:
        return None, True  # jaxlib's operations have properties that MLIR 22 does not know
    generic = folded(mine.operation.get_asm(print_generic_op_form=True))
    for writer, reader in ((theirs, ours), (mine, peer)):
        read, error = parse(reader, written(writer))
        if error:
            return f"bytecode not read by {reader.__name__}: " + kind_of(error), True
        if folded(read.operation.get_asm(print_generic_op_form=True)) != generic:
            return f"{reader.__name__} reads other bytecode", True
    return None, True


def judged(sources):
    """The result of `judge` for each, in another process, since jaxlib's verifiers may crash."""
    said = []
    while len(said) < len(sources):
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            for source in sources[len(said):]:
                os.write(writing, (json.dumps(judge(source)) + "\n").encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as lines:
            said += [json.loads(line) for line in lines]
        if os.waitpid(child, 0)[1]:
            said.append((DIED, False))
    return said


def random_modules(args):
    names = generated.operations(args.build, args.dialects)
    without = [n for n in names if not CONTEXTS[peer].is_registered_operation(n)] + CHANGED
    for seed in generated.seeds(args):
        yield f"seed {seed}", generated.module(args, seed, without)[0]


def pieces(files):
    for file in files:
        for i, piece in enumerate(re.split(r"^// -----.*\n", Path(file).read_text(), flags=re.M)):
            yield f"{file} piece {i}", piece


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=ROOT / "build", type=Path)
    generated.add_options(parser, DIALECTS, ops="4")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    groups, valid, younger, died = collections.defaultdict(list), 0, 0, []
    modules = list(pieces(args.files) if args.files else random_modules(args))
    for (name, source), (differs, accepted) in zip(modules, judged([source for _, source in modules])):
        valid += accepted
        if YOUNGER.search(source):
            younger += 1
        elif differs == DIED:
            died.append(name)
        elif differs:
            groups[differs].append(name)
    for what, names in sorted(groups.items(), key=lambda g: -len(g[1])):
        print(f"{len(names):5} {what}  ({names[0]})")
    bad = sum(map(len, groups.values()))
    print(f"{len(modules) - bad - younger - len(died)} agreed ({valid} are valid), {bad} did not, {younger} have what "
          f"jaxlib does not know, {len(died)} killed a reader",
          *died[:1])
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
