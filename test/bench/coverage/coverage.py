#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What coverage costs: a JSON library under more than 5,000 tests, bare, with `cover`, and with the SDK's two peers.

The library is built from its sources (--library: the folder Newtonsoft.Json of that project's Src), so that it has
symbols and local sources; under another name, because test hosts have one of this name themselves. Tests run in a test
host under `dotnet test`, which is where the peers work, and in a plain program. The time is that of the tests alone,
told by the program itself; `whole` is that of the command. Variants take turns in each round; figures are medians,
ratios against bare.
"""
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))
import harness  # noqa: E402

LIBRARY = """<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>
<TargetFramework>net10.0</TargetFramework><LangVersion>9.0</LangVersion><Nullable>enable</Nullable>
<AssemblyName>JsonLibrary</AssemblyName><RootNamespace>Newtonsoft.Json</RootNamespace>
<DefineConstants>%s</DefineConstants><GenerateAssemblyInfo>false</GenerateAssemblyInfo>
<NoWarn>$(NoWarn);CS;SYSLIB</NoWarn>
<TreatWarningsAsErrors>false</TreatWarningsAsErrors><WarningLevel>0</WarningLevel><DebugType>portable</DebugType>
<EnableDefaultCompileItems>false</EnableDefaultCompileItems><Configuration>Release</Configuration>
</PropertyGroup><ItemGroup><Compile Include="%s/**/*.cs" Exclude="**/AssemblyInfo.cs" /></ItemGroup></Project>
"""
PROGRAM = """<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType>
<TargetFramework>net10.0</TargetFramework><AssemblyName>plain</AssemblyName></PropertyGroup>
<ItemGroup><ProjectReference Include="../library/library.csproj" /></ItemGroup></Project>
"""
TESTS = """<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>net10.0</TargetFramework>
<IsPackable>false</IsPackable></PropertyGroup><ItemGroup><ProjectReference Include="../library/library.csproj" />
<PackageReference Include="Microsoft.NET.Test.Sdk" Version="17.14.1" />
<PackageReference Include="xunit" Version="2.9.3" />
<PackageReference Include="xunit.runner.visualstudio" Version="2.8.2" />
<PackageReference Include="coverlet.collector" Version="6.0.4" />
<PackageReference Include="Microsoft.CodeCoverage" Version="17.14.1" />
<PackageReference Include="Newtonsoft.Json" Version="13.0.3" ExcludeAssets="compile" /></ItemGroup></Project>
"""
MAIN = """public static class Program {
	public static void Main (string[] args) {
		double ms;
		int n = JsonTests.Run (int.Parse (args[0]), out ms);
		System.Console.WriteLine ("TESTS {0} {1:f1}", n, ms);
	}
}
"""
FACT = """public class All {
	[Xunit.Fact] public void Of_them () {
		double ms;
		int n = JsonTests.Run (int.Parse (System.Environment.GetEnvironmentVariable ("ROUNDS") ?? "1"), out ms);
		System.IO.File.WriteAllText (System.Environment.GetEnvironmentVariable ("TIMES"),
			string.Format ("TESTS {0} {1:f1}", n, ms));
	}
}
"""


class Bench(harness.Suite):
    def build_all(self, library):
        project = (library / "Newtonsoft.Json.csproj").read_text()
        constants = re.search(r"net6\.0'\">.*?<DefineConstants>(.*?)</DefineConstants>", project, re.S).group(1)
        parts = {"library/library.csproj": LIBRARY % (constants.replace("$(AdditionalConstants)", ""), library),
                 "plain/plain.csproj": PROGRAM, "plain/main.cs": MAIN,
                 "tests/tests.csproj": TESTS, "tests/fact.cs": FACT}
        for name, text in parts.items():
            path = self.work / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        for folder in ("plain", "tests"):
            shutil.copy(HERE / "json_tests.cs", self.work / folder)
        for folder in ("plain", "tests"):
            done = subprocess.run(["dotnet", "build", "-c", "Release", "-v", "q", "-nologo"], cwd=self.work / folder,
                                  capture_output=True, text=True)
            if done.returncode:
                sys.exit("the %s cannot be built:\n%s" % (folder, done.stdout[-3000:]))

    def monocle(self, desc, command):
        return [str(self.build.path / "monocle"), "run", "-q",
                "--profile=%s,output=%s/%%p.%%n.mcov" % (desc, self.work), "--"] + command

    def variants(self):
        plain = ["dotnet", str(self.work / "plain/bin/Release/net10.0/plain.dll"), str(self.rounds)]
        test = ["dotnet", "test", "--no-build", "-c", "Release", "-v", "q", "-nologo"]
        only = "include=[JsonLibrary]*"
        return {
            "plain": {"bare": plain,
                      "cover hit": self.monocle("cover:" + only, plain),
                      "cover count": self.monocle("cover:mode=count," + only, plain)},
            "dotnet test": {"bare": test,
                            "cover hit": self.monocle("cover:" + only, test),
                            "cover count": self.monocle("cover:mode=count," + only, test),
                            "Microsoft": test + ["--collect", "Code Coverage;Format=cobertura"],
                            "coverlet": test + ["--collect", "XPlat Code Coverage"],
                            "coverlet single": test + ["--collect", "XPlat Code Coverage", "--",
                                                       "DataCollectionRunSettings.DataCollectors.DataCollector."
                                                       "Configuration.SingleHit=true"]},
        }

    def measure(self, command):
        """(ms of the tests, ms of the command)"""
        times = self.work / "times"
        times.unlink(missing_ok=True)
        env = dict(os.environ, TIMES=str(times), ROUNDS=str(self.rounds))
        began = time.monotonic()
        done = subprocess.run(command, cwd=self.work / "tests", env=env, capture_output=True, text=True)
        whole = (time.monotonic() - began) * 1000
        said = re.search(r"TESTS (\d+) ([\d.]+)", times.read_text() if times.exists() else done.stdout)
        self.check(done.returncode == 0 and said is not None, " ".join(command), done.stdout[-500:] + done.stderr)
        return (float(said.group(2)) if said else 0, whole)


def main():
    bench = Bench("coverage-bench", __doc__)
    bench.parser.add_argument("--library", type=pathlib.Path, required=True)
    bench.parser.add_argument("--rounds", type=int, default=5, help="how often every variant runs")
    bench.parser.add_argument("--repeat", type=int, default=2, help="how often a run repeats all tests")
    bench.parser.add_argument("--only", default="", help="plain, or dotnet test")
    options = bench.parse()
    bench.rounds = options.repeat
    bench.build_all(options.library.resolve())
    for kind, commands in bench.variants().items():
        if options.only and options.only != kind:
            continue
        figures = {name: [] for name in commands}
        for _ in range(options.rounds):
            for name, command in commands.items():
                figures[name].append(bench.measure(command))
        bare = [statistics.median(column) for column in zip(*figures["bare"])]
        print("%-18s%12s%8s%12s%8s" % (kind, "tests ms", "x", "whole ms", "x"))
        for name, pairs in figures.items():
            middle = [statistics.median(column) for column in zip(*pairs)]
            columns = "".join("%12.0f%8.2f" % (one, one / first) for one, first in zip(middle, bare))
            print("%-18s%s" % (name, columns))
        sys.stdout.flush()
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
