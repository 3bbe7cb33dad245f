#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that cannot begin, or end by an exception before they do anything: each says why, as without us.

Where the runtime throws before any managed code runs there is no frame that an exception could be thrown by. Each
program of begin/ runs bare and under all of our modules at once: exit code and both outputs must be equal. --each runs
it under each module alone as well. Programs that fail as another one does are left to --full, and .NET 8 and 9 with all
but two.

With probes in the class library the traces of one that fails fast are those of a program without precompiled code.
"""
import pathlib
import resource
import shutil
import stat
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
MODULES = ["calls", "events", "exceptions", "sample"]


class Case:
    """What a program is made of, and how it is started."""

    def __init__(self, name, program="runs", change=None, env=None, config=True, command=None, again=False, old=False):
        self.name, self.program, self.change = name, program, change
        self.again, self.old = again, old  # another one fails so; the first tier has it on older runtimes, too
        self.env = env or {}        # {folder} is the program's own
        self.config = config        # false: no runtimeconfig.json; a text: that one
        self.command = command      # makes the command line from (suite, runtime, image)

    def __str__(self):
        return self.name


# --- what is done to an image ----------------------------------------------------------------------------------------

def write(content):
    return lambda path: path.write_bytes(content)


def cut(path):
    path.write_bytes(path.read_bytes()[:700])


def entry_point(token):
    """Another method begins. The CLI header: its size (72), its version (2.5); the token is its sixth word."""
    def change(path):
        data = bytearray(path.read_bytes())
        header = data.index(b"\x48\0\0\0\2\0\5\0")
        data[header + 20:header + 24] = token.to_bytes(4, "little")
        path.write_bytes(data)
    return change


def replace_by_folder(path):
    path.unlink()
    path.mkdir()


def lose_library(path):
    (path.parent / "l.dll").unlink()


def break_library(path):
    (path.parent / "l.dll").write_bytes(b"no image")


def lose(path):
    path.unlink()


MISSING_VERSION = '{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"77.7.7"}}}'


def without_version(suite, runtime, image):
    return [runtime.prefix[0], image]


def apphost(suite, runtime, image):
    """The SDK's own start program, told where its image is; it finds .NET by DOTNET_ROOT."""
    template = next(iter(sorted(pathlib.Path(shutil.which("dotnet")).resolve().parent.glob(
        "sdk/*/AppHostTemplate/apphost"))), None)
    mark = b"c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2"
    host = image.parent / "host"
    name = image.name.encode()
    host.write_bytes(template.read_bytes().replace(mark, name + b"\0" * (len(mark) - len(name)), 1))
    host.chmod(host.stat().st_mode | stat.S_IXUSR)
    return [host]


CASES = [
    Case("garbage", change=write(b"garbage\n")),
    Case("empty", change=write(b""), again=True),
    Case("cut off", change=cut),
    Case("a folder", change=replace_by_folder, again=True),
    Case("not there", change=lose, again=True),
    Case("32 bits", "x86"),
    Case("no entry point", "library"),
    Case("wrong signature", "both", entry_point(0x06000002)),
    Case("no static method", "both", entry_point(0x06000003), again=True),
    Case("no such method", change=entry_point(0x06000099), again=True),
    Case("static constructor", "statics"),
    Case("library not there", "needs", lose_library, old=True),
    Case("library no image", "needs", break_library, again=True),
    Case("throws at once", "throws", again=True),
    Case("handlers of exceptions", "handlers"),
    Case("startup hook throws", env={"DOTNET_STARTUP_HOOKS": "{folder}/hook.dll"}, old=True),
    Case("startup hook not there", env={"DOTNET_STARTUP_HOOKS": "{folder}/nobody.dll"}, again=True),
    Case("startup hook no name", env={"DOTNET_STARTUP_HOOKS": "a/b"}, again=True),
    Case("no precompiled code", "library", env={"DOTNET_ReadyToRun": "0"}),
    Case("heap limit", env={"DOTNET_GCHeapHardLimit": "1000"}),
    Case("no such framework", config=MISSING_VERSION, command=without_version, again=True),
    Case("broken configuration", config="{", command=without_version, again=True),
    Case("apphost", change=lose, command=apphost),
]


class Begin(harness.Suite):
    def programs(self):
        return self.build.path / "test/hostile/begin"

    def make(self, case):
        folder = self.work / case.name.replace(" ", "-")
        folder.mkdir()
        image = folder / "begin.dll"
        for path in ("library/l.dll", "library/hook.dll", case.program + "/begin.dll"):
            shutil.copy(self.programs() / path, folder)
        config = (HERE.parent / "conformance/programs/runtimeconfig.json").read_text()
        if case.config:
            (folder / "begin.runtimeconfig.json").write_text(config if case.config is True else case.config)
        if case.change:
            case.change(image)
        return image

    def start(self, case, runtime, image, modules):
        command = case.command(self, runtime, image) if case.command else runtime.command(image)
        settings = {name: value.format(folder=image.parent) for name, value in case.env.items()}
        settings["DOTNET_ROOT"] = str(pathlib.Path(shutil.which(runtime.prefix[0])).resolve().parent)
        env = harness.bare_environment(settings)
        if modules:
            env = harness.profile_environment(self.build, runtime, modules, settings)
        return harness.run(command, env, cwd=image.parent, timeout=120)

    @staticmethod
    def comparable(seen):
        """Not our own lines, nor frames of the class library: which of them are inlined is the compiler's choice, and
        what a module wants to hear of is not taken precompiled."""
        err = [line for line in seen.err.splitlines() if not line.startswith(("monocle:", "   at System."))]
        return seen.code, seen.out, err

    def same(self, case, runtime, image, bare, names):
        what = "%s %s under %s" % (runtime, case, ", ".join(names))
        files = {name: image.parent / ("%s-%s-%d" % (runtime, name, len(names))) for name in names}
        seen = self.start(case, runtime, image, ["%s:output=%s" % item for item in files.items()])
        self.check(self.comparable(seen) == self.comparable(bare), what + ": ends as without us",
                   "%s\n--- bare\n%s" % (seen, bare))
        return files

    def program(self, case, runtimes, each):
        image = self.make(case)
        for runtime in runtimes:
            bare = self.start(case, runtime, image, [])
            self.check(bare.code != 0 and not bare.timeout, "%s %s: fails" % (runtime, case), bare)
            for names in [MODULES] + ([[name] for name in MODULES] if each else []):
                self.same(case, runtime, image, bare, names)

    def foreign(self, runtimes):
        """Exceptions of threads without any frame that has metadata are told, and so is what is thrown after them."""
        case = Case("thrown by a dynamic method", "foreign")
        image = self.make(case)
        for runtime in runtimes:
            bare = self.start(case, runtime, image, [])
            self.check(bare.code == 3, "%s %s: runs" % (runtime, case), bare)
            files = self.same(case, runtime, image, bare, ["exceptions"])
            seen = harness.run([self.build.monocle, "report", "--format=tsv", files["exceptions"]],
                               harness.bare_environment())
            rows = dict(line.split("\t", 1) for line in seen.out.splitlines())
            for name, count in (("System.InvalidTimeZoneException", 5), ("System.TimeZoneNotFoundException", 7)):
                row = "0\t0\t%d\t%d\t" % (count, count)
                self.check(rows.get(name, "").startswith(row), "%s %s: %s" % (runtime, case, name), seen)

    def traces(self, runtimes):
        image = self.make(Case("fails fast", "fails"))
        for runtime in runtimes:
            bare = self.start(Case("bare", env={"DOTNET_ReadyToRun": "0"}), runtime, image, [])
            what, file = "%s fails fast with probes in the class library" % runtime, image.parent / str(runtime)
            seen = self.start(Case("profiled"), runtime, image, ["calls:callspec=all,output=%s" % file])
            self.check("over" in bare.err and "P.Main()" in bare.err, what + ": has a trace", bare)
            self.check((seen.code, seen.out, seen.err) == (bare.code, bare.out, bare.err),
                       what + ": as without precompiled code", "%s\n--- bare\n%s" % (seen, bare))


def main():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    suite = Begin("begin", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parser.add_argument("--each", action="store_true", help="each module alone as well")
    suite.parser.add_argument("--only", help="one program, by name, or foreign, or traces")
    options = suite.parse(harness.TO_10, harness.NET)
    if not (suite.programs() / "runs/begin.dll").exists():
        suite.skip("begin", "not compiled: there is no SDK, or no mcs", "coreclr")
        return suite.finish()
    every = suite.runtimes()
    runtimes = [runtime for runtime in every if options.full or runtime.name in suite.newer]
    for case in CASES:
        if options.only in (None, case.name) and (options.full or not case.again):
            suite.program(case, every if case.old else runtimes, options.each)
    if options.only in (None, "foreign"):
        suite.foreign(runtimes)
    if options.only in (None, "traces"):
        suite.traces(runtimes)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
