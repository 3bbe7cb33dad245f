# SPDX-License-Identifier: MIT
"""The torture programs: what is run, under which settings and rules, and what its profile must say."""
import collections

from harness import PRIVATE_CODE

# Programs count their own calls and exceptions: `leaf` calls of Torture:Leaf, and per type what they throw. `code` is
# how they end alone (on Mono another way of dying will do), `rules` are those of confine, `env` settings of the
# runtime, `on` the kinds of runtimes, `says` what our one line per module must say, if any. Where `poor`, the process
# has been denied something: a runtime may not start, a module may say in one line that it does not. With `share` 10 all
# is done a tenth as often, but for what is done less than ten times.
Row = collections.namedtuple("Row", "name programs leaf thrown code env rules on dump says poor share")

CLR = ("coreclr",)
BOTH = ("coreclr", "mono")

NULL = "System.NullReferenceException"
INTERRUPTED = "System.Threading.ThreadInterruptedException"


def row(program, leaf=0, thrown=None, code=0, name=None, env=None, rules=(), on=BOTH, dump=False, says=None,
        poor=False):
    """`leaf`: calls besides the 1000 with which every process begins."""
    return Row(name or program, (program,), leaf + 1000, thrown or {}, code, env or {}, tuple(rules), on, dump, says,
               poor, 1)


def tenth(times):
    return times // 10 if times >= 10 else times


def together(name, table):
    """A tenth of each in one process."""
    leaf, thrown, env = 100, collections.Counter(), {}
    for each in table:
        leaf += tenth(each.leaf - 1000)
        thrown.update({kind: tenth(times) for kind, times in each.thrown.items()})
        env.update(each.env)
    return Row(name, tuple(program for each in table for program in each.programs), leaf, thrown, table[-1].code, env,
               (), BOTH, False, None, False, 10)


def death(program, thrown=None, on=BOTH):
    """Ends by SIGABRT, with a report of the runtime's on stderr."""
    return row(program, 0, thrown, -6, on=on, dump=True)


def boom(times):
    return {"Boom": times}


FAULTS = [
    row("NullReferences", 4000, {NULL: 4000}),
    row("CollectionStorm", 80000),
    row("BothStorms", 4 * 400, {NULL: 800, "Boom": 800}),
    row("ThrowingFilters", 1000, {"Boom": 1000, "Faults/FilterBoom": 1000}, on=CLR),
    row("DeepStack", 110000, boom(1)),
    row("AsyncExceptions", 1600),
]

ENDS = [
    death("StackOverflow", on=CLR),
    death("FailFast"),
    death("FailFastOfException", boom(1)),
    death("UnhandledInMain", boom(1)),
    death("UnhandledInThread", boom(1)),
    death("UnhandledInPool", boom(1)),
    death("UnhandledInFinaliser", boom(1)),
    death("UnhandledInForeignThread", boom(1)),
    row("ExitAmidThreads", code=3),
]

THREADS = [
    row("ManyTasks", 100000),
    row("Starvation", 300),
    row("ManyTimers", 1000),
    row("ShortThreads", 2000),
    row("Interrupts", 200, {INTERRUPTED: 200}, on=CLR),  # Mono 6.8 loses one of some thousand that come early
    row("ForeignThreads", 16000),
    row("ForeignThreadsThatThrow", 800, boom(800)),
    row("ShortForeignThreads", 200),
    row("SmallStacks", 250, boom(200)),
    row("SmallSignalStacks", 1600, boom(1600)),
    row("SmallNativeStacks", 500, boom(500)),
    row("Monitors", 4000),
]

CODE = [
    row("EmittedAssemblies", 400),
    row("DynamicMethods", 1000, boom(500)),
    row("Expressions", 200, boom(100)),
    row("CompiledRegexes"),
    row("DeepGenerics", 3, boom(1)),
    row("CollectibleContexts", 200, boom(200), on=CLR),
    row("LongLoop", 300000, boom(300)),
    row("FunctionPointers", 20000),
]

LIVED = 200  # what Process.LiveOn calls and throws

PROCESS = [
    row("ProfileTimer", 500, boom(500)),
    row("UserSignals", 1000),
    row("Forks", LIVED, boom(LIVED), env=PRIVATE_CODE),
    row("VforksAndExecs", LIVED, boom(LIVED)),
    row("Children", 300),
    row("Descriptors", LIVED + 50, boom(LIVED + 50), env=PRIVATE_CODE),
    row("Undumpable", LIVED, boom(LIVED)),
    row("EmptyRoot", LIVED, boom(LIVED), 4, says="the raw profile is in "),
]


def mixture(name, env=None, rules=(), on=BOTH, poor=False):
    return row("Mixture", LIVED, boom(LIVED), 5, name, env, rules, on, poor=poor)


CLOSED = [[fd for fd in range(3) if mask >> fd & 1] for mask in range(1, 8)]

CONFINED = [
    mixture("signals blocked", rules=["block"]),
    mixture("no new privileges", rules=["no-new-privileges"]),
    mixture("no capabilities", rules=["no-capabilities"]),
    mixture("pid namespace", rules=["pid-namespace"]),
    mixture("no TMPDIR", {"TMPDIR": "/nonexistent"}),
    mixture("ulimit -v", rules=["limit=as:%d" % (8 << 30)], on=CLR, poor=True),  # .NET 8 does not start
    mixture("ulimit -n", rules=["limit=nofile:64"]),
    mixture("ulimit -s", rules=["limit=stack:%d" % (256 << 10)]),
    mixture("heap of 48 MB", {"DOTNET_GCHeapHardLimit": "0x3000000"}, on=CLR),
] + [
    row("Silence", LIVED, boom(LIVED), 6, "closed " + " ".join(map(str, fds)), rules=["close=%d" % fd for fd in fds])
    for fds in CLOSED
]

SETTINGS = {
    "server collector": {"DOTNET_gcServer": "1", "DOTNET_GCHeapCount": "2"},
    "small generation 0": {"DOTNET_GCgen0size": "0x10000"},
    "no concurrent collections": {"DOTNET_gcConcurrent": "0"},
    "no tiering": {"DOTNET_TieredCompilation": "0"},
    "no tiered PGO": {"DOTNET_TieredPGO": "0"},
    "no precompiled code": {"DOTNET_ReadyToRun": "0"},
    "replacement at once": {"DOTNET_TC_OnStackReplacement_InitialCounter": "1", "DOTNET_OSR_HitLimit": "1"},
}

# What a setting of the runtime is tried with: collections, exceptions, threads, callbacks, a hot loop.
UNDER_SETTINGS = {"BothStorms", "DeepStack", "ForeignThreads", "ManyTasks", "LongLoop"}
SET = [r._replace(name="%s, %s" % (r.name, what), env=env, on=CLR)
       for r in FAULTS + THREADS + CODE if r.name in UNDER_SETTINGS for what, env in SETTINGS.items()]

CALLS = ("perf_event_open timer_create perf_event_open+timer_create process_vm_readv memfd_create membarrier renameat2 "
         "fallocate tgkill madvise clone3").split()
ERRORS = ("EPERM", "ENOSYS", "EMFILE")
# Without tgkill Mono's sampler, which any module that samples gets, ends the process.
REFUSED = [mixture("%s: %s" % (calls, error), poor=True, on=CLR if calls == "tgkill" else BOTH,
                   rules=["refuse=%s:%s" % (call, error) for call in calls.split("+")])
           for calls in CALLS for error in ERRORS]

THEMES = {
    "faults": FAULTS,
    "ends": ENDS,
    "threads": THREADS,
    "code": CODE,
    "process": PROCESS,
    "confined": CONFINED,
    "settings": SET,
    "refused": REFUSED,
}

# Of these tables, in which all rows ask the same of us, the second tier runs every N-th.
SPARSE = {"settings": 3, "refused": 2}

# The first tier. A pool of one thread is left to what comes after it, and so is a process that cannot be looked into.
FIRST_ENDS = {
    "coreclr": {"StackOverflow", "FailFastOfException", "UnhandledInMain", "UnhandledInPool", "UnhandledInFinaliser",
                "UnhandledInForeignThread", "ExitAmidThreads", "EmptyRoot", "closed 2", "closed 0 1 2"},
    "mono": {"UnhandledInForeignThread", "ExitAmidThreads", "EmptyRoot", "closed 0 1 2"},
}
LAST = ("Starvation", "Undumpable")
# Collections without end let nothing else come to its turn for a second or twenty, as it happens.
STORMS = ("CollectionStorm", "BothStorms")


def all_programs(kind):
    table = [each for theme in (FAULTS, THREADS, CODE, PROCESS) for each in theme
             if kind in each.on and not each.code and each.name not in STORMS]
    return together("all programs", sorted(table, key=lambda each: each.name in LAST))


CALLS_OF_ALL = [call for call in CALLS if "+" not in call and call != "tgkill"]
CONFINED_BY_ALL = mixture("confined by all", {"TMPDIR": "/nonexistent"},
                          ["pid-namespace", "limit=nofile:64", "limit=stack:%d" % (256 << 10), "block",
                           "no-new-privileges", "no-capabilities"])
REFUSED_ALL = mixture("refused all", poor=True, rules=["refuse=%s:ENOSYS" % call for call in CALLS_OF_ALL])


def first(kind):
    """The rows that each runtime of this kind is asked about."""
    ends = [each for each in ENDS + PROCESS + CONFINED if each.name in FIRST_ENDS[kind]]
    return [all_programs(kind), *ends, CONFINED_BY_ALL, REFUSED_ALL]
