# SPDX-License-Identifier: MIT
"""A log of the module `events` as what can be compared between runtimes: words in order per thread, and bags.

The programs' own types are in the namespace Own; what the class libraries do among themselves is theirs. A *story* is
what one thread was told of the program's own methods, exceptions, monitors and finalised objects, in order. Where it
is chance which thread does what (the pool, the finaliser), a story is cut into *pieces*: what was told from an
outermost call to its end. Events that are not a thread's own (loading, handles, allocation, names) are bags by event.
"""
import collections
import re

LINE = re.compile(r"\s*([\d.]+)\s+(\d+)\s+(\w+)(.*)$")
VALUE = re.compile(r" (\w+)=(.*?)(?= \w+=|$)")
LASTED = re.compile(r" \([\d.]+ us\)$")
LOST = re.compile(r"--- (\d+) lines of thread (\d+) are missing")

INITIALISER = re.compile(r":\.cctor ")

# What opens and closes a piece.
OPENS = {"enter", "contention", "finalizing"}
CLOSES = {"leave", "unwound", "tail-call", "acquired", "gave-up", "finalized"}

# Exceptions that the runtime raises in the program's own code. Others that are not its own, class libraries throw.
RAISED = {"System." + name for name in (
    "NullReferenceException", "DivideByZeroException", "IndexOutOfRangeException", "InvalidCastException",
    "ArrayTypeMismatchException", "OverflowException", "TypeInitializationException", "DllNotFoundException",
    "EntryPointNotFoundException", "InvalidOperationException", "Threading.ThreadInterruptedException")}


class Line:
    """One event: when, on which thread, and its arguments as text."""
    __slots__ = ("time", "thread", "event", "rest", "parsed")

    def __init__(self, time, thread, event, rest):
        self.time, self.thread, self.event, self.rest, self.parsed = time, thread, event, rest, None

    @property
    def values(self):
        if self.parsed is None:
            self.parsed = dict(VALUE.findall(LASTED.sub("", self.rest)))
        return self.parsed

    def __str__(self):
        return "%s %s %s%s" % (self.time, self.thread, self.event, self.rest)


class Log:
    """Lines in order; `lost` of them are missing; `odd` are what is no line, a last one without its end left out."""

    def __init__(self, text="", lines=()):
        self.lines, self.lost, self.odd, self.parted = list(lines), 0, [], None
        whole, end, _cut = text.rpartition("\n")
        for line in (whole + end).splitlines():
            found = LINE.match(line)
            lost = None if found else LOST.match(line)
            if found:
                self.lines.append(Line(*found.groups()))
            elif lost:
                self.lost += int(lost[1])
            elif not line.startswith("#"):
                self.odd.append(line)

    def of(self, *events):
        return [line for line in self.lines if line.event in events]

    def programs(self):
        """Where one program after the other ran in a process (../programs/each.cs): {name: the log of its time}."""
        if self.parted is None:
            self.parted, begin = {}, None
            for at, line in enumerate(self.lines):
                if begins(line):
                    begin = line.values["name"].strip('"')[len("each "):], at
                elif begin and line.event == "thread_name" and line.values["name"] == '"over"':
                    self.parted[begin[0]] = Log(lines=self.lines[begin[1]:at])
                    begin = None
        return self.parted

    def parts(self):
        """The log of each program, whose classes and methods may have the names of another's."""
        return list(self.programs().values()) or [self]


def begins(line):
    """Whether a program begins here."""
    return line.event == "thread_name" and line.values["name"].startswith('"each ')


def is_own(name):
    return name.startswith("Own.")


# --- a thread's words -------------------------------------------------------------------------------------------------

def of_method(verb):
    return lambda values: "%s %s" % (verb, values["method"]) if is_own(values["method"]) else None


def of_object(verb):
    return lambda values: "%s %s" % (verb, values["object"]) if is_own(values["object"]) else None


def clause(values):
    return "%s %s %s" % (values["type"], values["index"], values["method"]) if is_own(values["method"]) else None


def thrown(values):
    kind = values["exception"]
    return "throw " + kind if is_own(kind) or kind in RAISED else None


STORY = {
    "method_enter": of_method("enter"),
    "method_leave": of_method("leave"),
    "method_exception_leave": of_method("unwound"),
    "method_tail_call": of_method("tail-call"),
    "exception_throw": thrown,
    "exception_clause": clause,
    "monitor_contention": of_object("contention"),
    "monitor_acquired": of_object("acquired"),
    "monitor_failed": of_object("gave-up"),
    "gc_finalizing_object": of_object("finalizing"),
    "gc_finalized_object": of_object("finalized"),
}


def words_by_thread(log, told):
    """What each thread was told, of the events in `told`; and which threads are the finaliser's."""
    words, finalisers = collections.OrderedDict(), set()
    makers = {event: maker for event, maker in STORY.items() if event in told}
    for line in log.lines:
        if line.event == "gc_finalizing":
            finalisers.add(line.thread)
        maker = makers.get(line.event)
        word = maker(line.values) if maker else None
        if word:
            words.setdefault(line.thread, []).append(word)
    return words, finalisers


def pieces(words):
    """Cut where nothing is open."""
    cut, piece, depth = [], [], 0
    for word in words:
        verb = word.split(" ", 1)[0]
        piece.append(word)
        depth += (verb in OPENS) - (verb in CLOSES)
        if depth <= 0:
            cut.append(tuple(piece))
            piece, depth = [], 0
    if piece:
        cut.append(tuple(piece))
    return cut


def without_calls(story, wanted, apart):
    """Calls that `wanted` finds go, with all that they call, to a bag of their own."""
    kept, inside, depth = [], [], 0
    for word in story:
        verb = word.split(" ", 1)[0]
        if not depth and not (verb == "enter" and wanted.search(word)):
            kept.append(word)
            continue
        inside.append(word)
        depth += (verb in OPENS) - (verb in CLOSES)
        if not depth:
            apart.append(tuple(inside))
            inside = []
    return kept + inside


class Story:
    """
    What a run told: the main thread's words, the other threads' as a bag, and the events that are nobody's own. When a
    class initialiser runs is the runtime's choice, so these are in the bag, too.
    """

    def __init__(self, log, told, in_pieces, cut=lambda words, others: words):
        words, finalisers = words_by_thread(log, told)
        self.main, others = [], []
        for thread, story in words.items():
            is_main = any(":Main " in word for word in story if word.startswith("enter "))
            story = cut(without_calls(story, INITIALISER, others), others)
            if is_main:
                self.main = story
            elif in_pieces or thread in finalisers:
                others += pieces(story)
            elif story:
                others.append(tuple(story))
        self.others = collections.Counter(others)
        self.apart = {name: cut(view(log), None) for name, (events, view) in APART.items() if events <= told}

    def count(self):
        """How many events are compared."""
        others = sum(len(words) * times for words, times in self.others.items())
        return len(self.main) + others + sum(map(len, self.apart.values()))


# --- events that are no thread's own ----------------------------------------------------------------------------------

def is_own_image(line):
    name = line.values.get("image", line.values.get("assembly", ""))
    return name == "events-helper" or name in PROGRAMS


PROGRAMS = set()   # names of the programs' own images


def loaded(log):
    return ["%s %s" % (x.event, x.values.get("image", x.values.get("assembly")))
            for x in log.of("image_loaded", "assembly_loaded") if is_own_image(x)]


def unloaded(log):
    lines = log.of("image_unloading", "image_unloaded", "assembly_unloading", "assembly_unloaded")
    return sorted(x.event for x in lines if "events-helper" in x.rest)


def life(log):
    """Names of further domains, which CoreCLR does not have, are left out."""
    return [x.event + x.values.get("name", "") for x in
            log.of("domain_name", "runtime_initialized", "runtime_shutdown_begin", "runtime_shutdown_end")
            if ".exe" in x.values.get("name", ".exe")]


def allocated(log):
    return sorted("allocated " + x.values["object"] for x in log.of("gc_allocation") if is_own(x.values["object"]))


def handles(log):
    """Handles to tokens of the program's: what was made and freed, in order."""
    types, words = {}, []
    for line in log.of("gc_handle_created", "gc_handle_deleted"):
        number = line.values["handle"]
        if line.event == "gc_handle_created" and line.values["object"] == "Own.Token":
            types[number] = line.values["type"]
            words.append("created %s %d" % (types[number], int(number) & 7))   # Mono's scheme: the type is in it
        elif line.event == "gc_handle_deleted" and number in types:
            words.append("deleted " + types.pop(number))
    return words


def names(log):
    return sorted(x.values["name"] for x in log.of("thread_name") if x.values["name"].startswith('"own'))


def collected(lines, oldest):
    """
    How each blocking collection of the oldest generation went, from its stop of the world to the restart. A background
    collection, which the runtime may begin at any time for reasons of its own and instead of a young one that the
    program asks for, is left out: its start says that it is serial, its second pause has no start, and its end may come
    anywhere.
    """
    ways, steps = [], []
    for line in lines:
        if line.event != "gc_event":
            continue
        step = line.values["event"], line.values["generation"], line.values["is_serial"]
        if step[0] == "end" and step[2] == "yes":
            continue
        steps = [step] if step[0] == "pre-stop-world" else steps + [step]
        if step[0] == "post-start-world-unlocked" and ("start", oldest, "no") in steps:
            ways.append(" ".join("%s(%s)" % (event, serial) for event, _, serial in steps))
    return ways


def set_up(log):
    """Instances of one generic class have one name here."""
    return sorted({"set-up " + x.values["vtable"] for x in log.of("vtable_loaded") if is_own(x.values["vtable"])})


APART = {
    "classes set up": ({"vtable_loaded"}, set_up),
    "loaded images": ({"image_loaded", "assembly_loaded"}, loaded),
    "unloaded images": ({"image_unloading", "image_unloaded", "assembly_unloading", "assembly_unloaded"}, unloaded),
    "the runtime's life": ({"runtime_initialized", "runtime_shutdown_begin", "runtime_shutdown_end", "domain_name"},
                           life),
    "allocated objects": ({"gc_allocation"}, allocated),
    "handles": ({"gc_handle_created", "gc_handle_deleted"}, handles),
    "names of threads": ({"thread_name"}, names),
}
