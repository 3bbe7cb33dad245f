// SPDX-License-Identifier: MIT
//
// A seed for fuzzing: one of everything that puts a row into a table or a shape into a signature.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

[assembly: CLSCompliant(false)]

namespace Small
{
	public delegate TResult Map<in T, out TResult>(T value) where T : class;

	static class Native
	{
		[DllImport("libc")]
		internal static extern int getpid();
	}

	[StructLayout(LayoutKind.Explicit, Size = 16)]
	public struct Overlay
	{
		[FieldOffset(0)] public int low;
		[FieldOffset(8)] public unsafe int* pointer;
	}

	public class Outer<T> : IEnumerable<T> where T : IComparable<T>
	{
		public const int Answer = 42;
		static readonly byte[] table = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
		event EventHandler Changed;

		class Inner<U>
		{
			internal Dictionary<T, List<U[]>> map = new Dictionary<T, List<U[]>>();
			internal U[,,] cube = new U[2, 3, 4];
		}

		public T this[int index, string name] { get { return default(T); } set { Changed += null; } }

		public IEnumerator<T> GetEnumerator() { yield return default(T); }

		System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() { return GetEnumerator(); }

		public V Run<V>(ref T first, out V last, params object[] rest)
		{
			var inner = new Inner<V>();
			Map<string, int> length = s => s.Length + rest.Length;
			last = default(V);
			try { length(table.ToString() + inner.map.Count + inner.cube.Length); }
			catch (ArgumentException) when (rest != null) { throw; }
			finally { GC.KeepAlive(this); }
			return last;
		}

		public unsafe void Pin(string text) { fixed (char* p = text) Console.WriteLine((long)p); }

		public static int Sum(__arglist) { return 0; }

		public static int Call() { return Sum(__arglist(1, "two", 3.0)); }
	}
}
