// SPDX-License-Identifier: MIT
// Handles of every kind, freed in another order than they were made.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Own
{
	[StructLayout (LayoutKind.Sequential)]
	class Token { public int Number; }

	class Program
	{
		static int Main ()
		{
			var token = new Token ();
			var kinds = new [] { GCHandleType.Normal, GCHandleType.Weak, GCHandleType.WeakTrackResurrection,
				GCHandleType.Pinned };
			foreach (GCHandleType kind in kinds)
				GCHandle.Alloc (token, kind).Free ();
			var handles = new List<GCHandle> ();
			for (int i = 0; i < 40; i++)
				handles.Add (GCHandle.Alloc (token, kinds [i * 7 % 4]));
			for (int i = 0; i < 40; i += 2)
				handles [i].Free ();
			for (int i = 39; i > 0; i -= 2)
				handles [i].Free ();
			Console.WriteLine (handles.Count + " " + token.Number);
			return 0;
		}
	}
}
