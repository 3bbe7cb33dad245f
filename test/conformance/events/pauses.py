#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One thread tells of a pause and of the collection in it, whatever collector the runtime has: modules that were
written for Mono take a lock in one event and give it back in another (../modules/pauses.c)."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import harness  # noqa: E402

SETTINGS = [{}, {"DOTNET_gcConcurrent": "0"}, {"DOTNET_gcServer": "1"},
            {"DOTNET_gcServer": "1", "DOTNET_gcConcurrent": "0"}]


class Pauses(harness.Suite):
    def program(self, runtime, settings):
        what = " ".join([str(runtime)] + ["%s=%s" % item for item in settings.items()])
        image, file = self.build.path / "test/conformance/events/events-pauses.exe", self.work / "found"
        file.unlink(missing_ok=True)
        env = harness.profile_environment(self.build, runtime, ["pauses:%s" % file], settings)
        seen = harness.run(runtime.command(image), env, cwd=self.work)
        self.check((seen.code, seen.out) == (3, "done\n"), what + ": the program does what it does", seen)
        if not self.check(file.exists(), what + ": the module wrote what it found", seen):
            return
        words = file.read_text().split()
        found = {name: int(value) for name, value in zip(words[::2], words[1::2])}
        print("%s: %s" % (what, " ".join(words)))
        self.check(found["pauses"] >= 10, what + ": there were pauses", found)
        self.check(found["held"] >= 1000 * found["pauses"], what + ": collections take their time", found)
        self.check(found["strangers"] == 0, what + ": one thread tells of a pause", found)
        self.check(found["unlocked"] == 0, what + ": who takes a lock gives it back", found)
        if settings.get("DOTNET_gcServer"):
            self.check(found["apart"] == 0, what + ": one thread tells of a collection in the background", found)


def main():
    suite = Pauses("pauses", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse(first="mono,clr9,clr10")
    if not (suite.build.path / "test/conformance/events/events-pauses.exe").exists():
        suite.skip("pauses", "not compiled: mcs was absent", "mono")
        return suite.finish()
    for runtime in suite.runtimes():
        for settings in [{}] if runtime.kind == "mono" else SETTINGS if suite.options.full else SETTINGS[::2]:
            suite.program(runtime, settings)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
