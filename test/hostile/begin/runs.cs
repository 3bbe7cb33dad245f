// SPDX-License-Identifier: MIT
// Runs.
static class P { static int Main () { System.Console.WriteLine ("ran"); return 3; } }
