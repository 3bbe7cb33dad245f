// SPDX-License-Identifier: MIT
// A startup hook that throws.
class StartupHook { public static void Initialize () { throw new System.Exception ("hook"); } }
