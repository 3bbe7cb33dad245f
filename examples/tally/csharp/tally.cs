// SPDX-License-Identifier: MIT
// tally.cs - a profiler module: how often are the program's own methods called, and how many assemblies has it?
//
// It is compiled ahead of time and brings a small runtime of its own, which knows nothing of the program's. An
// exception that leaves one of the functions below ends the program.
using System;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;

static unsafe class Module
{
	// What the runtime that loads the module has: pointers to the program's methods, classes, images and assemblies.
	[DllImport ("mono")] static extern nint mono_profiler_create (nint prof);
	[DllImport ("mono")] static extern void mono_profiler_set_call_instrumentation_filter_callback (nint handle,
		delegate* unmanaged<nint, nint, uint> callback);
	[DllImport ("mono")] static extern void mono_profiler_set_method_enter_callback (nint handle,
		delegate* unmanaged<nint, nint, nint, void> callback);
	[DllImport ("mono")] static extern void mono_profiler_set_assembly_loaded_callback (nint handle,
		delegate* unmanaged<nint, nint, void> callback);
	[DllImport ("mono")] static extern void mono_profiler_set_runtime_shutdown_end_callback (nint handle,
		delegate* unmanaged<nint, void> callback);
	[DllImport ("mono")] static extern uint mono_method_get_token (nint method);
	[DllImport ("mono")] static extern nint mono_method_get_class (nint method);
	[DllImport ("mono")] static extern nint mono_class_get_image (nint klass);
	[DllImport ("mono")] static extern nint mono_assembly_get_image (nint assembly);
	[DllImport ("mono")] static extern byte* mono_image_get_name (nint image);
	[DllImport ("libc")] static extern nint write (int descriptor, byte* bytes, nint size);

	const uint None = 0, Enter = 2; // MONO_PROFILER_CALL_INSTRUMENTATION_*

	static int calls, assemblies;

	// Is it the program's, and not the framework's?
	static bool IsOwn (nint image)
	{
		byte* text = image != 0 ? mono_image_get_name (image) : null;
		if (text == null)
			return false;
		var name = MemoryMarshal.CreateReadOnlySpanFromNullTerminated (text);
		return !name.StartsWith ("mscorlib"u8) && !name.StartsWith ("netstandard"u8) && !name.StartsWith ("System"u8) &&
			!name.StartsWith ("Microsoft."u8) && !name.StartsWith ("Mono."u8);
	}

	// Asked once for each method, when it is compiled. Mono also asks for glue code, which has no row in a table.
	[UnmanagedCallersOnly]
	static uint Filter (nint prof, nint method)
	{
		if ((mono_method_get_token (method) & 0xffffff) == 0)
			return None;
		return IsOwn (mono_class_get_image (mono_method_get_class (method))) ? Enter : None;
	}

	// Runs in the middle of the program's code: count and return, never wait, and make no objects.
	[UnmanagedCallersOnly]
	static void MethodEnter (nint prof, nint method, nint context)
	{
		Interlocked.Increment (ref calls);
	}

	[UnmanagedCallersOnly]
	static void AssemblyLoaded (nint prof, nint assembly)
	{
		if (IsOwn (mono_assembly_get_image (assembly)))
			Interlocked.Increment (ref assemblies);
	}

	// Not by Console, which would change how the program's terminal and signals are set.
	[UnmanagedCallersOnly]
	static void RuntimeShutdownEnd (nint prof)
	{
		byte[] line = Encoding.UTF8.GetBytes ("tally: calls " + calls + ", assemblies " + assemblies + "\n");
		fixed (byte* bytes = line)
			write (2, bytes, line.Length);
	}

	// `desc` is the text after --profile=, "tally" or "tally:ARGUMENTS".
	[UnmanagedCallersOnly (EntryPoint = "mono_profiler_init_tally")]
	static void Init (byte* desc)
	{
		nint handle = mono_profiler_create (0);
		mono_profiler_set_call_instrumentation_filter_callback (handle, &Filter);
		mono_profiler_set_method_enter_callback (handle, &MethodEnter);
		mono_profiler_set_assembly_loaded_callback (handle, &AssemblyLoaded);
		mono_profiler_set_runtime_shutdown_end_callback (handle, &RuntimeShutdownEnd);
	}
}
