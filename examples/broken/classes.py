"""Classes of kernel errors, and the kernels here that show each. A file's head has the exact report,
which tests/python/test_sim_broken.py compares.

python3 examples/broken/classes.py > docs/kernel-errors.md    generates the page."""

from pathlib import Path

HERE = Path(__file__).parent
LANGUAGES = {"IR": ("", ".mlir"), "C++": ("cpp/", ".cpp"), "Python": ("ttl/", ".py")}  # where the kernels are
# Mistakes that Python cannot express: why, and the test of tests/python/test_broken_classes.py that shows what happens instead.
NEVER = {
    "dst-protocol": ("the compiler writes acquire, commit, wait and release", "test_dst_is_taken_and_given_back"),
    "dst-capacity": ("expressions that exceed DST are split", "test_expressions_larger_than_dst"),
    "inits": ("the compiler writes the init that each operation needs", "test_each_operation_has_its_init"),
    "packets": ("copies are cut into packets", "test_copies_of_many_packets"),
    "barriers": ("`wait()` is the barrier of its own copy's NoC", "test_waits_are_for_their_copies"),
    "order": ("`wait()` ends a copy before anything is signalled", "test_data_comes_before_its_signal"),
    "multicasts": ("a pipe waits until its words have left", "test_pipes_one_after_the_other"),
}
# Name, what hardware does, and in each language the kernels, or one of NEVER.
CLASSES = [
    ("More pages reserved or waited for than a circular buffer has", "waits for ever",
     ["cb-overflow"], ["cb-overflow"], ["cb-overflow"]),
    ("Push without reserve, pop without wait", "the sides' pointers drift apart, wrong data later",
     ["cb-push-without-reserve", "cb-pop-without-wait"], ["cb-push-without-reserve", "cb-pop-without-wait"],
     ["cb-push-without-reserve", "cb-pop-without-wait"]),
    ("Reserved and never pushed, waited for and never popped", "the other side waits for ever",
     ["cb-never-pushed", "cb-never-popped"], ["cb-never-pushed", "cb-never-popped"], ["cb-never-pushed", "cb-never-popped"]),
    ("Reads or writes outside of the pages that were granted", "wrong data",
     ["cb-window", "cb-write-window", "cb-landing"], ["cb-window", "cb-write-window", "cb-landing"], ["cb-window"]),
    ("Pages that do not divide the ring, or of another size than the tensor's", "wrong addresses beyond the end",
     ["cb-wrap", "page-size"], ["cb-wrap", "page-size"], ["page-size"]),
    ("DST used without acquire, packed before commit and wait, not released", "a race, a stale tile, or a hang",
     ["dst-without-acquire", "dst-pack-before-wait", "dst-not-committed", "dst-not-released"],
     ["dst-without-acquire", "dst-pack-before-wait", "dst-not-committed", "dst-not-released"], "dst-protocol"),
    ("A tile of DST beyond its capacity", "wraps into the other half", ["dst-range"], ["dst-range"], "dst-capacity"),
    ("A tile of DST overwritten unread, or read unwritten", "a stale tile",
     ["dst-lost-tile", "dst-never-written"], ["dst-lost-tile", "dst-never-written"], ["dst-lost-tile"]),
    ("Another format than the unpackers or the packer are set up for", "silent garbage",
     ["format-not-reconfigured", "format-unpack"], ["format-not-reconfigured"], ["format-of-result"]),
    ("A missing init, or another operation's", "silent garbage, or a hang",
     ["init-missing", "init-wrong", "startup-missing"], ["init-missing", "init-wrong", "startup-missing"], "inits"),
    ("16- and 32-bit views of DST mixed", "scrambled rows",
     ["format-int-in-16-bit-dst"], ["dst-integers-in-16-bits"], ["dtype-mixed"]),
    ("L1 outside of the program's buffers, or another core's page of a tensor", "another buffer, or the firmware, is damaged",
     ["l1-stray-store", "noc-page-range"], ["l1-stray-store", "noc-page-range"],
     ["l1-stray-store", "noc-page-range", "noc-page-range-at-run-time"]),
    ("More circular buffers and tensors than L1 holds", "an allocation fails, or buffers overlap",
     ["l1-full", "l1-overlap"], ["l1-full", "l1-tensors"], ["l1-full", "l1-tensors", "too-many-buffers"]),
    ("Addresses of a transfer that differ in alignment", "data arrives shifted",
     ["noc-alignment"], ["noc-alignment"], ["noc-alignment"]),
    ("More than a packet by a one-packet call", "the rest is cut off",
     ["noc-packet-too-long"], ["noc-packet-too-long"], "packets"),
    ("Data used before the barrier, its source reused before it has left", "depends on timing",
     ["barrier-missing-read", "barrier-missing-write"], ["barrier-missing-read", "barrier-missing-write"], ["barrier-missing"]),
    ("A barrier on another NoC, or for another transaction id", "depends on timing",
     ["barrier-wrong-noc", "barrier-wrong-id"], ["barrier-wrong-noc", "barrier-wrong-id"], "barriers"),
    ("Data and its arrival signal on different NoCs", "wrong data, rarely", ["noc-order"], ["noc-order"], "order"),
    ("Two unordered accesses to L1 or DRAM", "wrong data, rarely",
     ["l1-race", "l1-race-two-threads", "dram-race"], ["l1-race", "l1-race-two-threads", "dram-race"], ["dram-race"]),
    ("Threads that wait for each other", "hangs until it is reset",
     ["deadlock-mutual"], ["deadlock-mutual"], ["deadlock-mutual", "deadlock-counts"]),
    ("A semaphore counted past the awaited value, or set while it is counted up", "hangs, or a wake-up is lost",
     ["semaphore-overshoot", "semaphore-reset"], ["semaphore-overshoot", "semaphore-reset"], ["semaphore-overshoot"]),
    ("A multicast's sender, count, corners or rectangle", "hangs at the barrier, or data is missing",
     ["multicast-sender", "multicast-count", "multicast-corners", "multicast-no-workers"],
     ["multicast-sender", "multicast-count", "multicast-corners", "multicast-no-workers"], ["coordinates-outside"]),
    ("A word changed while a multicast still sends it", "hangs, rarely",
     ["semaphore-overwritten"], ["semaphore-overwritten"], "multicasts"),
    ("Ends of a pipe whose send and receive counts differ", "hangs",
     ["deadlock-unmatched-pipe"], ["deadlock-unmatched-pipe"], ["deadlock-unmatched-pipe"]),
    ("Reads of uninitialised memory", "bytes of an earlier program",
     ["uninitialised-read"], ["uninitialised-read"], ["uninitialised-read", "empty-tensor"]),
    ("Padding that enters results", "values are slightly wrong", ["padding", "padded-operand"],
     ["padding", "padded-operand"], ["padding", "padded-operand"]),
    ("The packer accumulates block floats in L1, or onto uninitialised memory", "wrong sums",
     ["l1-accumulate-block-float", "l1-accumulate-not-reset"], ["l1-accumulate-block-float", "l1-accumulate-not-reset"],
     ["l1-accumulate-block-float"]),
    ("Logical coordinates for translated ones, cores outside of the grid", "hangs, or another core gets it",
     ["coordinates-logical"], ["coordinates-logical"], ["coordinates-outside"]),
    ("Arguments that a launch does not give", "garbage", ["argument-missing"], ["argument-missing"], ["argument-missing"]),
    ("A tensor freed while a program still uses it", "another tensor's bytes", ["tensor-freed"], ["tensor-freed"], ["tensor-freed"]),
    ("A loop that never ends", "hangs until it is reset", ["endless-loop"], ["endless-loop"], ["endless-loop"]),
]
PAGE = """# Kernel errors and their reports

{classes} classes of mistakes, and {kernels} kernels that make them: {each}. Each file's head has the expected report;
`tests/python/test_sim_broken.py` compares it with the actual one: every report, its lines, and no other one. After each of them the same
device runs a correct kernel. Where a language cannot make a mistake, the table gives the reason; a test of
`tests/python/test_broken_classes.py` shows what happens instead.

False alarms: none in the kernels of all examples and tests, nor in 1,000 generated ones under 20 orders of their threads each
(`make generated`; `make check` runs some of them).

This page is generated by `examples/broken/classes.py`, which has the table.

| | mistake | on hardware | IR | C++ | Python |
|---|---|---|---|---|---|
"""


def path(language, name):
    folder, suffix = LANGUAGES[language]
    return f"{folder}{name}{suffix}"


def cell(language, kernels):
    if isinstance(kernels, str):
        return f"cannot: {NEVER[kernels][0]}"
    return ", ".join(f"[{name}](../examples/broken/{path(language, name)})" for name in kernels)


def page():
    counts = {language: len({k for row in CLASSES if not isinstance(row[i], str) for k in row[i]})
              for i, language in enumerate(LANGUAGES, 2)}
    text = PAGE.format(classes=len(CLASSES), kernels=sum(counts.values()),
                       each=", ".join(f"{n} in {language}" for language, n in counts.items()))
    for number, (name, hardware, *kernels) in enumerate(CLASSES, 1):
        cells = [cell(language, k) for language, k in zip(LANGUAGES, kernels)]
        text += f"| {number} | {name} | {hardware} | {' | '.join(cells)} |\n"
    return text


if __name__ == "__main__":
    print(page(), end="")
