// SPDX-License-Identifier: MIT
// Structs, strings, arrays and memory of the native side.
using System;
using System.Runtime.InteropServices;

namespace Own
{
	[StructLayout (LayoutKind.Sequential, CharSet = CharSet.Ansi)]
	struct Record
	{
		public int Number;
		[MarshalAs (UnmanagedType.ByValTStr, SizeConst = 16)] public string Name;
		[MarshalAs (UnmanagedType.ByValArray, SizeConst = 4)] public short [] Values;
		public Inner Inside;
	}

	[StructLayout (LayoutKind.Explicit)]
	struct Inner { [FieldOffset (0)] public int A; [FieldOffset (2)] public short High; }

	class Program
	{
		static Record Make (int n)
		{
			return new Record { Number = n, Name = "name " + n, Values = new short [] { 1, 2, 3, (short) n },
				Inside = new Inner { A = n << 16 } };
		}

		static string Show (Record r) { return r.Number + r.Name + r.Values [3] + r.Inside.High; }

		static int Main ()
		{
			IntPtr memory = Marshal.AllocHGlobal (Marshal.SizeOf (typeof (Record)));
			for (int i = 0; i < 3; i++) {
				Marshal.StructureToPtr (Make (i), memory, i > 0);
				Console.WriteLine (Show ((Record) Marshal.PtrToStructure (memory, typeof (Record))));
			}
			Marshal.FreeHGlobal (memory);
			IntPtr text = Marshal.StringToHGlobalAnsi ("text");
			Console.WriteLine (Marshal.PtrToStringAnsi (text) + Marshal.ReadByte (text, 1));
			Marshal.FreeHGlobal (text);
			return 0;
		}
	}
}
