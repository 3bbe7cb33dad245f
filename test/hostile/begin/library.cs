// SPDX-License-Identifier: MIT
// Has no entry point.
public class L {
	public static string Name () { return "l"; }
	public static int Other (string s) { return 1; }
}
