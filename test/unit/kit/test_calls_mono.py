# SPDX-License-Identifier: MIT
"""The module `calls` on a live Mono: counts, what survives, and what a user sees when something is wrong.

    test_calls_mono.py MODULE KIT_LIBRARY

Exits 77 where there is no Mono, unless MONOCLE_REQUIRE names it.
"""
import ctypes
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../.."))
import pprof  # noqa: E402

KIT = sys.argv.pop()
MODULE = sys.argv.pop()
FIB, MAIN = "P:Fib (int)", "P:Main (string[])"


def read(spool):
    """What `monocle report` does with a spool: (the profile, None) or (None, why not)."""
    kit = ctypes.CDLL(KIT)
    data, length, error = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_char_p()
    if kit.monocle_kit_spool_read(spool.encode(), ctypes.byref(data), ctypes.byref(length), ctypes.byref(error)):
        return None, error.value.decode()
    whole = spool + ".pb.gz"
    with open(whole, "wb") as file:
        file.write(ctypes.string_at(data, length.value))
    return pprof.load(whole), None


class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.top = cls.holder.name
        for file in MODULE, KIT:
            os.symlink(os.path.abspath(file), os.path.join(cls.top, os.path.basename(file)))
        cls.exe = os.path.join(cls.top, "calls.exe")
        subprocess.run(["mcs", "-optimize+", "-out:" + cls.exe, os.path.join(HERE, "calls.cs")], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=self.top)
        self.output = os.path.join(self.folder, "p.pb.gz")

    def environment(self, **more):
        env = {k: v for k, v in os.environ.items() if not k.startswith("MONO")}
        env["LD_LIBRARY_PATH"] = self.top
        env.update(more)
        return env

    def command(self, options, *arguments, profiles=()):
        profiles = ["--profile=" + p for p in (*profiles, "calls" + options)]
        return ["mono", *profiles, self.exe, *map(str, arguments)]

    def run_calls(self, options, *arguments, profiles=(), **environment):
        return subprocess.run(self.command(options, *arguments, profiles=profiles), env=self.environment(**environment),
                              cwd=self.folder, capture_output=True, text=True, timeout=100)

    def profile(self, *arguments, options="", profiles=(), code=3):
        run = self.run_calls(":output=" + self.output + options, *arguments, profiles=profiles)
        self.assertEqual((run.returncode, run.stderr), (code, ""))
        self.assertEqual(os.listdir(self.folder), ["p.pb.gz"])
        return pprof.load(self.output)

    def comments(self, profile, word):
        return [c for c in profile.comments if c.startswith("lost") and word in c]

    def test_fib_32_is_counted_exactly(self):
        profile = self.profile("fib", 32)
        self.assertEqual(profile.by_method(), {FIB: 7049155, MAIN: 1})
        self.assertEqual(self.comments(profile, ""), [])

    def test_self_times_sum_to_the_time_of_main(self):
        begun = time.monotonic_ns()
        profile = self.profile("fib", 25)
        total = sum(profile.by_method(1).values())
        self.assertGreater(total, 1000000)
        self.assertLessEqual(total, profile.duration)
        self.assertLess(profile.duration, time.monotonic_ns() - begun)

    def test_sleeping_is_wall_time_of_the_method_that_sleeps(self):
        begun = time.monotonic()
        profile = self.profile("sleep", 300)
        slept = profile.by_method(1)[MAIN] / 1e9
        self.assertTrue(0.299 < slept < time.monotonic() - begun, slept)

    def test_without_time_the_counts_are_the_same(self):
        profile = self.profile("fib", 20, options=",time=none")
        self.assertEqual(profile.types, [("calls", "count")])
        self.assertEqual(profile.by_method(), {FIB: 21891, MAIN: 1})

    def test_exceptions_keep_the_tree_balanced(self):
        profile = self.profile("exceptions")
        calls = profile.by_method()
        self.assertEqual(calls["P:Leaf (int)"], 1100)
        self.assertEqual(calls["P:Finally ()"], 1000)
        self.assertEqual(calls["P:AfterCatch ()"], 200)
        paths = {";".join(reversed(p)): v[0] for p, v, _ in profile.samples}
        self.assertEqual(paths["%s;P:Exceptions ();P:Catcher ();P:AfterCatch ()" % MAIN], 100)
        self.assertEqual(paths["%s;P:Exceptions ();P:AfterCatch ()" % MAIN], 100)
        self.assertEqual(self.comments(profile, "ended without telling"), [])

    def test_generics_lambdas_and_iterators_have_monos_names(self):
        calls = self.profile("generics").by_method()
        self.assertEqual(calls["P:Same<int> (int)"], 50)
        self.assertEqual(calls["P:<Generics>m__0 (int)"], 50)
        self.assertEqual(calls["P/<Numbers>c__Iterator0:MoveNext ()"], 51)
        self.assertTrue(any(name.startswith("P:Same<") and "int" not in name for name in calls))

    def test_four_threads_at_once_are_counted_exactly(self):
        self.assertEqual(self.profile("threads").by_method()[FIB], 4 * 21891)

    def test_threads_are_kept_apart_when_asked(self):
        profile = self.profile("threads", options=",threads")
        for i in range(4):
            self.assertEqual(profile.by_method(thread="worker %d" % i)[FIB], 21891)
        self.assertEqual(profile.by_method(thread="Main")[MAIN], 1)

    def test_a_million_calls_deep_is_folded(self):
        profile = self.profile("deep", options=",calldepth=0")
        self.assertEqual(profile.by_method()["P:Deep (int)"], 1000001)
        self.assertEqual(max(len(p) for p, _, _ in profile.samples), 4097)

    def test_calldepth_folds(self):
        profile = self.profile("fib", 15, options=",calldepth=5")
        self.assertEqual(profile.by_method(), {FIB: 1973, MAIN: 1})
        self.assertEqual(max(len(p) for p, _, _ in profile.samples), 6)

    def test_callspec_chooses_methods(self):
        self.assertEqual(self.profile("fib", 10, options=",callspec='M:P:Main'").by_method(), {MAIN: 1})
        self.assertEqual(self.profile("fib", 10, options=",callspec='-M:P:Main'").by_method(), {FIB: 177})
        self.assertEqual(self.profile("fib", 10, options=",callspec=none").by_method(), {})

    def test_wrappers_are_shown_when_asked_for(self):
        calls = self.profile("fib", 10, options=",callspec='wrapper'").by_method()
        self.assertTrue(calls and all(name.startswith("(wrapper ") for name in calls))

    def test_what_another_module_asked_for_is_not_shown(self):
        log = "log:calls,output=/dev/null"
        profile = self.profile("generics", profiles=[log])
        self.assertTrue(all(name.startswith("P") for name in profile.by_method()))
        self.assertEqual(profile.by_method()["P:Same<int> (int)"], 50)

    def test_environment_exit_is_a_clean_end(self):
        self.assertEqual(self.profile("exit", code=7).by_method()[FIB], 15)

    def test_the_default_name_says_program_time_and_process(self):
        self.run_calls("", "fib", 5)
        self.assertRegex(os.listdir(self.folder)[0], r"^calls_\d{8}_\d{6}_\d+\.calls\.pb\.gz$")

    def test_an_unhandled_exception_leaves_a_spool_that_can_be_read(self):
        bare = subprocess.run(["mono", self.exe, "unhandled"], env=self.environment(), capture_output=True, text=True)
        run = self.run_calls(":output=" + self.output, "unhandled")
        self.assertEqual((run.returncode, run.stderr), (bare.returncode, bare.stderr))
        profile, error = read(self.output + ".spool")
        self.assertIsNone(error)
        self.assertEqual(profile.by_method(), {FIB: 15, MAIN: 1})
        self.assertIn("end: the process died; this was completed from its spool", profile.comments)

    def test_sigkill_loses_nothing(self):
        child = subprocess.Popen(self.command(":output=" + self.output, "endless"), env=self.environment(),
                                 stdout=subprocess.PIPE, text=True)
        told = [int(child.stdout.readline()) for _ in range(20)][-1]
        seen, error = read(self.output + ".spool")
        child.send_signal(signal.SIGKILL)
        told = ([told] + [int(line) for line in child.stdout.read().split()])[-1]
        child.stdout.close()
        child.wait()
        self.assertIsNone(error)
        self.assertIn("end: the process is still running; this is what it had so far", seen.comments)
        calls = read(self.output + ".spool")[0].by_method()["P:Finally ()"]
        self.assertGreaterEqual(calls, told + 1)
        self.assertLessEqual(calls, told + 100001)

    def test_an_hour_slept_before_sigkill_is_not_lost(self):
        begun = time.monotonic()
        child = subprocess.Popen(self.command(":output=" + self.output, "sleep", 600000), env=self.environment(),
                                 stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "sleeping\n")
        while self.seconds_of_main() <= 1:
            self.assertIsNone(child.poll(), "the program ended before its sleep was written down")
            time.sleep(0.05)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        self.assertTrue(1 < self.seconds_of_main() < time.monotonic() - begun)

    def seconds_of_main(self):
        profile, error = read(self.output + ".spool")
        self.assertIsNone(error)
        return profile.by_method(1).get(MAIN, 0) / 1e9

    def test_a_program_among_monos_own_files_is_the_program(self):
        exe = os.path.join(self.folder, "lib", "mono", "calls.exe")
        os.makedirs(os.path.dirname(exe))
        shutil.copy(self.exe, exe)
        subprocess.run(["mono", "--profile=calls:output=" + self.output, exe, "fib", "10"], env=self.environment(),
                       capture_output=True)
        self.assertEqual(pprof.load(self.output).by_method(), {FIB: 177, MAIN: 1})

    def test_a_parent_that_collects_finds_a_note(self):
        folder = os.path.join(self.folder, "run")
        os.mkdir(folder)
        self.run_calls(":output=" + self.output, "fib", 5, MONOCLE_RUN_DIR=folder)
        notes = glob.glob(os.path.join(folder, "*.1.done"))
        self.assertEqual(os.listdir(folder), [os.path.basename(n) for n in notes])
        with open(notes[0]) as note:
            self.assertEqual(note.read(), self.output + "\n")

    def test_wrong_options_and_outputs_are_one_line_and_change_nothing(self):
        for options, message in (
                (":outpt=x", 'monocle: calls: unknown option "outpt"; did you mean "output"?\n'),
                (":time=gpu", "monocle: calls: option time=gpu: one of wall|cpu|none is wanted\n"),
                (":callspec=X:y", 'monocle: calls: option callspec=X:y: "X:y" is none of all, none, program, wrapper, '
                                  "ASSEMBLY, M:Type:Method, N:Namespace, T:Type\n"),
                (":include=all,exclude='T:X,Y:z'",
                 'monocle: calls: option callspec=all,-T:X,-Y:z: "-Y:z" is none of all, none, program, wrapper, '
                 "ASSEMBLY, M:Type:Method, N:Namespace, T:Type\n"),
                (":threshold=5", "monocle: calls: option threshold=5: a time is wanted, a number with ns, us, ms, "
                                 "s, m or h\n"),
                (":threshold=5ms,time=none", "monocle: calls: option threshold needs times: leave out time=none\n"),
                (":threshold=5ms,time=cpu", "monocle: calls: option threshold needs times: leave out time=cpu\n"),
                (":args", "monocle: calls: option args is about slow calls: it needs threshold=TIME\n"),
                (":result", "monocle: calls: option result is about slow calls: it needs threshold=TIME\n"),
                (":trigger=Calls", "monocle: calls: option trigger=Calls: M:Type:Method or exception:TYPE is wanted\n"),
                (":trigger=M:Calls", 'monocle: calls: option trigger=M:Calls: "M:Calls" names no type and method: '
                                     "M:Type:Method is wanted\n"),
                (":trigger=exception:", 'monocle: calls: option trigger=exception:: "T:" names no type: '
                                        "T:Type is wanted\n"),
                (":output=/nowhere/p", "monocle: calls: cannot write /nowhere/p: No such file or directory; "
                                       "the program runs unprofiled\n")):
            run = self.run_calls(options, "fib", 10)
            self.assertEqual((run.returncode, run.stdout, run.stderr), (3, "55\n", message))
        self.assertEqual(os.listdir(self.folder), [])

    def test_cpu_time_is_measured_where_that_is_cheap(self):
        run = self.run_calls(":time=cpu", "fib", 10)
        self.assertEqual((run.returncode, run.stdout), (3, "55\n"))
        if os.listdir(self.folder):
            self.assertEqual(run.stderr, "")
            return
        refused = re.fullmatch(r"monocle: calls: time=cpu: reading a thread's CPU time costs (\d+) ns here, and a call "
                               r"needs two; it is for less than 30 ns\. --profile=sample shows where CPU time goes\n",
                               run.stderr)
        self.assertTrue(refused, run.stderr)
        self.assertGreaterEqual(int(refused[1]), 30)

    def test_help_runs_no_program(self):
        run = self.run_calls(":help", "fib", 10)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("callspec=SPEC", run.stdout)
        self.assertNotIn("55", run.stdout)


if __name__ == "__main__":
    if not shutil.which("mono") or not shutil.which("mcs"):
        print("skipped: mono and mcs are not installed")
        sys.exit(1 if "mono" in os.environ.get("MONOCLE_REQUIRE", "") else 77)
    unittest.main(verbosity=2)
