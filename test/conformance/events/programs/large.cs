// SPDX-License-Identifier: MIT
// Large and pinned objects, while the collector runs.
using System;
using System.Runtime.InteropServices;

namespace Own
{
	class Holder { public byte [] Large = new byte [300000]; }

	class Program
	{
		static Holder kept;
		static int sum;

		static unsafe void Fixed (byte [] data)
		{
			fixed (byte * at = data) {
				byte * before = at;
				GC.Collect ();
				*at = 7;
				sum += *before + data [0];
			}
		}

		static void Pinned ()
		{
			var data = new byte [64];
			GCHandle handle = GCHandle.Alloc (data, GCHandleType.Pinned);
			IntPtr before = handle.AddrOfPinnedObject ();
			for (int i = 0; i < 100; i++)
				kept = i % 10 == 0 ? new Holder () : kept;
			GC.Collect ();
			sum += before == handle.AddrOfPinnedObject () ? 1 : 0;
			handle.Free ();
		}

		static int Main ()
		{
			for (int i = 0; i < 3; i++) {
				Fixed (new byte [32]);
				Fixed (new byte [200000]);
				Pinned ();
			}
			Console.WriteLine (sum + " " + kept.Large.Length);
			return 0;
		}
	}
}
