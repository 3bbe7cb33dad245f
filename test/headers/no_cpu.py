#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A CPU that nobody has ported to (-Dcpu=none): all C compiles without a warning, and its unit tests pass.

  no_cpu.py --build BUILD [--full]

Only files that include a CPU's header, directly or not, can differ from those of BUILD: each of the product is looked
at by the compiler, with the headers of arch/none in place of this CPU's. That walks and samples are refused is seen by
test/unit/clr/code/test_no_port.c, which BUILD has. --full builds the whole tree in BUILD-cpu-none and runs its unit
tests; the folder stays, so that the next run compiles only what has changed. It is not inside BUILD, where modules are
looked for everywhere.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

# What a port is in: nothing else may name a CPU's folder.
CPU_PATH = re.compile(r'#\s*include\s*[<"][^>"]*(x86_64|aarch64|arch/none)')
LIBRARIES = ("lib/clr", "lib/core", "lib/kit")  # each has a folder arch


def run(*command, cwd=None):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=cwd)


def including(build, cpu):
    """The objects of the build that were compiled with a header of this CPU."""
    objects, now = set(), None
    for line in run("ninja", "-C", build, "-t", "deps").stdout.splitlines():
        if line and not line.startswith(" "):
            now = line.split(":")[0]
        elif "/arch/%s/" % cpu in line and line.endswith(".h"):
            objects.add(now)
    return objects


def looked_at(command, cpu, source):
    """The compiler's command line that reads a file for no CPU, and writes nothing."""
    words = shlex.split(command["command"].replace("arch/%s" % cpu, "arch/none"))
    return [*words[words[0] == "ccache":words.index("-MD")], "-fsyntax-only", "-Werror", source]


def look(suite, build):
    commands = json.loads((build / "compile_commands.json").read_text())
    cpu = next(match[1] for command in commands for match in [re.search(r"/arch/(\w+)/", command["file"])] if match)
    wanted = including(build, cpu)
    jobs = {command["file"]: command for command in commands
            if command["output"] in wanted and re.match(r"\.\./(lib|modules|tools)/(?!\w+/arch)", command["file"])}
    suite.check(len(jobs) > 10, "there are files that include a CPU's header", sorted(jobs))
    for library in LIBRARIES:
        beside = next(command for command in commands if "/%s/" % library in command["file"])
        jobs.update((str(path), beside) for path in (harness.TOP / library / "arch/none").glob("*.c"))
    for name, command in sorted(jobs.items()):
        seen = run(*looked_at(command, cpu, name), cwd=build)
        suite.check(seen.returncode == 0, "%s compiles without a warning" % name, seen.stderr[:2000])


def build_all(suite, build):
    folder = build.with_name(build.name + "-cpu-none")
    # Nothing of it is measured: code is generated and linked, but not improved.
    done = run("meson", "setup", folder, harness.TOP, "-Dcpu=none", "-Dtests=enabled", "-Dclr=enabled",
               "-Doptimization=0", "-Ddebug=false",
               *(["--reconfigure"] if (folder / "build.ninja").exists() else []))
    if not suite.check(done.returncode == 0, "it configures", done.stdout[-2000:] + done.stderr[-2000:]):
        return
    linked = [line for rule in ("c_LINKER", "STATIC_LINKER")
              for line in run("ninja", "-C", folder, "-t", "targets", "rule", rule).stdout.split()]
    suite.check(len(linked) > 50, "there is something to build", linked)
    done = run("ninja", "-C", folder, *linked)
    warned = [line for line in done.stdout.splitlines() if re.search(r"\b(warning|error):", line)]
    suite.check(done.returncode == 0 and not warned, "it builds", warned or done.stdout[-2000:])
    suite.check((folder / "lib/clr/libmonocle-clr.so").exists(), "the CoreCLR adapter is part of it")
    done = run("meson", "test", "-C", folder, "--suite", "unit", "--timeout-multiplier", "4")  # as dev does it
    failed = [line for line in done.stdout.splitlines() if re.search("FAIL|TIMEOUT|ERROR", line)]
    suite.check(done.returncode == 0, "its unit tests pass", failed[:20])
    suite.check("no port to this CPU" in done.stdout, "walks and samples were seen to be refused", done.stdout[-1000:])


def main():
    suite = harness.Suite("cpu", __doc__)
    options = suite.parse()
    build = pathlib.Path(options.build)
    named = [path for name in ("lib", "modules", "tools", "test")
             for path in sorted((harness.TOP / name).rglob("*.[ch]"))
             if "arch" not in path.parts and CPU_PATH.search(path.read_text(errors="replace"))]
    suite.check(not named, "no file outside arch/ includes a path with a CPU in it", named)
    look(suite, build)
    if options.full:
        build_all(suite, build)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
