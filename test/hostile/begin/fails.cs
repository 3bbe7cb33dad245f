// SPDX-License-Identifier: MIT
// Fails fast.
static class P { static void Main () { System.Environment.FailFast ("over"); } }
