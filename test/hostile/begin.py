#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that cannot begin, or end by an exception before they do anything: each says why, as without us.

Where the runtime throws before any managed code runs there is no frame that an exception could be thrown by. Each
program runs bare and under all of our modules at once: exit code and both outputs must be equal. --each runs it under
each module alone as well.

With probes in the class library the traces of one that fails fast are those of a program without precompiled code.
"""
import pathlib
import resource
import shutil
import stat
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
MODULES = ["calls", "events", "exceptions", "sample"]

RUNS = "static class P { static int Main () { System.Console.WriteLine (\"ran\"); return 3; } }"
LIBRARY = """public class L {
    public static string Name () { return "l"; }
    public static int Other (string s) { return 1; }
}"""
STATIC = "static class P { static P () { throw new System.Exception (\"static\"); } static int Main () { return 3; } }"
NEEDS = "static class P { static int Main () { return L.Name ().Length; } }"
THROWS = "static class P { static void Main () { throw new System.Exception (\"main\"); } }"
HANDLERS = """using System;
static class P {
    static void Main () {
        AppDomain.CurrentDomain.FirstChanceException += (s, e) => Console.WriteLine ("first " + e.Exception.Message);
        AppDomain.CurrentDomain.UnhandledException += (s, e) => Console.WriteLine ("unhandled " + e.IsTerminating);
        try { throw new Exception ("caught"); } catch (Exception) { }
        throw new Exception ("not caught");
    }
}"""
FAILS = "static class P { static void Main () { System.Environment.FailFast (\"over\"); } }"
HOOK = "class StartupHook { public static void Initialize () { throw new System.Exception (\"hook\"); } }"
# The only managed frames of a thread that C made are a dynamic method, which catches what it throws, and stubs.
FOREIGN = """using System; using System.Reflection.Emit; using System.Runtime.InteropServices;
delegate IntPtr Start (IntPtr data);
static class P {
    [DllImport ("libc")] static extern int pthread_create (out IntPtr id, IntPtr attributes, IntPtr start, IntPtr data);
    [DllImport ("libc")] static extern int pthread_join (IntPtr thread, IntPtr result);
    static int Main () {
        var made = new DynamicMethod ("start", typeof (IntPtr), new[] { typeof (IntPtr) }, typeof (P).Module, true);
        var il = made.GetILGenerator ();
        il.BeginExceptionBlock ();
        il.Emit (OpCodes.Newobj, typeof (InvalidTimeZoneException).GetConstructor (Type.EmptyTypes));
        il.Emit (OpCodes.Throw);
        il.BeginCatchBlock (typeof (Exception));
        il.Emit (OpCodes.Pop);
        il.EndExceptionBlock ();
        il.Emit (OpCodes.Ldarg_0);
        il.Emit (OpCodes.Ret);
        var start = (Start) made.CreateDelegate (typeof (Start));
        for (int i = 0; i < 5; i++) {
            pthread_create (out IntPtr thread, IntPtr.Zero, Marshal.GetFunctionPointerForDelegate (start), IntPtr.Zero);
            pthread_join (thread, IntPtr.Zero);
        }
        GC.KeepAlive (start);
        for (int i = 0; i < 7; i++)
            try { throw new TimeZoneNotFoundException (); } catch (TimeZoneNotFoundException) { }
        return 3;
    }
}"""


class Case:
    """What a program is made of, and how it is started."""

    def __init__(self, name, source=RUNS, flags=(), change=None, env=None, config=True, command=None):
        self.name, self.source, self.flags, self.change = name, source, flags, change
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
    Case("empty", change=write(b"")),
    Case("cut off", change=cut),
    Case("a folder", change=replace_by_folder),
    Case("not there", change=lose),
    Case("32 bits", flags=["-platform:x86"]),
    Case("no entry point", LIBRARY, ["-target:library"]),
    Case("wrong signature", LIBRARY + RUNS, change=entry_point(0x06000002)),
    Case("no static method", LIBRARY + RUNS, change=entry_point(0x06000003)),
    Case("no such method", change=entry_point(0x06000099)),
    Case("static constructor", STATIC),
    Case("library not there", NEEDS, ["-r:l.dll"], lose_library),
    Case("library no image", NEEDS, ["-r:l.dll"], break_library),
    Case("throws at once", THROWS),
    Case("handlers of exceptions", HANDLERS),
    Case("startup hook throws", env={"DOTNET_STARTUP_HOOKS": "{folder}/hook.dll"}),
    Case("startup hook not there", env={"DOTNET_STARTUP_HOOKS": "{folder}/nobody.dll"}),
    Case("startup hook no name", env={"DOTNET_STARTUP_HOOKS": "a/b"}),
    Case("no precompiled code", LIBRARY, ["-target:library"], env={"DOTNET_ReadyToRun": "0"}),
    Case("heap limit", env={"DOTNET_GCHeapHardLimit": "1000"}),
    Case("no such framework", config=MISSING_VERSION, command=without_version),
    Case("broken configuration", config="{", command=without_version),
    Case("apphost", change=lose, command=apphost),
]


class Begin(harness.Suite):
    def compile(self, source, target, flags=()):
        text = target.with_suffix(".cs")
        text.write_text(source)
        made = subprocess.run(["mcs", "-nologo", "-warn:0", *flags, "-out:%s" % target.name, text.name],
                              cwd=target.parent, capture_output=True, text=True)
        self.check(made.returncode == 0, "%s compiles" % target.name, made.stdout + made.stderr)

    def make(self, case):
        folder = self.work / case.name.replace(" ", "-")
        folder.mkdir()
        self.compile(LIBRARY, folder / "l.dll", ["-target:library"])
        self.compile(HOOK, folder / "hook.dll", ["-target:library"])
        image = folder / "begin.dll"
        self.compile(case.source, image, case.flags)
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
        case = Case("thrown by a dynamic method", FOREIGN)
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
        image = self.make(Case("fails fast", FAILS))
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
    suite.parser.add_argument("--runtimes", default="clr8,clr9,clr10")
    suite.parser.add_argument("--each", action="store_true", help="each module alone as well")
    suite.parser.add_argument("--only", help="one program, by name, or foreign, or traces")
    options = suite.parse()
    if not shutil.which("mcs"):
        suite.skip("begin", "no mcs", "mono")
        return suite.finish()
    runtimes = suite.runtimes(options.runtimes.split(","))
    for case in CASES:
        if options.only in (None, case.name):
            suite.program(case, runtimes, options.each)
    if options.only in (None, "foreign"):
        suite.foreign(runtimes)
    if options.only in (None, "traces"):
        suite.traces(runtimes)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
