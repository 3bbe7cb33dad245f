// SPDX-License-Identifier: MIT
public class Helper { public static int Answer () { return 42; } }
