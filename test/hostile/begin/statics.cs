// SPDX-License-Identifier: MIT
// Fails before Main runs.
static class P { static P () { throw new System.Exception ("static"); } static int Main () { return 3; } }
