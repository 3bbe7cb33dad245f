#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Our module API headers against those of the installed Mono.

Every prototype, callback type and opaque type of ours is declared a second time below Mono's headers: the compiler
accepts that only when both are the same type. Enumerators, macros, sizes and offsets are compiled into two tables, one
with each set of headers, and compared by name.
"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import declarations  # noqa: E402
import harness  # noqa: E402

# From Mono's successors, absent from 6.8.
NEWER = {"MonoProfilerInlineMethodCallback", "mono_profiler_set_inline_method_callback",
         "MonoProfilerMethodSamplepointCallback", "mono_profiler_set_method_samplepoint_callback",
         "MONO_PROFILER_CALL_INSTRUMENTATION_SAMPLEPOINT_CONTEXT"}

# Of the profiler itself everything must be there; of the rest what DESIGN asks for.
WHOLE = ["mono/metadata/profiler.h", "mono/metadata/mono-gc.h"]
OF_THE_PROFILER = re.compile(r"mono_profiler|mono_gc_(?!wbarrier|reference)|MonoProfiler|MONO_(PROFILER|GC|ROOT)", re.A)
# Mono's own that a module can do without: doc/writing-a-module.md says why.
FOREIGN = {"mono/metadata/verify.h", "mono/metadata/debug-mono-symfile.h", "mono/metadata/sgen-bridge.h",
           "mono/utils/mono-jemalloc.h"}

TABLE = """
#include <stdio.h>
#include <stddef.h>
static const struct { const char *name; long long value; } rows[] = {
%s};
int main (void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        printf ("%%s %%lld\\n", rows[i].name, rows[i].value);
    return 0;
}
"""


def mono_include():
    out = subprocess.run(["pkg-config", "--cflags-only-I", "mono-2"], capture_output=True, text=True).stdout.split()
    for path in [o[2:] for o in out] + ["/usr/include/mono-2.0", "/usr/local/include/mono-2.0"]:
        if (pathlib.Path(path) / "mono/metadata/profiler.h").exists():
            return path
    return None


def includes(headers):
    return "".join("#include <%s>\n" % h for h in headers)


def layout(ours):
    rows = [name for name in ours.constants + ours.macros if name not in NEWER]
    for name, fields in ours.structs.items():
        rows.append("sizeof (%s)" % name)
        rows += ["offsetof (%s, %s)" % (name, field) for field in fields]
    return rows


def table_of(suite, compiler, include, headers, rows):
    source, program = suite.work / "table.c", suite.work / "table"
    source.write_text(includes(headers) + TABLE % "".join('{ "%s", (long long) %s },\n' % (r, r) for r in rows))
    done = subprocess.run([*compiler, "-std=gnu11", "-I", str(include), "-o", str(program), str(source)],
                          capture_output=True, text=True)
    if not suite.check(done.returncode == 0, "the table of values compiles with %s" % include, done.stderr[:3000]):
        return {}
    out = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    return dict(line.rsplit(" ", 1) for line in out.splitlines())


def check_types(suite, compiler, include, headers, ours):
    """One compilation for everything; when it fails, one each to name the guilty."""
    again = {**ours.opaque, **ours.callbacks, **ours.functions}
    again = {name: text for name, text in again.items() if name not in NEWER}

    def compiles(texts):
        source = suite.work / "again.c"
        source.write_text(includes(headers) + "".join(t + ";\n" for t in texts))
        return subprocess.run([*compiler, "-std=gnu11", "-fsyntax-only", "-I", str(include), str(source)],
                              capture_output=True, text=True)
    good = compiles(again.values()).returncode == 0
    for name, text in again.items():
        done = None if good else compiles([text])
        suite.check(good or done.returncode == 0, "type of " + name, done and done.stderr[:600])


def main():
    suite = harness.Suite("headers", __doc__)
    suite.parser.add_argument("--include", default=str(harness.TOP / "include"))
    suite.parser.add_argument("--cc", default=os.environ.get("CC", "cc"))
    options = suite.parse()
    compiler, theirs = options.cc.split(), mono_include()
    if theirs is None:
        suite.skip("Mono's headers", "libmono-2.0-dev is not installed", "mono")
        return suite.finish()
    headers = declarations.public_headers(options.include)
    absent = [h for h in headers if not (pathlib.Path(theirs) / h).exists()]
    suite.check(not absent, "each header has Mono's name", absent)
    ours = declarations.Declarations(compiler, options.include, headers)
    mono = declarations.Declarations(compiler, theirs, headers)

    known = {*mono.functions, *mono.callbacks, *mono.opaque, *mono.constants}
    for name in sorted({*ours.functions, *ours.callbacks, *ours.opaque, *ours.constants} - known):
        suite.check(name in NEWER, name + " is Mono's", "not in Mono's headers")
    check_types(suite, compiler, theirs, headers, ours)

    rows = layout(ours)
    a = table_of(suite, compiler, options.include, headers, rows)
    b = table_of(suite, compiler, theirs, headers, rows)
    for row in rows:
        suite.check(a.get(row) == b.get(row), row, "ours %s, Mono's %s" % (a.get(row), b.get(row)))

    for header in declarations.public_headers(theirs):
        suite.check(header in headers or header in FOREIGN, "there is a " + header)
    for header in WHOLE:
        whole = declarations.Declarations(compiler, theirs, [header])
        mine = declarations.Declarations(compiler, options.include, [header])
        for kind in ("functions", "callbacks", "constants"):
            for name in getattr(whole, kind):
                if OF_THE_PROFILER.match(name):
                    suite.check(name in getattr(mine, kind), "%s has %s" % (header, name))
    print("%d functions, %d callback types, %d structs, %d values" %
          (len(ours.functions), len(ours.callbacks), len(ours.structs), len(rows)))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
