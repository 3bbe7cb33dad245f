#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The snippets of doc/services-and-containers.md: their variables are what `monocle env` prints, and what they describe
is started in a container that has .NET and nothing else. Then a container's small limits.

A snippet to run follows a line <!-- runs: NAME -->.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "conformance"))
import container  # noqa: E402
import counts  # noqa: E402
import harness  # noqa: E402

try:
    import yaml
except ImportError:
    yaml = None

PAGE = harness.TOP / "doc/services-and-containers.md"
PROFILES = "/var/lib/monocle"
WANTED = {"Shop:Main ()": 1, "Shop:Sell (int)": 1000, "Shop:Close (object,System.ConsoleCancelEventArgs)": 1}
KILLED = {"Shop:Main ()": 1, "Shop:Sell (int)": 1000}
ENDS = (3, "open\n", "")
# CoreCLR reserves 256 GiB, and cannot begin with less.
LIMITS = [("open files", "--nofile=40"), ("threads", "--nproc=24"), ("address space", "--as=276000000000")]


class Recipe:
    """What a snippet says: `env`, `user`, `read_only`, `mounts` (folder there, or None for tmpfs), the command."""

    def __init__(self, env, user=container.USER, read_only=False, mounts=(PROFILES,), command=None):
        self.env, self.user, self.read_only, self.mounts = env, user, read_only, mounts
        self.command = command or ["dotnet", "/app/shop.dll"]


def snippets():
    return dict(re.findall(r"<!-- runs: (\w+) -->\n```\w*\n(.*?)```", PAGE.read_text(), re.S))


def in_quotes(text):
    """{name: value} of NAME="VALUE" and "NAME=VALUE"; nothing in the page's values needs an escape."""
    return dict(word.split("=", 1) for word in shlex.split(text))


# --- snippets ---------------------------------------------------------------------------------------------------------

def read_systemd(text):
    lines = [line.split("=", 1) for line in text.splitlines()]
    env = "\n".join(value for key, value in lines[1:] if key == "Environment")
    state = [value for key, value in lines[1:] if key == "StateDirectory"]
    return Recipe(in_quotes(env), read_only=True, mounts=["/var/lib/" + folder for folder in state])


def read_docker(text):
    rows = [line.split(" ", 1) for line in text.splitlines()]
    env = in_quotes(" ".join(words for key, words in rows if key == "ENV"))
    last = dict(rows)
    return Recipe(env, int(last["USER"]), command=json.loads(last["ENTRYPOINT"]))


def read_compose(text):
    service = yaml.safe_load(text)["services"]["shop"]
    mounts = [volume.split(":")[1] for volume in service["volumes"]] + [None for _ in service["tmpfs"]]
    return Recipe(service["environment"], int(service["user"]), service["read_only"], mounts)


def read_kubernetes(text):
    spec = yaml.safe_load(text)["spec"]
    pod = spec["containers"][0]
    mounts = [row["mountPath"] for row in pod["volumeMounts"]]
    return Recipe({row["name"]: row["value"] for row in pod["env"]}, spec["securityContext"]["runAsUser"],
                  pod["securityContext"]["readOnlyRootFilesystem"],
                  [None if path == "/tmp" else path for path in mounts])


class Recipes(harness.Suite):
    def prepare(self):
        """What the Dockerfile copies: the program, and an installation under its final name."""
        self.app, self.stage = self.work / "app", self.work / "stage"
        self.app.mkdir()
        done = subprocess.run(["mcs", "-out:%s/shop.dll" % self.app, harness.TEST / "services/shop.cs"],
                              capture_output=True, text=True)
        shutil.copy(harness.TOP / "examples/programs/runtimeconfig.json", self.app / "shop.runtimeconfig.json")
        staged = subprocess.run(["meson", "install", "-C", self.build.path, "--no-rebuild", "--quiet", "--destdir",
                                 self.stage], capture_output=True, text=True)
        good = self.check(done.returncode == 0, "shop.cs compiles", done.stderr)
        return self.check(staged.returncode == 0, "meson install succeeds", staged.stderr) and good

    def installation(self):
        """The prefix of this build as --prefix=/opt/monocle --libdir=lib would be."""
        prefix = next(self.stage.rglob("bin/monocle")).parent.parent
        libraries = next(prefix.rglob("libmonocle-clr.so")).parent
        target = self.work / "image"
        shutil.copytree(libraries, target / "lib", symlinks=True)
        shutil.copytree(prefix / "bin", target / "bin")
        for library in container.libraries_of([libraries / "libmonocle-clr.so"]):
            if "libz.so" in library:  # in the tarball zlib is a part of ours
                shutil.copy(library, target / "lib")
        below = libraries.relative_to(prefix / "lib")
        if str(below) != ".":
            (target / "lib" / below).symlink_to(".")  # the program looks where it was configured to
        return target

    def image(self, runtime):
        """As the Dockerfile makes it, out of the root folder of a runtime."""
        image = container.Image(self.work / ("root-%s" % runtime), runtime)
        sources = {"app": self.app, "image/opt/monocle": self.installed}
        for line in snippets()["docker"].splitlines():
            key, words = line.split(" ", 1)
            words = words.split()
            if key == "COPY":
                source = [word for word in words if not word.startswith("--")][0]
                image.copy(sources.get(source, source), words[-1])
            elif key == "RUN":
                subprocess.run([*words[:-1], image.below(words[-1])], check=True)
        return image

    def printed(self, image, form, profile):
        """The variables' lines, as printed by the program that is in the image."""
        program = image.below("/opt/monocle/bin/monocle")
        said = subprocess.run([program, "env", "--format=" + form, "--profile=" + profile], env={}, text=True,
                              capture_output=True)
        self.check(said.returncode == 0 and said.stderr == "", "monocle env --format=%s" % form, said)
        return [line.strip() for line in said.stdout.replace(str(image.root), "").splitlines() if line[0] != "#"]

    def volume(self, what, user):
        folder = self.work / re.sub(r"\W", "-", what)
        folder.mkdir(mode=0o700)
        os.chown(folder, user, user)
        return folder

    def start(self, image, recipe, volume, before=()):
        env = dict(recipe.env, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT="1")  # as images without ICU have it
        mounts = [("tmpfs", "/tmp") if path is None else (volume, path) for path in recipe.mounts]
        return container.Container(image, recipe.command, env, recipe.user, recipe.read_only, mounts, before)

    def stopped(self, what, image, recipe, before=()):
        """Runs it to an orderly end. The names of what it left, and where."""
        volume = self.volume(what, recipe.user)
        running = self.start(image, recipe, volume, before)
        opened = running.wait_for(b"open\n")
        seen = running.stop(signal.SIGINT) if opened else running.end()
        self.check(seen == ENDS, what + ": the program is as without us", seen)
        return volume

    def report(self, path):
        return harness.run([self.build.monocle, "report", "--format=tsv", path], harness.bare_environment())

    def profile(self, what, volume, module):
        names = [path.name for path in volume.iterdir()]
        good = len(names) == 1 and re.fullmatch(r"shop_\d{8}_\d{6}_1\.%s\.pb\.gz" % module, names[0])
        return volume / names[0] if self.check(good, what + ": one profile", names) else None

    # --- the recipes

    def docker(self, image, runtime):
        what = "docker on %s" % runtime
        recipe = read_docker(snippets()["docker"])
        lines = [line for line in snippets()["docker"].splitlines() if line.startswith("ENV ")]
        self.check(lines == self.printed(image, "docker", "calls"), what + ": the lines are printed", lines)
        path = self.profile(what, self.stopped(what, image, recipe), "calls")
        if path:
            seen = self.report(path)
            self.check(counts.read_report(seen.out) == WANTED, what + ": the counts are exact", seen)

    def killed(self, image, runtime):
        """The spool is read outside, where there is another process 1: while it grows, and for the profile of it."""
        what = "killed on %s" % runtime
        recipe = read_docker(snippets()["docker"])
        volume = self.volume(what, recipe.user)
        running = self.start(image, recipe, volume)
        running.wait_for(b"open\n")
        for spool in volume.iterdir():
            seen = self.report(spool)
            self.check(counts.read_report(seen.out) == KILLED, what + ": before that it can be read", seen)
        running.kill()
        self.check(running.end()[0] == 137, what + ": it is dead")
        spools = list(volume.glob("shop_*_1.calls.pb.gz.spool"))
        self.check(len(spools) == 1 and len(list(volume.iterdir())) == 1, what + ": it left a spool", spools)
        for spool in spools:
            seen = self.report(spool)
            self.check(counts.read_report(seen.out) == KILLED, what + ": the spool is exact", seen)
            harness.run([self.build.monocle, "convert", spool, "--to=pprof"], harness.bare_environment())
            seen = self.report(spool.with_suffix(""))
            self.check(counts.read_report(seen.out) == KILLED, what + ": so is the profile of it", seen)

    def terminated(self, image, runtime):
        """SIGTERM, without a handler: until .NET 9 the runtime ends in order, later it is the signal that ends it."""
        what = "SIGTERM on %s" % runtime
        recipe = read_docker(snippets()["docker"])
        volume = self.volume(what, recipe.user)
        running = self.start(image, recipe, volume)
        running.wait_for(b"open\n")
        running.stop(signal.SIGTERM)
        left = ".gz" if runtime.name in harness.OLDER else ".spool"
        self.check([path.suffix for path in volume.iterdir()] == [left], "%s: %s is there" % (what, left),
                   list(volume.iterdir()))

    def systemd(self, image, runtime):
        what = "systemd on %s" % runtime
        text = snippets()["systemd"]
        printed = self.printed(image, "systemd", "sample")
        self.check(text.splitlines() == printed, what + ": the lines are printed", printed)
        recipe = read_systemd(text)
        self.check(recipe.mounts == [PROFILES], what + ": the folder is made", recipe.mounts)
        self.profile(what, self.stopped(what, image, recipe), "sample")

    def without_perf(self, name, image, runtime):
        """Compose and Kubernetes, with what their default filters forbid."""
        what = "%s on %s" % (name, runtime)
        if not yaml:
            self.skip(what, "python3-yaml is not installed")
            return
        text = snippets()[name]
        lines = [line.strip() for line in text.splitlines()]
        printed = self.printed(image, name, "sample")
        self.check("\n".join(printed) in "\n".join(lines), what + ": the lines are printed", printed)
        recipe = {"compose": read_compose, "kubernetes": read_kubernetes}[name](text)
        recipe.env["MONOCLE_PROFILE"] = "sample:freq=200,output=%s/" % PROFILES  # above half the tick's rate
        refuse = [self.build.path / "test/hostile/refuse", "1"]
        path = self.profile(what, self.stopped(what, image, recipe, refuse), "sample")
        seen = path and harness.run([self.build.monocle, "report", "--format=json", path], harness.bare_environment())
        self.check(path and re.search(r'"engine: (timer|paced)', seen.out), what + ": no perf event", seen)

    def limits(self, image, runtime):
        recipe = read_docker(snippets()["docker"])
        recipe.env["MONOCLE_PROFILE"] = "calls:output={0}/ exceptions:output={0}/ sample:output={0}/".format(PROFILES)
        for what, limit in LIMITS:
            what = "few: %s on %s" % (what, runtime)
            volume = self.stopped(what, image, recipe, ["prlimit", limit])
            self.check(sorted(path.name.split(".")[1] for path in volume.glob("*.pb.gz")) ==
                       ["calls", "exceptions", "sample"], what + ": all profiles are there", list(volume.iterdir()))


def main():
    suite = Recipes("recipes", __doc__)
    suite.parse()
    why = container.why_not() or ("mcs is not installed" if not shutil.which("mcs") else None)
    if why:
        suite.skip("containers", why, "root")
        return suite.finish()
    runtimes = {runtime.name: runtime for runtime in suite.runtimes(["clr11"] if suite.options.full else suite.net)}
    if not runtimes or not suite.prepare():
        return suite.finish()
    suite.installed = suite.installation()
    images = {name: suite.image(runtime) for name, runtime in runtimes.items()}
    turns = [("clr10", suite.docker), ("clr8", suite.killed), ("clr9", suite.terminated), ("clr9", suite.systemd),
             ("clr10", lambda *where: suite.without_perf("compose", *where)),
             ("clr8", lambda *where: suite.without_perf("kubernetes", *where)), ("clr10", suite.limits)]
    for name, turn in [("clr11", turn) for _, turn in turns] if suite.options.full else turns:
        if name in images:
            turn(images[name], runtimes[name])
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
