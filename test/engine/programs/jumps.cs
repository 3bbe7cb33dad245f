// SPDX-License-Identifier: MIT
//
// jumps.cs - calls shapes-il, whose bodies no C# compiler writes: tail calls, jmp, fault handlers, odd prefixes.
using System;

static class Jumps
{
	static string Ask (Func<object> f)
	{
		try {
			return f ().ToString ();
		} catch (DivideByZeroException) {
			return "zero";
		} catch (InvalidOperationException) {
			return "invalid";
		}
	}

	public static void Run ()
	{
		for (int i = 0; i < 4; i++)
			Console.WriteLine (string.Join (" ", Ask (() => Il.CountDown (i * 1000000, 0)),
				Ask (() => Il.IsEven (i * 100001)),
				Ask (() => Il.CountGeneric<string> (i * 100000, "s")), Ask (() => Il.CountGeneric<int> (i * 100000, 3)),
				Ask (() => Il.Jump (i, 2)), Ask (() => Il.JumpDivide (12, i)), Ask (() => Il.TailDivide (12, i)),
				Ask (() => Il.Fault (12, i)), Ask (() => Il.FaultInFilter (12, i)), Ask (() => Il.BackToZero (i + 3)),
				Ask (() => Il.DeepStack (i)),
				Ask (() => Il.TailIndirect (i * 1000)), Ask (() => Il.TailVirtual (new Il (), i * 1000)),
				Ask (() => Il.Faults)));
	}
}
