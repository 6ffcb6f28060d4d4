"""ttlang-sim --dap: the Debug Adapter Protocol over standard input and output, for kernels in Python.

A reader thread answers the client's requests; the program runs in the main thread, which waits in a kernel's stop. What the
program writes becomes output events."""

import json
import os
import re
import signal
import sys
import threading

from . import _core
from .dap_values import Values
from .debugger import STAYS, evaluate

MAX_HEADER, MAX_BYTES = 1 << 12, 1 << 26
HOST = 1  # the id of the thread that is shown while no kernel has run; threads of cores follow
PLACED = re.compile(rb"(\S+?):(\d+):(?:(\d+):)? (?:error|warning|note): ")
TOOL = "ttlang-sim --dap"


class Broken(Exception):
    """The client's bytes are no message."""


class Failed(Exception):
    """A request that is answered with success: false."""


class Channel:
    """Messages with Content-Length over two files."""

    def __init__(self, source, sink):
        self.source, self.sink, self.lock, self.number = source, sink, threading.Lock(), 0

    def read(self):
        """The next message; None at the end of the input."""
        length, size = None, 0
        while True:
            line = self.source.readline(MAX_HEADER)
            size += len(line)
            if not line and not size:
                return None
            if not line.endswith(b"\n") or size > MAX_HEADER:
                raise Broken("expected header lines, such as 'Content-Length: 119', and an empty line")
            line = line.strip()
            if not line:
                break
            name, colon, value = line.partition(b":")
            if not colon:
                raise Broken(f"expected a header line, such as 'Content-Length: 119', not {show(line)}")
            if name.strip().lower() == b"content-length":
                if not value.strip().isdigit() or len(value) > 12 or int(value) > MAX_BYTES:
                    raise Broken(f"expected a Content-Length of at most {MAX_BYTES}, not {show(value.strip())}")
                length = int(value)
        if length is None:
            raise Broken("a message has no Content-Length")
        body = self.source.read(length)
        if len(body) < length:
            raise Broken(f"the input ends after {len(body)} of {length} bytes of a message")
        try:
            message = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise Broken(f"a message is not JSON: {error}") from None
        if not isinstance(message, dict) or message.get("type") != "request" or not isinstance(message.get("command"), str) \
                or not isinstance(message.get("arguments") or {}, dict):
            raise Broken('expected {"type": "request", "command": ..., "arguments": {...}}, not ' + show(body))
        return message

    def write(self, **message):
        with self.lock:
            self.number += 1
            body = json.dumps({"seq": self.number, **message}).encode()
            try:
                self.sink.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
                self.sink.flush()
            except (OSError, ValueError):
                pass  # the client has gone: the end of its input says so, too

    def event(self, name, **body):
        self.write(type="event", event=name, body=body)


def show(line):
    text = repr(bytes(line[:60]).decode(errors="replace"))
    return text + " ..." if len(line) > 60 else text


class Captured:
    """Bytes that the process writes into a file descriptor, as output events."""

    def __init__(self, channel, descriptor, category):
        self.channel, self.category, self.descriptor = channel, category, descriptor
        end, start = os.pipe()
        os.dup2(start, descriptor)
        os.close(start)
        self.file = os.fdopen(end, "rb", buffering=0)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        rest = b""
        while piece := self.file.read(1 << 16):
            *lines, rest = (rest + piece).split(b"\n")
            self.put([line + b"\n" for line in lines])
            if len(rest) > 1 << 16:
                self.put([rest])
                rest = b""
        self.put([rest] if rest else [])

    def put(self, lines):
        """One event for lines without a position, and one for each report of the grid, at its position."""
        plain = b""
        for line in lines:
            if not (placed := PLACED.match(line)):
                plain += line
                continue
            self.send(plain)
            plain = b""
            path = placed[1].decode(errors="replace")
            self.send(line, source=source(path), line=int(placed[2]), **({"column": int(placed[3])} if placed[3] else {}))
        self.send(plain)

    def send(self, text, **position):
        if text:
            self.channel.event("output", category=self.category, output=text.decode(errors="replace"), **position)

    def close(self):
        """The rest is sent; what a child process still writes is not awaited."""
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self.descriptor)
        os.close(null)
        self.thread.join(2)


def source(path):
    return {"name": os.path.basename(path), "path": os.path.abspath(path)}


class Breakpoint:
    def __init__(self, number, line):
        self.number, self.wanted, self.line, self.verified, self.message = number, line, line, False, "checked when a kernel runs"

    def settle(self, functions):
        """Moves to the next line with an operation in the function around it, or to the last one before; `functions` are those
        of kernels that have run, of the breakpoint's file."""
        before = self.line, self.verified, self.message
        around = [f for f in functions if f["lines"] and f.get("line", f["lines"][0]) <= self.wanted <= f["lines"][-1]]
        if around:
            lines = sorted({line for f in around for line in f["lines"]})
            self.line = next(line for line in lines if line >= self.wanted)
            self.verified, self.message = True, ""
        elif functions and not self.verified:
            lines = sorted({line for f in functions for line in f["lines"]}, key=lambda line: abs(line - self.wanted))
            self.message = f"line {self.wanted} is in no thread of a kernel that has run" + (f"; the nearest is {lines[0]}" if lines else "")
        return before != (self.line, self.verified, self.message)

    def body(self, path):
        found = {"id": self.number, "verified": self.verified, "line": self.line, "source": source(path)}
        return dict(found, message=self.message) if self.message else found


class Session:
    """The state between the client's requests and the runs of kernels. Its lock is held by the reader while it answers, and by the
    main thread while a stop begins."""

    def __init__(self, channel):
        self.channel, self.lock, self.resumed = channel, threading.RLock(), threading.Condition()
        self.started, self.finished = threading.Event(), threading.Event()
        self.launched, self.ends, self.left = None, False, threading.Event()
        self.stop = self.values = self.running = None
        self.breakpoints, self.functions, self.number = {}, {}, 0
        self.threads = []  # of the last stop
        self.stale = False  # breakpoints have changed since the last stop
        self.entry = self.pauses = False  # the client wants a stop
        self.stepping = None

    # ---- in the main thread ----

    def run(self, launch):
        """Instead of launch.run."""
        with self.lock:
            self.running = launch
            _core.launch_pause(launch._at)  # breakpoints are set at the first operation, where lines are known
            self.stale = True
        try:
            launch.debug(self.on_stop)
        except KeyboardInterrupt:
            sys.exit(1)
        finally:
            with self.lock:
                self.running = self.stepping = None
                self.threads = []

    def on_stop(self, at):
        with self.lock:
            at.describe()
            self.threads = at.state["threads"]
            if self.stale:
                self.set_breaks(at)
            reason = "terminate" if self.ends else self.reason(at)
            if not reason:
                self.go_on(at)
            elif self.ends:
                at.command("quit")
            else:
                self.stop, self.values, self.stepping = at, Values(at), None
                self.entry = self.pauses = False
                self.channel.event("stopped", reason=reason[0], description=reason[1], threadId=at.state["stopped"] + HOST + 1, allThreadsStopped=True,
                                   **({"hitBreakpointIds": reason[2]} if reason[2] else {}))
        if at.next == STAYS:
            with self.resumed:
                self.resumed.wait_for(lambda: at.next != STAYS)
        with self.lock:
            self.stop = self.values = None

    def go_on(self, at):
        """Past a stop that the client did not ask for, with the step that it did ask for."""
        thread, command = self.stepping or (None, "continue")
        if thread is not None:
            t = at.state["threads"][thread]
            at.command(f"thread {t['y']},{t['x']}:{t['name']}")
        at.command(command)

    def set_breaks(self, at):
        """Gives the run the breakpoints of the client, and says where they are."""
        self.stale = False
        for function in at.state["code"]:
            if "file" in function:
                self.functions[os.path.realpath(function["file"]), function["name"], function.get("line")] = function
        while not at.command("delete 0").startswith("there is no"):
            continue
        for path, breakpoints in self.breakpoints.items():
            for each in breakpoints:
                if each.settle(self.functions_of(path)):
                    self.channel.event("breakpoint", reason="changed", breakpoint=each.body(path))
            for line in {each.line for each in breakpoints}:
                at.command(f"break *:*:{line}")

    def functions_of(self, path):
        return [f for (file, _, _), f in self.functions.items() if file == os.path.realpath(path)]

    def reason(self, at):
        """(the protocol's word, a description, ids of breakpoints), or None where the run goes on."""
        why, thread = at.state["why"], at.state["threads"][at.state["stopped"]]
        hit = []
        for path, each in self.all_breakpoints():
            if "file" in thread and each.line == thread["line"] and os.path.realpath(thread["file"]) == os.path.realpath(path):
                hit.append(each.number)
                if not each.verified:  # in C++, whose lines are known once they run
                    each.verified, each.message = True, ""
                    self.channel.event("breakpoint", reason="changed", breakpoint=each.body(path))
        if why == "breakpoint()":
            return "breakpoint", why, hit
        if why == "step":
            return "step", "Step", hit
        if self.entry:
            return "entry", "The first operation of a kernel", hit
        if hit:
            return "breakpoint", "Breakpoint", hit
        if why == "pause" and self.pauses:
            return "pause", "Pause", []
        return None

    def all_breakpoints(self):
        return [(path, each) for path, breakpoints in self.breakpoints.items() for each in breakpoints]

    # ---- requests, in the reader ----

    def serve(self):
        """Answers requests until the client disconnects; what ends the session, or None."""
        while not self.left.is_set():
            try:
                message = self.channel.read()
            except Broken as error:
                return str(error)
            if message is None:
                return None if self.finished.is_set() else "the input has ended before a disconnect request"
            self.answer(message)
        return None

    def answer(self, message):
        command, arguments = message["command"], message.get("arguments") or {}
        answer = {"type": "response", "request_seq": message.get("seq", 0), "command": command}
        after = None
        with self.lock:
            try:
                request = REQUESTS.get(command)
                if not request:
                    raise Failed(f"there is no request '{command}'")
                done = request(self, arguments)
                body, after = done if isinstance(done, tuple) else (done, None)
                answer.update(success=True, **({"body": body} if body is not None else {}))
            except Failed as error:
                answer.update(success=False, message=str(error), body={"error": {"id": 1, "format": str(error).replace("{", "(").replace("}", ")")}})
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                answer.update(success=False, message=f"the arguments of '{command}' are not as expected: {type(error).__name__}: {error}")
            self.channel.write(**answer)
            if after:
                after()

    def initialize(self, arguments):
        return {"supportsConfigurationDoneRequest": True, "supportsTerminateRequest": True, "supportsEvaluateForHovers": True,
                "supportsSteppingGranularity": True}, lambda: self.channel.event("initialized")

    def launch(self, arguments):
        program, given = arguments.get("program"), arguments.get("args") or []
        if self.launched:
            raise Failed("a program is launched already")
        if not isinstance(program, str) or not os.path.isfile(program):
            raise Failed(f"no file '{program}'; \"program\" names a Python file with kernels")
        if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
            raise Failed('"args" is a list of strings')
        cwd, environment = arguments.get("cwd"), arguments.get("env") or {}
        if cwd is not None and not (isinstance(cwd, str) and os.path.isdir(cwd)):
            raise Failed(f"no folder '{cwd}'; \"cwd\" names one")
        if not isinstance(environment, dict) or not all(isinstance(value, str) for value in environment.values()):
            raise Failed('"env" is an object of strings')
        self.entry = bool(arguments.get("stopOnEntry"))
        self.launched = os.path.abspath(program), given, cwd, environment

    def configuration_done(self, arguments):
        if not self.launched:
            raise Failed("there is no program: a launch request comes first")
        return None, self.started.set

    def set_breakpoints(self, arguments):
        path = arguments["source"].get("path")
        wanted = [each["line"] for each in arguments["breakpoints"]] if "breakpoints" in arguments else arguments.get("lines", [])
        if not path or not all(type(line) is int and 0 < line < 2**31 for line in wanted):
            raise Failed('expected "source" with a path, and breakpoints with positive lines')
        made = []
        for line in wanted:
            self.number += 1
            made.append(Breakpoint(self.number, line))
            made[-1].settle(self.functions_of(path))
        self.breakpoints[path], self.stale = made, True
        if self.stop:
            self.set_breaks(self.stop)
        elif self.running:
            _core.launch_pause(self.running._at)
        return {"breakpoints": [each.body(path) for each in made]}

    def threads_(self, arguments):
        found = [{"id": HOST + 1 + i, "name": f"{t['name']} on core {t['y']},{t['x']}"} for i, t in enumerate(self.threads)]
        return {"threads": found or [{"id": HOST, "name": "host"}]}

    def stopped(self):
        if not self.stop:
            raise Failed("the program runs; expected a stop in a kernel")
        return self.stop

    def at_thread(self, number):
        """The stop, looking at the thread of this id."""
        at, i = self.stopped(), number - HOST - 1
        if not 0 <= i < len(self.threads):
            raise Failed(f"there is no thread {number}")
        t = self.threads[i]
        at.command(f"thread {t['y']},{t['x']}:{t['name']}")
        return at

    def stack_trace(self, arguments):
        self.at_thread(arguments["threadId"])
        t = self.threads[arguments["threadId"] - HOST - 1]
        frame = {"id": arguments["threadId"], "name": f"{t['name']} ({t['state']}), cycle {t['cycle']:.0f}", "line": t.get("line", 0), "column": 1 if "line" in t else 0}
        if "file" in t:
            frame["source"] = source(t["file"])
        return {"stackFrames": [frame][arguments.get("startFrame") or 0:], "totalFrames": 1}

    def scopes(self, arguments):
        self.at_thread(arguments["frameId"])
        return {"scopes": self.values.scopes(arguments["frameId"] - HOST - 1)}

    def variables(self, arguments):
        self.stopped()
        thread = self.values.thread_of(arguments["variablesReference"])
        if thread is None:
            raise Failed("these variables are of an earlier stop")
        self.at_thread(thread + HOST + 1)
        return {"variables": self.values.variables(arguments["variablesReference"], arguments.get("start") or 0, arguments.get("count") or 0,
                                                   arguments.get("filter"))}

    def evaluate(self, arguments):
        text = arguments["expression"].strip()
        thread = arguments.get("frameId") or self.stopped().state["stopped"] + HOST + 1
        at = self.at_thread(thread)
        found = self.values.named(thread - HOST - 1, text)
        if found:
            return {"result": found["value"], **{k: v for k, v in found.items() if k not in ("name", "value")}}
        if arguments.get("context") != "repl":
            raise Failed(f"there is no block, circular buffer, semaphore or tile of DST '{text}'; there are {', '.join(self.values.names(thread - HOST - 1))}")
        if text.startswith("p "):
            return {"result": evaluate(at, text[2:]).rstrip("\n"), "variablesReference": 0}
        return {"result": at.command(text).rstrip("\n"), "variablesReference": 0}, self.resume if at.next != STAYS else None

    def resume(self):
        """The stop goes on: a command has set how."""
        with self.resumed:
            self.stop = self.values = None
            self.resumed.notify_all()

    def go(self, number, command):
        at = self.at_thread(number) if number is not None else self.stopped()

        def after():
            self.stepping = (number - HOST - 1, command) if command.startswith("step") else None
            at.command(command)
            self.resume()
        return after

    def continue_(self, arguments):
        return {"allThreadsContinued": True}, self.go(None, "continue")

    def next(self, arguments):
        return None, self.go(arguments["threadId"], "stepi" if arguments.get("granularity") == "instruction" else "step")

    def step_in(self, arguments):
        return None, self.go(arguments["threadId"], "stepi")

    def step_out(self, arguments):
        return None, self.go(arguments["threadId"], "continue")

    def pause(self, arguments):
        if self.stop or self.finished.is_set():
            raise Failed("the program has stopped already" if self.stop else "the program has ended")
        self.pauses = True
        if self.running:
            _core.launch_pause(self.running._at)

    def end(self):
        """Ends the program: where it stops, or by an interrupt."""
        if self.ends:
            return
        self.ends = True
        self.started.set()
        if self.stop:
            self.stop.command("quit")
            self.resume()
        elif not self.finished.is_set() and self.launched:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    def terminate(self, arguments):
        return None, self.end

    def disconnect(self, arguments):
        def after():
            self.left.set()
            self.end()
        return None, after


REQUESTS = {"initialize": Session.initialize, "launch": Session.launch, "setBreakpoints": Session.set_breakpoints, "configurationDone": Session.configuration_done,
            "threads": Session.threads_, "stackTrace": Session.stack_trace, "scopes": Session.scopes, "variables": Session.variables,
            "evaluate": Session.evaluate, "continue": Session.continue_, "next": Session.next, "stepIn": Session.step_in, "stepOut": Session.step_out,
            "pause": Session.pause, "terminate": Session.terminate, "disconnect": Session.disconnect}


def main(run_file):
    """Serves one session; `run_file(path, *arguments)` runs a program. Ends the process."""
    channel = Channel(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
    errors = os.dup(2)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)  # the program's input is empty
    captured = [Captured(channel, 1, "stdout"), Captured(channel, 2, "stderr")]
    session, broken = Session(channel), []
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.breakpointhook = lambda *_, **__: print("breakpoint() outside of a kernel's threads does not stop here", file=sys.stderr)

    def read():
        wrong = session.serve()
        if wrong:
            broken.append(wrong)
            os.write(errors, f"{TOOL}: error: {wrong}\n".encode())
        if not session.left.is_set():  # the client has gone
            with session.lock:
                session.left.set()
                session.end()
        if not session.finished.wait(5):  # what cannot be interrupted is left
            os._exit(1)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    code = 0
    try:
        session.started.wait()
        if session.launched and not session.ends:
            code = run_program(session, run_file)
    except KeyboardInterrupt:  # between the program's end and here
        code = 1
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for file in (sys.stdout, sys.stderr):
        file.flush()
    for each in captured:
        each.close()
    with session.lock:
        session.finished.set()
        if session.launched:
            channel.event("exited", exitCode=code)
            channel.event("terminated")
    session.left.wait(10)  # for the disconnect request
    os._exit(1 if broken else 0)  # the reader may be in a read


def run_program(session, run_file):
    """The program's status, as Python's own."""
    program, arguments, cwd, environment = session.launched
    os.environ.update(environment)
    if cwd:
        os.chdir(cwd)
    sys.stdout.reconfigure(line_buffering=True)
    try:
        from ttl import searches

        searches.runner = session.run
        run_file(program, *arguments)
    except SystemExit as error:
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
        return error.code if isinstance(error.code, int) else 0 if error.code is None else 1
    except KeyboardInterrupt:
        return 1
    except BaseException:
        import traceback

        traceback.print_exc()
        return 1
    return 0
