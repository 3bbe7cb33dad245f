// SPDX-License-Identifier: MIT
// Functions of native libraries, with everything that marshalling can be told.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

[StructLayout (LayoutKind.Sequential, CharSet = CharSet.Unicode)]
public struct Record
{
	public int A;
	[MarshalAs (UnmanagedType.ByValTStr, SizeConst = 32)] public string Name;
	[MarshalAs (UnmanagedType.ByValArray, SizeConst = 4)] public int[] Cells;
	[MarshalAs (UnmanagedType.U1)] public bool B;
	[MarshalAs (UnmanagedType.FunctionPtr)] public Callback C;
	public IntPtr P;
}

[UnmanagedFunctionPointer (CallingConvention.StdCall, CharSet = CharSet.Ansi, SetLastError = true)] public delegate
	bool Callback (IntPtr a, [MarshalAs (UnmanagedType.LPWStr)] string b);

[ComImport, Guid ("00000000-0000-0000-C000-000000000046"), InterfaceType (ComInterfaceType.InterfaceIsIUnknown)]
public interface IUnknown
{
	[PreserveSig] int QueryInterface (ref Guid id, [MarshalAs (UnmanagedType.IUnknown)] out object o);
}

public static class Native
{
	[DllImport ("libc")] public static extern int getpid ();
	[DllImport ("libc", EntryPoint = "strlen", CharSet = CharSet.Ansi, SetLastError = true, ExactSpelling = true,
		CallingConvention = CallingConvention.Cdecl)] public static extern IntPtr Length (string s);
	[DllImport ("none", PreserveSig = false, BestFitMapping = false, ThrowOnUnmappableChar = true,
		CharSet = CharSet.Auto)] [return: MarshalAs (UnmanagedType.Bool)] public static extern bool
		Marshalled ([MarshalAs (UnmanagedType.LPStr)] string a, [MarshalAs (UnmanagedType.LPWStr)] StringBuilder b,
		[In, MarshalAs (UnmanagedType.LPArray, SizeParamIndex = 3)] int[] c, int d,
		[Out, MarshalAs (UnmanagedType.LPArray, ArraySubType = UnmanagedType.LPStr, SizeConst = 5)] string[] e,
		ref Record f, out Record g, [MarshalAs (UnmanagedType.Interface)] object h,
		[MarshalAs (UnmanagedType.SafeArray, SafeArraySubType = VarEnum.VT_I4)] int[] i, Callback j,
		[MarshalAs (UnmanagedType.I1)] bool k);
	[DllImport ("none", CallingConvention = CallingConvention.ThisCall)] internal static extern unsafe void*
		This (void* self, int* p);
	[DllImport ("none", EntryPoint = "#7", CallingConvention = CallingConvention.FastCall)] static extern char
		Ordinal (char c);
	[MethodImpl (MethodImplOptions.InternalCall)] public static extern void Internal ();
	[MethodImpl (MethodImplOptions.NoOptimization)] public static void Slow () { }
}

public static class Program
{
	public static int Main ()
	{
		Console.WriteLine (Native.getpid () > 0 && Native.Length ("four") == new IntPtr (4));
		return 0;
	}
}
