// SPDX-License-Identifier: MIT
// Throws at once.
static class P { static void Main () { throw new System.Exception ("main"); } }
