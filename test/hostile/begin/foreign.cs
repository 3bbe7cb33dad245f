// SPDX-License-Identifier: MIT
// The only managed frames of a thread that C made are a dynamic method, which catches what it throws, and stubs.
using System; using System.Reflection.Emit; using System.Runtime.InteropServices;
delegate IntPtr Start (IntPtr data);
static class P {
	[DllImport ("libc")] static extern int pthread_create (out IntPtr id, IntPtr attributes, IntPtr start, IntPtr data);
	[DllImport ("libc")] static extern int pthread_join (IntPtr thread, IntPtr result);
	static int Main () {
		var made = new DynamicMethod ("start", typeof (IntPtr), new[] { typeof (IntPtr) }, typeof (P).Module, true);
		var il = made.GetILGenerator ();
		il.BeginExceptionBlock ();
		il.Emit (OpCodes.Newobj, typeof (InvalidTimeZoneException).GetConstructor (Type.EmptyTypes));
		il.Emit (OpCodes.Throw);
		il.BeginCatchBlock (typeof (Exception));
		il.Emit (OpCodes.Pop);
		il.EndExceptionBlock ();
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Ret);
		var start = (Start) made.CreateDelegate (typeof (Start));
		for (int i = 0; i < 5; i++) {
			pthread_create (out IntPtr thread, IntPtr.Zero, Marshal.GetFunctionPointerForDelegate (start), IntPtr.Zero);
			pthread_join (thread, IntPtr.Zero);
		}
		GC.KeepAlive (start);
		for (int i = 0; i < 7; i++)
			try { throw new TimeZoneNotFoundException (); } catch (TimeZoneNotFoundException) { }
		return 3;
	}
}
