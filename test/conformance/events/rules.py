# SPDX-License-Identifier: MIT
"""What must hold of any log of the module `events`, whatever the program: a checker for each event that comes *by rule*
(doc/events.md) or has no counterpart on Mono.

A checker is told the log and yields faults. RULES says which one judges which events; an event that comes on CoreCLR
and has neither a checker here nor a word in story.py fails the test.
"""
import collections
import re

import balance
import rows
import story

NEVER_OWN = re.compile(r"\(wrapper |<Module>")


def by_thread(log, events):
    found = collections.defaultdict(list)
    for line in log.lines:
        if line.event in events:
            found[line.thread].append(line)
    return found


# --- order on a thread ------------------------------------------------------------------------------------------------

def directly(first, second, key):
    """On each thread `first` comes directly in front of `second`, about the same thing."""
    def check(log, _run):
        for lines in by_thread(log, {first, second}).values():
            open_line = None
            for line in lines:
                if line.event == first:
                    open_line = line
                elif open_line is None or open_line.values[key] != line.values[key]:
                    yield "%s without %s in front" % (line, first)
                else:
                    open_line = None
    return check


def balanced(log, run):
    """What opens closes, once, where it has to (balance.py)."""
    judge = balance.Balance(run.kind)
    judges = {}
    for line in log.lines:
        if line.event not in judges:
            judges[line.event] = judge.judge_of(line.event)
        if judges[line.event]:
            judges[line.event](line.time, line.thread, line.event, line.rest)
    yield from judge.verdict(run.orderly)


def without_end_of_stack(lines, run):
    """Where the stack of a program on Mono ends while a call is told, that call is left without having been entered."""
    left = [line for line in lines if line.event == "method_exception_leave"]
    opened = sum(1 if line.event == "method_enter" else -1 for line in lines)
    if run.kind == "mono" and "StackOverflowException" in run.seen.err and opened == -1 and left:
        return [line for line in lines if line is not left[0]]
    return lines


def calls_nest(log, run):
    """Enters and exits of methods nest on each thread."""
    closing = {"method_leave", "method_exception_leave", "method_tail_call"}
    for lines in by_thread(log, closing | {"method_enter"}).values():
        lines, stack = without_end_of_stack(lines, run), []
        for line in lines:
            if line.event == "method_enter":
                stack.append(line.values["method"])
            elif not stack or stack.pop() != line.values["method"]:
                yield "%s: is not what was entered last" % line
                stack = []


def tail_calls_lead_on(log, _run):
    """What a tail call names is what the thread enters next."""
    for lines in by_thread(log, {"method_enter", "method_tail_call"}).values():
        for line, following in zip(lines, lines[1:]):
            target = line.values.get("target", "null")
            if line.event == "method_tail_call" and target != "null" and following.values["method"] != target:
                yield "%s: goes on with %s" % (line, following)


def throws_are_searched(log, _run):
    """An exception that is thrown is looked for a handler of: the first phase of it is a search or a filter's."""
    for lines in by_thread(log, {"exception_throw", "exception_phase"}).values():
        for line, following in zip(lines, lines[1:]):
            if line.event == "exception_throw" and following.event == "exception_phase" \
                    and not following.values["phase"].startswith(("search", "filter", "catcher-found", "unwind")):
                yield "%s: then %s" % (line, following)


def inlined_while_compiling(log, _run):
    """The compiler decides about inlining while it compiles the caller."""
    for lines in by_thread(log, {"jit_begin", "jit_done", "jit_failed", "inline_method", "jit_inlining"}).values():
        compiling = []
        for line in lines:
            if line.event == "jit_begin":
                compiling.append(line.values["method"])
            elif line.event in ("jit_done", "jit_failed"):
                compiling and compiling.pop()
            elif not compiling:
                yield "%s: nothing is being compiled" % line


# --- the runtime ------------------------------------------------------------------------------------------------------

def positions(log, *events):
    return {event: [i for i, line in enumerate(log.lines) if line.event == event] for event in events}


def life(log, run):
    """The runtime begins once, and ends once where it ends in an orderly way."""
    at = positions(log, "runtime_initialized", "runtime_shutdown_begin", "runtime_shutdown_end", "method_enter")
    if len(at["runtime_initialized"]) != 1:
        yield "runtime_initialized comes %d times" % len(at["runtime_initialized"])
    elif at["method_enter"] and at["method_enter"][0] < at["runtime_initialized"][0]:
        yield "%s: before runtime_initialized" % log.lines[at["method_enter"][0]]
    for event in ("runtime_shutdown_begin", "runtime_shutdown_end"):
        if len(at[event]) != run.orderly:
            yield "%s comes %d times" % (event, len(at[event]))


def root_domain(log, run):
    """The one domain is made, can be used and gets its name, in this order."""
    lines = [x.event for x in log.of("domain_loading", "domain_loaded", "domain_name")]
    if run.kind != "mono" and lines != ["domain_loading", "domain_loaded", "domain_name"]:
        yield "the domain comes as %s" % lines


# --- threads ----------------------------------------------------------------------------------------------------------

def threads_end_in_order(log, run):
    """stopping, stopped and exited of a thread come in this order, on CoreCLR directly after each other."""
    steps = ["thread_stopping", "thread_stopped", "thread_exited"]
    last = {}
    for lines in by_thread(log, set(steps)).values():
        for line in lines:
            tid, step = line.values["tid"], steps.index(line.event)
            if last.get(tid, 2) != (step - 1) % 3:
                yield "%s after %s" % (line, steps[last.get(tid, 2)])
            last[tid] = step


def names_follow_starts(log, run):
    """A thread has started when its name is told."""
    started = set()
    for line in log.of("thread_started", "thread_name", "thread_os_id"):
        if line.event == "thread_started":
            started.add(line.values["tid"])
        elif run.kind != "mono" and line.values["tid"] not in started:
            yield "%s: has not started" % line


def starts_come_first(log, run):
    """Nothing managed runs on a thread that has not started."""
    started = set()
    for line in log.lines:
        if line.event == "thread_started":
            started.add(line.thread)
        elif line.event == "method_enter" and line.thread not in started and run.kind != "mono":
            yield "%s: its thread has not started" % line
            started.add(line.thread)


# --- the collector ----------------------------------------------------------------------------------------------------

def collections_agree(log, run):
    """The steps of a pause are about one generation, and none is older than the oldest."""
    oldest = 1 if run.kind == "mono" else 2
    generation = None
    for line in log.of("gc_event"):
        step, now = line.values["event"], int(line.values["generation"])
        if now > oldest:
            yield "%s: there is no such generation" % line
        if step == "pre-stop-world":
            generation = now
        elif step not in ("start", "end") and now != generation:
            yield "%s: the pause began with generation %s" % (line, generation)


def pauses_collect(log, run):
    """The world is stopped for something: a pause has the start of a collection, or one is going on in the background.
    """
    open_collections, pause = 0, None
    for line in log.of("gc_event"):
        step = line.values["event"]
        open_collections += (step == "start") - (step == "end")
        if step == "pre-stop-world":
            pause = None if open_collections else line
        elif step == "start":
            pause = None
        elif step == "post-start-world-unlocked" and pause and run.kind != "mono":
            yield "%s: nothing is collected" % pause


def within_collections(log, _run):
    """Moves and roots are told inside of a collection, the heap's size behind its end and in front of the restart."""
    collecting, after = 0, False
    for line in log.of("gc_event", "gc_resize", "gc_moves", "gc_roots"):
        step = line.values.get("event")
        collecting += (step == "start") - (step == "end")
        after = step == "end" or (after and step is None)
        if line.event == "gc_resize" and not after:
            yield "%s: not behind the end of a collection" % line
        elif line.event in ("gc_moves", "gc_roots") and not collecting:
            yield "%s: outside of a collection" % line


def roots_are_registered(log, _run):
    """Kinds of roots are told before anything runs, and before the first root of theirs."""
    begun = False
    for line in log.of("gc_root_register", "runtime_initialized"):
        begun = begun or line.event == "runtime_initialized"
        if begun and line.event == "gc_root_register":
            yield "%s: behind runtime_initialized" % line


def objects_are_told(log, _run):
    for line in log.of("gc_allocation"):
        if line.values["object"] in ("null", "") or line.values["object"].startswith("0x"):
            yield "%s: no object" % line


def finalised_in_batches(log, _run):
    """Objects are finalised between the beginning and the end of a batch, on its thread."""
    steps = {"gc_finalizing", "gc_finalized", "gc_finalizing_object", "gc_finalized_object"}
    for lines in by_thread(log, steps).values():
        batch, told = False, None
        for line in lines:
            if line.event == "gc_finalizing":
                batch = True
            elif line.event == "gc_finalized":
                batch = False
            elif line.event == "gc_finalizing_object":
                told = line.values["object"]
                if not batch:
                    yield "%s: outside of a batch" % line
            elif line.values["object"] != told:
                yield "%s: %s was begun" % (line, told)


# --- what is loaded and compiled --------------------------------------------------------------------------------------

def bare(method):
    """A method's name without parameters and type arguments: code and calls of an instance may know them unlike."""
    kept, depth, before = "", 0, ""
    for character in method.split(" (")[0]:
        # A compiler's own names begin with `<`; type arguments stand behind a name.
        if character == "<" and (depth or before.isalnum() or before == "_"):
            depth += 1
        if not depth:
            kept += character
            before = character
        depth -= character == ">" and depth > 0
    return kept


def compiled_before_called(log, _run):
    """
    A method of the program's is compiled, or taken into another, before it is first entered. The runtime hands new code
    out before it tells of it: a thread may enter what another one has compiled and is about to say so.
    """
    for part in log.parts():
        yield from compiled_in_time(part)


def compiled_in_time(log):
    ready, compiling, owed = set(), {}, {}
    for line in log.of("jit_begin", "jit_done", "inline_method", "jit_inlining", "method_enter"):
        name = bare(line.values.get("inlined_method", line.values.get("callee", line.values.get("method", ""))))
        if line.event == "jit_begin":
            compiling[name] = line.thread
        elif line.event != "method_enter":
            ready.add(name)
        elif story.is_own(line.values["method"]) and not NEVER_OWN.search(line.values["method"]) and name not in ready:
            owed.setdefault(name, line)
            if compiling.get(name, line.thread) == line.thread:
                yield "%s: was not compiled" % line
                ready.add(name)
    for name, line in owed.items():
        if name not in ready:
            yield "%s: is never compiled" % line


def class_of(method):
    return bare(method).rsplit(":", 1)[0]


def loaded_before_called(log, _run):
    """A class of the program's is loaded before one of its methods is entered."""
    for part in log.parts():
        known = set()
        for line in part.of("class_loaded", "method_enter"):
            if line.event == "class_loaded":
                known.add(line.values["klass"])
            elif story.is_own(line.values["method"]) and class_of(line.values["method"]) not in known:
                yield "%s: the class %s was not loaded" % (line, class_of(line.values["method"]))
                known.add(class_of(line.values["method"]))


def set_up_before_objects(log, _run):
    """
    A class is set up once, and before there is an object of it. Instances of one class have one name, as have classes
    of two programs; another thread may be about to say so.
    """
    told, met = {}, {}
    for line in log.of("vtable_loaded", "gc_allocation", "thread_name"):
        name = line.values.get("vtable", line.values.get("object", ""))
        if story.begins(line):
            yield from never_set_up(told, met)
            told = {known: line for known, line in told.items() if not story.is_own(known)}
            met = {}
        elif line.event == "vtable_loaded":
            told.setdefault(name, line)
            if met.get(name) == line.thread:
                yield "%s: there was an object already" % line
        elif line.event == "gc_allocation" and name not in told:
            met.setdefault(name, line.thread)
    yield from never_set_up(told, met)


def never_set_up(told, met):
    for name in met:
        if name not in told and story.is_own(name):
            yield "%s: was never set up" % name


def classes_go_with_images(log, _run):
    """A class goes after it came, on a thread where an image is going."""
    loaded, going = set(), {}
    for line in log.of("class_loaded", "class_unloaded", "image_unloading", "image_unloaded"):
        if line.event == "class_loaded":
            loaded.add(line.values["klass"])
        elif line.event != "class_unloaded":
            going[line.thread] = line.event == "image_unloading"
        elif line.values["klass"] not in loaded:
            yield "%s: was never loaded" % line
        elif not going.get(line.thread):
            yield "%s: no image is going" % line


def samples_stand_for_more(log, _run):
    """A sample has a class, and stands for what a runtime lets go by between two."""
    for line in log.of("allocation_sampled"):
        if line.values["klass"] == "null" or int(line.values["size"]) == 0 or int(line.values["stands_for"]) < 102400:
            yield "%s: is no sample" % line


def failures_have_reasons(log, _run):
    for line in log.of("load_failed"):
        if int(line.values["result"], 16) < 0x80000000:
            yield "%s: is no failure" % line


def searches_are_answered(log, _run):
    """A search for precompiled code is answered on its thread."""
    for lines in by_thread(log, {"code_search"}).values():
        open_searches = 0
        for line in lines:
            open_searches += 1 if line.values["phase"] == "begin" else -1
            if open_searches < 0:
                yield "%s: nobody asked" % line
                open_searches = 0


def invocations_nest(log, _run):
    for lines in by_thread(log, {"method_begin_invoke", "method_end_invoke"}).values():
        stack = []
        for line in lines:
            if line.event == "method_begin_invoke":
                stack.append(line.values["method"])
            elif line.values["method"] not in stack:
                yield "%s: was not begun" % line
            else:
                while stack.pop() != line.values["method"]:
                    pass   # an exception took it along


def freed_once(log, _run):
    compiled = set()
    for line in log.of("jit_done", "method_free"):
        if line.event == "jit_done":
            compiled.add(line.values["method"])
        elif "(wrapper " not in line.values["method"] and line.values["method"] not in compiled:
            yield "%s: was never compiled" % line


RULES = [
    (life, "runtime_initialized runtime_shutdown_begin runtime_shutdown_end"),
    (root_domain, "domain_loading domain_loaded domain_name"),
    (balanced, "jit_begin jit_done jit_failed class_failed image_failed gc_handle_created gc_handle_deleted "
               "monitor_contention monitor_acquired monitor_failed exception_phase suspension gc_event"),
    (directly("class_loading", "class_loaded", "klass"), "class_loading class_loaded"),
    (directly("image_loading", "image_loaded", "image"), "image_loading image_loaded"),
    (directly("assembly_loading", "assembly_loaded", "assembly"), "assembly_loading assembly_loaded"),
    (compiled_before_called, "jit_done jit_code_buffer"),
    (directly("vtable_loading", "vtable_loaded", "vtable"), "vtable_loading vtable_loaded"),
    (set_up_before_objects, "vtable_loaded"),
    (classes_go_with_images, "class_unloaded"),
    (loaded_before_called, "class_loaded"),
    (calls_nest, "method_enter method_leave method_exception_leave method_tail_call"),
    (tail_calls_lead_on, "method_tail_call"),
    (throws_are_searched, "exception_throw"),
    (collections_agree, "gc_event"),
    (pauses_collect, "gc_event"),
    (within_collections, "gc_resize gc_moves gc_roots"),
    (roots_are_registered, "gc_root_register"),
    (objects_are_told, "gc_allocation"),
    (samples_stand_for_more, "allocation_sampled"),
    (finalised_in_batches, "gc_finalizing gc_finalized gc_finalizing_object gc_finalized_object"),
    (threads_end_in_order, "thread_stopping thread_stopped thread_exited"),
    (starts_come_first, "thread_started"),
    (names_follow_starts, "thread_name thread_os_id"),
    (inlined_while_compiling, "inline_method jit_inlining"),
    (searches_are_answered, "code_search"),
    (failures_have_reasons, "load_failed"),
    (invocations_nest, "method_begin_invoke method_end_invoke"),
    (freed_once, "method_free"),
]
JUDGED = {event for _, events in RULES for event in events.split()}
# Those of runs of their own (load.py, ../attach/waits.py), or without a cause in these programs.
ELSEWHERE = rows.APART | rows.NEVER_SHOWN | {"thread_suspension", "rejit", "sample_asleep"}


def judge(log, run):
    """(rule, faults) of each rule that the log breaks, and how many events were judged."""
    broken = []
    for check, events in RULES:
        if run.kind == "mono" and check not in (calls_nest, life):
            continue
        faults = list(check(log, run))
        if faults:
            broken.append(("%s (%s)" % (check.__name__, events.split()[0]), faults))
    return broken, sum(1 for line in log.lines if line.event in JUDGED)
