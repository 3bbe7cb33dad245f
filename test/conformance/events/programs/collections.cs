// SPDX-License-Identifier: MIT
// Collections that are asked for: of all generations, and of the youngest.
using System;

namespace Own
{
	class Node { public Node Next; public byte [] Load = new byte [100]; }

	class Program
	{
		static Node list;

		static void Grow (int count)
		{
			for (int i = 0; i < count; i++)
				list = new Node { Next = i % 10 == 0 ? null : list };
		}

		static int Main ()
		{
			for (int i = 0; i < 5; i++) {
				Grow (200);
				GC.Collect ();
			}
			for (int i = 0; i < 3; i++)
				GC.Collect (0);
			GC.Collect ();
			Console.WriteLine (list.Load.Length);
			return 0;
		}
	}
}
