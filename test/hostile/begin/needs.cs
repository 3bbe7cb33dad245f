// SPDX-License-Identifier: MIT
// Needs another assembly.
static class P { static int Main () { return L.Name ().Length; } }
