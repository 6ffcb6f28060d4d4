"""ttmlir-lsp-server: one session over standard input and output."""

import json
import subprocess
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


def converse(*messages):
    """What the server says to the messages, and its exit status."""
    body = b""
    for message in messages:
        data = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
        body += b"Content-Length: %d\r\n\r\n%s" % (len(data), data)
    done = subprocess.run([SERVER], input=body, stdout=subprocess.PIPE, timeout=60)
    answers, rest = [], done.stdout
    while rest:
        header, rest = rest.split(b"\r\n\r\n", 1)
        size = int(header.split(b":")[1])
        answers.append(json.loads(rest[:size]))
        rest = rest[size:]
    return answers, done.returncode


def opened(text):
    return {"method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///a.mlir", "text": text}}}


def ask(number, method, line, character):
    place = {"textDocument": {"uri": "file:///a.mlir"}, "position": {"line": line, "character": character}}
    return {"id": number, "method": f"textDocument/{method}", "params": place}


BYE = ({"id": 99, "method": "shutdown"}, {"method": "exit"})


def test_starts_and_stops():
    answers, status = converse({"id": 1, "method": "initialize", "params": {}}, *BYE)
    offered = answers[0]["result"]["capabilities"]
    assert offered["hoverProvider"] and offered["definitionProvider"] and offered["textDocumentSync"] == 1
    assert answers[1] == {"id": 99, "jsonrpc": "2.0", "result": None} and status == 0
    assert converse({"method": "exit"})[1] == 1


def test_diagnostics_follow_the_text():
    good = TEXT.replace("  %é = arith.addi %a, %a : i32\n", "")
    change = {"method": "textDocument/didChange",
              "params": {"textDocument": {"uri": "file:///a.mlir"}, "contentChanges": [{"text": good}]}}
    answers, _ = converse(opened(good.replace("%1 : i32\n}", "%1 : f32\n}")), change, *BYE)
    (first,), second = answers[0]["params"]["diagnostics"], answers[1]["params"]["diagnostics"]
    assert first["severity"] == 1 and first["range"]["start"]["line"] == 6 and "expects different type" in first["message"]
    assert second == []


def test_hover_tells_the_row():
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


def test_hover_tells_types():
    places = [(6, 5), (7, 21), (3, 12), (2, 21), (6, 24), (8, 12)]
    answers, _ = converse(opened(GOOD), *(ask(i, "hover", *p) for i, p in enumerate(places)), *BYE)
    said = [a["result"] and a["result"]["contents"]["value"] for a in answers[1:-1]]
    assert "%0 : i32, i32\n" in said[0] and said[0].endswith("func.call, line 7") and said[1] == said[0]
    assert "%0 : i32\n" in said[2] and said[2].endswith("arith.addi, line 3")
    assert "%y : i32\n" in said[3] and said[3].endswith("argument, line 2")
    assert "func.func @callee(" in said[4] and "%1 : i32\n" in said[5]
    # a text that cannot be read still tells the line
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
