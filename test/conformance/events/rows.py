# SPDX-License-Identifier: MIT
"""The events as include/monocle/events.def has them, for the tests of this folder."""
import pathlib
import sys

TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TOP / "doc"))
import gen_events  # noqa: E402

EVENTS = gen_events.read_rows()
COME = {row.name for row in EVENTS.values() if row.support in ("EXACT", "RULE")}   # on CoreCLR
NEVER_SHOWN = {row.name for row in EVENTS.values() if row.choice == "NEVER"}
# What stops the world longer, or comes with every call into native code, and so has runs of its own.
APART = {"transition", "survivors"}
# What opens on a thread: what closes it.
PAIRS = {row.closes: tuple(other.name for other in EVENTS.values() if other.closes == row.closes)
         for row in EVENTS.values() if row.closes != "NOTHING"}
SETTINGS = [{}, {"DOTNET_gcServer": "1"}, {"DOTNET_gcConcurrent": "0"}, {"DOTNET_TieredCompilation": "0"},
            {"DOTNET_TieredPGO": "0"}, {"DOTNET_ReadyToRun": "0"}]


def words(kind):
    """The words of the module's options that choose all events of a kind of runtime, but for those apart."""
    monos = set(gen_events.events(gen_events.TABLES[0]))
    names = [name for name in EVENTS if name not in APART | NEVER_SHOWN and (kind == "coreclr" or name in monos)]
    return sorted({name.split("_")[0] for name in names})
