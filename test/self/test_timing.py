#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What test/headers/timing.py finds in a source of the first tier, and what it lets be."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "headers"))
import timing  # noqa: E402

SCRIPT = """\
import time
def waits():
    time.sleep(0.5)
def polls(process):
    while process.poll() is None:
        time.sleep(0.01)
    for _ in range(100):
        if process.poll():
            break
        time.sleep(0.01)
def counts():
    for _ in range(100):
        time.sleep(0.01)
def is_ended_by_others():
    time.sleep(60)
class Suite:
    def share(self, mine, all_of_them):
        self.check(mine > 0.9 * all_of_them, "most are mine")
    def whole(self, mine):
        self.check(mine >= 2, "two are mine")
    def clock(self, took):
        self.check(took < 3, "it is fast")
    def unit(self):
        self.assertLess(self.mine, 0.03 * self.used)
        self.assertLess(elapsed, 3)
        self.assertGreater(elapsed, 3)
    def storm(self):
        time.sleep(1)
    def rates(self):
        self.storm()
    @unittest.skipUnless(full, "shares")
    def shares(self):
        self.assertGreater(self.mine, 0.5 * self.used)
    def late(self, short):
        time.sleep(1)
    def main(self):
        if self.options.full:
            self.rates()
        both = self.options.full and self.late(True)
        if not self.options.full:
            return
        time.sleep(7)
    def again(self):
        if self.options.full:
            pass
        else:
            time.sleep(8)
"""
C = """\
static void
waits (void)
{
	usleep (1000);
}

static void
polls (void)
{
	while (!atomic_load (&done))
		usleep (1000);
	for (int i = 0; i < 100; i++) {
		if (done)
			break;
		usleep (1000);
	}
}

static void
counts (void)
{
	for (int i = 0; i < 100; i++)
		usleep (1000);
}

static void
share_is_right (void **state)
{
	assert_true (mine < all * 9 / 10); /* usleep (5) */
	assert_true (took < limit);
	sleep (1000);
}
"""
SHARP = """\
class Program
{
	static void Waits ()
	{
		Thread.Sleep (200);
	}

	static void Polls ()
	{
		while (!done)
			Thread.Sleep (1);
		Thread.Sleep (Timeout.Infinite);
	}
}
"""


class Timing(unittest.TestCase):
    def test_a_script(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(SCRIPT)
            file.flush()
            found = [one[1:] for one in sorted(timing.findings(pathlib.Path(file.name)))]
        self.assertEqual(found, [("waits", "sleep"), ("counts", "sleep"), ("share", "share"), ("clock", "clock"),
                                 ("unit", "share"), ("unit", "clock"),
                                 ("again", "sleep")])

    def test_a_program_in_c(self):
        self.assertEqual([one[1:] for one in timing.scan(C, False)], [
            ("waits", "sleep"), ("counts", "sleep"), ("share_is_right", "share"), ("share_is_right", "clock")])

    def test_a_program_in_c_sharp(self):
        self.assertEqual([one[1:] for one in timing.scan(SHARP, True)], [("Waits", "sleep")])


if __name__ == "__main__":
    unittest.main()
