# SPDX-License-Identifier: MIT
"""Reads what test_pprof wrote with a reader that shares nothing with the writer (pprof.py)."""
import filecmp
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
import pprof  # noqa: E402

MAKER = sys.argv.pop(1)
MAIN, A, G, B = "P:Main (string[])", "P:A (int)", "P:G<T> (T)", "System.String:B ()"


DEPS = """{ "targets": { "net10.0": {
    "app/1.0": { "runtime": { "app.dll": {} } },
    "Pack/2.0": { "runtime": { "lib/net8.0/Pack.dll": {} } } } },
  "libraries": { "app/1.0": { "type": "project" }, "Pack/2.0": { "type": "package" } } }"""


class Pprof(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        with open(os.path.join(cls.folder.name, "app.deps.json"), "w") as file:
            file.write(DEPS)
        subprocess.run([MAKER, cls.folder.name], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name + ".pb.gz")

    def test_samples_are_paths_leaf_first(self):
        profile = pprof.load(self.path("times"))
        self.assertEqual(profile.types, [("calls", "count"), ("self", "nanoseconds")])
        self.assertEqual(profile.default_type, "self")
        self.assertEqual(profile.samples, [
            ([MAIN], [1, 1000], {}),
            ([B, MAIN], [1, 0], {}),  # no time, but called
            ([A, MAIN], [1, 2000], {}),
            ([G, A, MAIN], [2, 3000], {}),
        ])

    def test_functions_have_names_files_and_images(self):
        profile = pprof.load(self.path("times"))
        self.assertEqual([f["name"] for f in profile.functions.values()], [B, A, MAIN, G])
        self.assertEqual([f["file"] for f in profile.functions.values()], ["", "fib.exe", "fib.exe", "lib.dll"])
        self.assertEqual(profile.functions[4]["system_name"], "lib.dll!" + G)
        names = [profile.strings[m.get(5, 0)] for m in profile.mappings.values()]
        self.assertEqual(names, ["", "/app/fib.exe", "/app/lib.dll"])
        self.assertTrue(all(m[7] == 1 for m in profile.mappings.values()))

    def test_places_of_a_method_are_locations_of_one_function(self):
        profile = pprof.load(self.path("places"))
        self.assertEqual(sorted(f["name"] for f in profile.functions.values()), [A, G, MAIN, "P:Z ()"])
        self.assertEqual([profile.strings[m.get(6, 0)] for m in profile.mappings.values()],
                         ["0a1b2c3d4e5f60718293a4b5c6d7e8f9", ""])
        self.assertEqual(sorted(profile.places.values()), [
            (A, 0x06000002_00000015, 0), (A, 0x06000002_80000021, 0), (G, 0, 0), (MAIN, 0x06000001_00000000, 0),
            ("P:Z ()", 0, 0),  # of another build of the image than the others
        ])
        self.assertEqual([stack for stack, _, _ in profile.samples].count([A, MAIN]), 2)

    def test_the_rest_says_when_and_what(self):
        profile = pprof.load(self.path("times"))
        self.assertEqual((profile.time, profile.duration), (1790000000000000000, 5000000000))
        self.assertEqual((profile.period_type, profile.period), (("calls", "count"), 1))
        self.assertEqual(profile.comments[0], "desc: calls:output=x")
        self.assertRegex(profile.comments[1], r"^version: monocle \d")
        self.assertEqual(profile.comments[2:], ["runtime: 6.8", "program: fib, pid 4711, on here"])

    def test_packages_that_no_path_tells_are_named(self):
        comments = pprof.load(self.path("packages")).comments
        self.assertEqual([text for text in comments if text.startswith("package")], ["package: Pack.dll"])

    def test_without_times_there_are_counts_only(self):
        profile = pprof.load(self.path("counts"))
        self.assertEqual(profile.types, [("calls", "count")])
        self.assertEqual(profile.default_type, "calls")
        self.assertEqual(profile.by_method(), {MAIN: 1, A: 1, B: 1, G: 2})

    def test_equal_profiles_are_equal_files(self):
        self.assertTrue(filecmp.cmp(self.path("counts"), self.path("other-order"), shallow=False))

    def test_threads_are_labels(self):
        profile = pprof.load(self.path("threads"))
        self.assertEqual(profile.samples, [([MAIN], [1], {"thread": "Thread 2"}), ([MAIN], [1], {"thread": "Wörker"})])

    def test_what_is_not_utf_8_is_replaced(self):
        profile = pprof.load(self.path("bytes"))
        bad = "\ufffd"
        name = "P:%s-%s-%s-%s-\u20ac\U0001f600%s" % (3 * bad, 3 * bad, 4 * bad, 2 * bad, bad)
        self.assertEqual(profile.by_method(), {name: 1})
        self.assertEqual(profile.functions[1]["file"], bad + ".exe")
        self.assertEqual(profile.functions[1]["system_name"], bad + ".exe!" + name)

    def test_losses_are_comments(self):
        profile = pprof.load(self.path("threads"))
        self.assertIn("lost: 3 leaves had no enter and were ignored", profile.comments)


if __name__ == "__main__":
    unittest.main(verbosity=2)
