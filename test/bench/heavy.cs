// SPDX-License-Identifier: MIT
//
// heavy.cs - `heavy gc ROUNDS` allocates without end, small and large, short-lived and kept; `heavy jit ROUNDS` has
// method after method compiled. The output depends on the numbers only.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Reflection.Emit;

class Node
{
	public Node Left, Right;
	public Node (int depth)
	{
		if (depth > 0) {
			Left = new Node (depth - 1);
			Right = new Node (depth - 1);
		}
	}
	public int Count () { return 1 + (Left == null ? 0 : Left.Count () + Right.Count ()); }
}

class Heavy
{
	static int Collect (int rounds)
	{
		var kept = new Queue<object> ();
		int sum = 0;
		for (int i = 0; i < rounds; i++) {
			var tree = new Node (12);
			sum += tree.Count ();
			kept.Enqueue (i % 4 == 0 ? (object) tree : "text " + i);
			kept.Enqueue (new byte [i % 16 == 0 ? 100000 : 500]);
			while (kept.Count > 200)
				kept.Dequeue ();
		}
		return sum;
	}

	static Func<int, int> Make (int number)
	{
		var method = new DynamicMethod ("made", typeof (int), new [] { typeof (int) }, typeof (Heavy).Module);
		ILGenerator il = method.GetILGenerator ();
		Label end = il.DefineLabel ();
		il.Emit (OpCodes.Ldarg_0);
		for (int i = 0; i < 60; i++) {
			il.Emit (OpCodes.Ldc_I4, number + i);
			il.Emit (i % 3 == 0 ? OpCodes.Xor : i % 3 == 1 ? OpCodes.Add : OpCodes.Mul);
			if (i % 10 == 9) {
				il.Emit (OpCodes.Dup);
				il.Emit (OpCodes.Brfalse, end);
			}
		}
		il.MarkLabel (end);
		il.Emit (OpCodes.Ret);
		return (Func<int, int>) method.CreateDelegate (typeof (Func<int, int>));
	}

	static int Compile (int rounds)
	{
		int sum = 0;
		for (int i = 0; i < rounds; i++)
			sum = unchecked (sum * 31 + Make (i) (i));
		return sum;
	}

	static int Main (string [] args)
	{
		int rounds = int.Parse (args [1]);
		Console.WriteLine (args [0] == "gc" ? Collect (rounds) : Compile (rounds));
		return 0;
	}
}
