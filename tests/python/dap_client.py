"""A client of the Debug Adapter Protocol, for tests of both adapters."""

import json
import os
import queue
import subprocess
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TW_BUILD", ROOT / "build")).resolve()
LIMIT = 30  # seconds, for anything

# Bytes that are no message, and what is said of them.
NO_MESSAGES = [
    (b"hello\r\n\r\n", "expected a header line"),
    (b"Content-Length: x\r\n\r\n", "expected a Content-Length"),
    (b"Content-Length: 99999999999\r\n\r\n", "expected a Content-Length of at most"),
    (b"Content-Type: json\r\n\r\n", "has no Content-Length"),
    (b"Content-Length: 5\r\n\r\n{\"a\":", "is not JSON"),
    (b"Content-Length: 2\r\n\r\n[]", 'expected {"type": "request"'),
    (b"Content-Length: 50000\r\n\r\n" + b"[" * 50000, "is not JSON"),
    (b"Content-Length: 9\r\n\r\n{}", "the input ends after 2 of 9 bytes"),
    (b"x" * 10000, "expected header lines"),
    (b"", "the input has ended before a disconnect request"),
]


class Client:
    def __init__(self, *command, environment=()):
        self.process = subprocess.Popen([BUILD / "bin" / command[0], *command[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=dict(os.environ, **dict(environment)))
        self.messages, self.events, self.number = queue.Queue(), [], 0
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        out = self.process.stdout
        while header := out.readline():
            assert header.lower().startswith(b"content-length: ")
            assert out.readline() == b"\r\n"
            self.messages.put(json.loads(out.read(int(header.split(b":")[1]))))
        self.messages.put(None)

    def take(self):
        message = self.messages.get(timeout=LIMIT)
        if message and message["type"] == "event":
            self.events.append(message)
        return message

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def ask(self, command, **arguments):
        """The response."""
        self.number += 1
        body = json.dumps({"seq": self.number, "type": "request", "command": command, "arguments": arguments}).encode()
        self.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        while True:
            message = self.take()
            assert message, f"ended before the answer to {command}"
            if message["type"] == "response":
                assert (message["request_seq"], message["command"]) == (self.number, command)
                return message

    def get(self, command, **arguments):
        answer = self.ask(command, **arguments)
        assert answer["success"], answer
        return answer.get("body")

    def fails(self, command, **arguments):
        answer = self.ask(command, **arguments)
        assert not answer["success"]
        return answer["message"]

    def wait(self, name):
        """The first event of this name that was not waited for yet."""
        while True:
            for i, event in enumerate(self.events):
                if event["event"] == name:
                    return self.events.pop(i)["body"] if "body" in event else None
            assert self.take(), f"ended before {name}"

    def start(self, *lines, program, path=None, **arguments):
        self.get("initialize", adapterID="tilewright")
        self.wait("initialized")
        self.get("launch", program=str(program), **arguments)
        found = self.get("setBreakpoints", source={"path": str(path or program)}, breakpoints=[{"line": n} for n in lines])["breakpoints"]
        self.get("configurationDone")
        return found

    def where(self, stopped):
        frame, = self.get("stackTrace", threadId=stopped["threadId"])["stackFrames"]
        return frame["name"].split()[0], frame["line"]

    def thread(self, name):
        return next(t["id"] for t in self.get("threads")["threads"] if t["name"] == name)

    def scope(self, frame, name):
        scopes = {s["name"]: s["variablesReference"] for s in self.get("scopes", frameId=frame)["scopes"]}
        assert list(scopes) == ["Blocks", "Circular buffers", "Semaphores", "DST"]
        return self.children(scopes[name])

    def children(self, reference, **piece):
        return self.get("variables", variablesReference=reference, **piece)["variables"]

    def text(self, category):
        return "".join(e["body"]["output"] for e in self.events if e["event"] == "output" and e["body"]["category"] == category)

    def end(self):
        """Leaves; the status of the process."""
        self.get("disconnect")
        return self.process.wait(LIMIT)
