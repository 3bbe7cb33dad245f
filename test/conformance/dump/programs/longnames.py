#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes longnames.cs: names longer than 256 characters, and what is put together from them.

usage: longnames.py FILE
"""
import sys

LONG = "Abcdefghij" * 30
LOWER = "lower_case_" * 45  # C# allows 511 characters in one name

TEXT = """
using System;

namespace {0}.Under{0}
{{
    public class {0}
    {{
        public int {1};
        public event Action Event{0};
        public class In{0} {{ public enum Enum{0} {{ {0} }} }}
    }}

    public class Generic{0}<T{0}>
    {{
        public T{0} Value;
        public T{0} {1}<TU{0}> (T{0} {0}, TU{0} x, Generic{0}<TU{0}> y) {{ return {0}; }}
    }}

    public interface I{0} {{ int P{0} {{ get; set; }} int {1} (int {0}); }}

    public struct Explicit : I{0}
    {{
        int I{0}.P{0} {{ get {{ return 1; }} set {{ }} }}
        int I{0}.{1} (int {0}) {{ return {0}; }}
    }}
}}

public static class Program
{{
    public static void M ({0}.Under{0}.{0} a, {0}.Under{0}.Generic{0}<{0}.Under{0}.{0}[]> b) {{ }}

    public static int Main ()
    {{
        Console.WriteLine (new {0}.Under{0}.Generic{0}<int> ().{1} (7, "", null));
        return 0;
    }}
}}
"""

with open(sys.argv[1], "w") as file:
    file.write("// SPDX-License-Identifier: MIT" + TEXT.format(LONG, LOWER))
