"""ttmlir-lsp-server: one session over standard input and output."""

import json
import subprocess
import tempfile
from pathlib import Path

import pytest

SERVER = Path(__file__).resolve().parents[2] / "build" / "bin" / "ttmlir-lsp-server"
pytestmark = pytest.mark.skipif(not SERVER.exists(), reason="needs jansson")

TEXT = """func.func @callee(%x: i32) -> i32 {
  return %x : i32
}
func.func @main(%a: i32) -> i32 {
  %é = arith.addi %a, %a : i32
  %0 = arith.addi %a, %a : i32
  %1 = func.call @callee(%0) : (i32) -> i32
  return %1 : i32
}
"""


HELLO = {"id": 0, "method": "initialize", "params": {}}


def converse(*messages, hello=True):
    """The server's answers to the messages, without its capabilities, and its exit status."""
    body = b""
    for message in (HELLO, *messages) if hello else messages:
        data = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
        body += b"Content-Length: %d\r\n\r\n%s" % (len(data), data)
    # a file, as all of its messages wait from the start; a pipe is filled piece by piece while the server reads
    with tempfile.TemporaryFile() as file:
        file.write(body)
        file.seek(0)
        done = subprocess.run([SERVER], stdin=file, stdout=subprocess.PIPE, timeout=300)
    answers, rest = [], done.stdout
    while rest:
        header, rest = rest.split(b"\r\n\r\n", 1)
        size = int(header.split(b":")[1])
        answers.append(json.loads(rest[:size]))
        rest = rest[size:]
    return answers[hello:], done.returncode


def opened(text):
    return {"method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///a.mlir", "text": text}}}


def ask(number, method, line, character):
    parameters = {"textDocument": {"uri": "file:///a.mlir"}, "position": {"line": line, "character": character}}
    return {"id": number, "method": f"textDocument/{method}", "params": parameters}


BYE = ({"id": 99, "method": "shutdown"}, {"method": "exit"})


def test_starts_and_stops():
    early = ask(7, "hover", 0, 0)
    answers, status = converse(early, opened(TEXT), HELLO, HELLO, {"method": "initialized", "params": {}}, BYE[0], early, BYE[1],
                               hello=False)
    offered = answers[1]["result"]["capabilities"]
    assert offered["hoverProvider"] and offered["definitionProvider"] and offered["documentFormattingProvider"]
    assert offered["textDocumentSync"] == {"openClose": True, "change": 2}
    assert answers[3] == {"id": 99, "jsonrpc": "2.0", "result": None} and status == 0
    # before initialize, a second time, after shutdown
    assert [answers[i]["error"]["code"] for i in (0, 2, 4)] == [-32002, -32600, -32600] and len(answers) == 5
    assert converse({"method": "exit"})[1] == 1


def test_diagnostics_follow_the_text():
    good = TEXT.replace("  %é = arith.addi %a, %a : i32\n", "")
    change = {"method": "textDocument/didChange",
              "params": {"textDocument": {"uri": "file:///a.mlir"}, "contentChanges": [{"text": good}]}}
    answers, _ = converse(opened(good.replace("%1 : i32\n}", "%1 : f32\n}")), ask(1, "hover", 0, 0), change, *BYE)
    (first,), second = answers[0]["params"]["diagnostics"], answers[2]["params"]["diagnostics"]
    assert first["severity"] == 1 and first["range"]["start"]["line"] == 6 and "expects different type" in first["message"]
    assert second == []


def changed(*changes, uri="file:///a.mlir", version=None):
    return {"method": "textDocument/didChange",
            "params": {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)}}


def piece(text, *span):
    first, start, last, end = span
    return {"range": {"start": {"line": first, "character": start}, "end": {"line": last, "character": end}}, "text": text}


def whole(answers):
    """The texts after formatting."""
    return [a["result"][0]["newText"] if a["result"] else None for a in answers if isinstance(a.get("result"), list)]


FORMAT = {"id": 5, "method": "textDocument/formatting", "params": {"textDocument": {"uri": "file:///a.mlir"}}}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_changes_of_ranges(end):
    # columns count UTF-16 units: an umlaut is one of them, an emoji two
    text = f'func.func private @f() attributes {{a = "é\U0001f600x"}}{end}func.func private @g(){end}'
    edits = changed(piece("y", 0, 43, 0, 44), piece("@h", 1, 18, 1, 20), piece("", 0, 0, 0, 5), piece("func.", 0, 0, 0, 0), version=4)
    answers, _ = converse(opened(text), edits, ask(1, "hover", 1, 19), ask(2, "hover", 0, 20), *BYE)
    if end != "\r":
        assert answers[0]["params"] == {"uri": "file:///a.mlir", "version": 4, "diagnostics": []}
    words = [a["result"]["contents"]["value"] for a in answers if a.get("id") in (1, 2)]
    assert "@h()" in words[0] and '"é\U0001f600y"' in words[-1]
    # beyond a line's end is its end, beyond the last line the text's; reversed ranges are swapped
    answers, _ = converse(opened("a" + end + "b"), changed(piece("X", 0, 99, 0, 99), piece("Y", 77, 0, 9, 9), piece("Z", 1, 1, 1, 0)),
                          ask(1, "hover", 0, 0), *BYE)
    assert answers[-2]["id"] == 1


def test_changes_that_wait_are_read_once():
    edits = [changed({"text": TEXT + "// %d" % i}, version=i) for i in range(50)]
    answers, status = converse(opened(TEXT), *edits, *BYE)
    assert len(answers) == 2 and answers[0]["params"]["version"] == 49 and status == 0


def test_cancelled_requests():
    cancel = {"method": "$/cancelRequest", "params": {"id": 2}}
    answers, _ = converse(opened(TEXT), ask(1, "hover", 5, 10), ask(2, "hover", 5, 10), ask("2", "hover", 5, 10), cancel,
                          ask(2, "hover", 5, 10), *BYE)
    assert [(a["id"], "error" in a) for a in answers[1:]] == [(1, False), (2, True), ("2", False), (2, False), (99, False)]
    assert answers[2]["error"]["code"] == -32800


def test_several_documents():
    other = opened("func.func @f() { return }\n")
    other["params"]["textDocument"]["uri"] = "file:///b.mlir"
    close = {"method": "textDocument/didClose", "params": {"textDocument": {"uri": "file:///a.mlir"}}}
    answers, _ = converse(opened("func.func @f() {"), other, ask(1, "hover", 0, 2), close, ask(2, "hover", 0, 2), *BYE)
    reports = [(a["params"]["uri"][-6:], len(a["params"]["diagnostics"])) for a in answers if "method" in a]
    assert reports == [("a.mlir", 1), ("a.mlir", 0), ("b.mlir", 0)]
    assert "result" in answers[1] and [a["error"]["code"] for a in answers if "error" in a] == [-32602]


def test_pieces_of_a_file_are_modules_of_their_own():
    text = "func.func @f() { return }\n// -----\nfunc.func @f() {\n  %0 = arith.constant 1 : i32\n  return %0 : i32\n}\n"
    answers, _ = converse(opened(text), ask(1, "hover", 3, 3), *BYE)
    (reports,) = answers[0]["params"]["diagnostics"]
    assert reports["range"]["start"] == {"line": 4, "character": 2} and "has 1 operands" in reports["message"]
    assert "%0 = arith.constant" in answers[1]["result"]["contents"]["value"]


@pytest.mark.parametrize("wrong, right", [
    ("%0 = arith.adi %a, %a : i32", "%0 = arith.addi %a, %a : i32"),
    ("%0 = arit.addi %a, %a : i32", "%0 = arith.addi %a, %a : i32"),
    ("%long_name = arith.addi %a, %a : i32\n  %0 = arith.addi %long_nam, %a : i32",
     "%long_name = arith.addi %a, %a : i32\n  %0 = arith.addi %long_name, %a : i32"),
    ("%0 = func.call @self(%a) : (i32) -> i32", "%0 = func.call @itself(%a) : (i32) -> i32"),
    ('%t = tensor.empty() : tensor<2x3xf32>\n  %0 = "stablehlo.transpose"(%t) <{permutation = array<i64: 1, 0>}> : '
     '(tensor<2x3xf32>) -> tensor<2x3xf32>',
     '%t = tensor.empty() : tensor<2x3xf32>\n  %0 = stablehlo.transpose %t, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>'),
])
def test_fixes(wrong, right):
    text = "func.func @itself(%%a: i32) -> i32 {\n  %s\n  return %%a : i32\n}\n"
    where = {"textDocument": {"uri": "file:///a.mlir"}, "context": {"diagnostics": []},
             "range": {"start": {"line": 0, "character": 0}, "end": {"line": 5, "character": 0}}}
    answers, _ = converse(opened(text % wrong), {"id": 1, "method": "textDocument/codeAction", "params": where}, *BYE)
    actions = answers[1]["result"]
    assert len(actions) == 1 and actions[0]["kind"] == "quickfix" and actions[0]["title"].startswith("Replace '")
    (edit,) = actions[0]["edit"]["changes"]["file:///a.mlir"]
    answers, _ = converse(opened(text % wrong), changed({**edit, "text": edit["newText"]}), FORMAT, *BYE)
    assert answers[0]["params"]["diagnostics"] == []
    assert whole(answers) == whole(converse(opened(text % right), FORMAT, *BYE)[0])


def test_formatting_keeps_comments_and_modules():
    text = """// first
func.func @f(%x: i32) -> i32 { // of f
      // sum
  %sum   = arith.addi %x,%x : i32   // twice
    return %sum : i32 }
// -----
module @named { // "quoted
// last
}"""
    want = """// first
func.func @f(%arg0: i32) -> i32 { // of f
  // sum
  %0 = arith.addi %arg0, %arg0 : i32 // twice
  return %0 : i32
}

// -----

module @named { // "quoted
}
// last
"""
    answers, _ = converse(opened(text), FORMAT, *BYE)
    assert whole(answers)[0].rstrip("\n") == want.rstrip("\n")
    again, _ = converse(opened(whole(answers)[0]), FORMAT, *BYE)
    assert whole(again) == [None]  # nothing to change
    answers, _ = converse(opened("func.func @f() {"), FORMAT, *BYE)
    assert answers[1]["error"]["code"] == -32803


def test_hover_shows_the_row():
    answers, _ = converse(opened(TEXT), ask(1, "hover", 5, 10), ask(2, "hover", 5, 6), *BYE)
    text = answers[1]["result"]["contents"]["value"]
    assert text.startswith("**arith.addi**") and "- `lhs`: signless-integer-like" in text and "overflowFlags" in text
    assert answers[2]["result"] is None


def test_definitions():
    answers, _ = converse(opened(TEXT), ask(1, "definition", 6, 26), ask(2, "definition", 6, 20),
                          ask(3, "definition", 5, 19), ask(4, "definition", 5, 10), *BYE)
    starts = [a["result"] and a["result"]["range"]["start"] for a in answers[1:5]]
    assert starts == [{"line": 5, "character": 2}, {"line": 0, "character": 10}, {"line": 3, "character": 16}, None]


def test_completion():
    answers, _ = converse(opened("  %0 = arith.ad"), ask(1, "completion", 0, 15), *BYE)
    labels = [item["label"] for item in answers[1]["result"]["items"]]
    assert labels == ["arith.addf", "arith.addi", "arith.addui_extended"]


def test_bad_messages_get_errors():
    answers, status = converse(b"{", {"id": 1, "method": "no/such"}, ask(2, "hover", 0, 0),
                               {"id": 3, "method": "textDocument/hover", "params": [1]}, *BYE)
    assert [a["error"]["code"] for a in answers[:4]] == [-32700, -32601, -32602, -32602] and status == 0
    wrong = [[1], 7, {"id": {}, "method": "shutdown"}, {"id": 1}]
    answers, status = converse(*(json.dumps(m).encode() for m in wrong), {"id": 1, "result": None}, {"method": "no/such"},
                               opened("\0\x01%"), ask(1, "hover", 0, 0), ask(2, "definition", 0, 2), *BYE)
    assert [a["error"]["code"] for a in answers[:4]] == [-32600] * 4 and "method" in answers[4] and status == 0
    for header in (b"Content-Length: x\r\n\r\n{}", b"Content-Length: 99999999999999999999\r\n\r\n", b"\r\n", b"Content-Length: 9\r\n\r\n{"):
        assert subprocess.run([SERVER], input=header, capture_output=True, timeout=300).returncode == 1


GOOD = """module {
  func.func @callee(%x: tensor<4x2xf32>, %y: i32) -> (i32, i32) {
    %0 = arith.addi %y, %y : i32
    return %0, %y : i32, i32
  }
  func.func @main(%x: i32, %t: tensor<4x2xf32>) -> i32 {
    %0:2 = func.call @callee(%t, %x) : (tensor<4x2xf32>, i32) -> (i32, i32)
    %1 = arith.addi %0#1, %x : i32
    return %1 : i32
  }
}
"""


def test_hover_shows_types():
    positions = [(6, 5), (7, 21), (3, 12), (2, 21), (6, 24), (8, 12)]
    answers, _ = converse(opened(GOOD), *(ask(i, "hover", *p) for i, p in enumerate(positions)), *BYE)
    words = [a["result"] and a["result"]["contents"]["value"] for a in answers[1:-1]]
    assert "%0 : i32, i32\n" in words[0] and words[0].endswith("func.call, line 7") and words[1] == words[0]
    assert "%0 : i32\n" in words[2] and words[2].endswith("arith.addi, line 3")
    assert "%y : i32\n" in words[3] and words[3].endswith("argument, line 2")
    assert "func.func @callee(" in words[4] and "%1 : i32\n" in words[5]
    # a text that cannot be parsed still gives the line
    answers, _ = converse(opened(TEXT), ask(1, "hover", 5, 3), *BYE)
    assert "%0 = arith.addi %a, %a : i32" in answers[1]["result"]["contents"]["value"]


def test_references_stay_in_their_function():
    with_all = {"context": {"includeDeclaration": True}}
    one, two = ask(1, "references", 7, 21), ask(2, "references", 2, 21)
    one["params"].update(with_all)
    three = ask(3, "references", 6, 24)
    three["params"].update(with_all)
    answers, _ = converse(opened(GOOD), one, two, three, *BYE)
    starts = [[(r["range"]["start"]["line"], r["range"]["start"]["character"]) for r in a["result"]] for a in answers[1:4]]
    assert starts == [[(6, 4), (7, 20)], [(2, 20), (2, 24), (3, 15)], [(1, 12), (6, 21)]]


def test_symbols():
    ask_symbols = {"id": 1, "method": "textDocument/documentSymbol",
                   "params": {"textDocument": {"uri": "file:///a.mlir"}}}
    answers, _ = converse(opened(GOOD), ask_symbols, *BYE)
    found = [(s["name"], s["range"]["start"]["line"], s["range"]["end"]["line"], s["selectionRange"]["start"]["character"])
             for s in answers[1]["result"]]
    assert found == [("@callee", 1, 4, 12), ("@main", 5, 9, 12)]
