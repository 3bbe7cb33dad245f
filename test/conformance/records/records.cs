/*
 * SPDX-License-Identifier: MIT
 *
 * records.cs - classes, types and methods of every shape, for records.c to read.
 */
using System;
using System.Collections.Generic;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;

namespace N {
	enum Colour : byte { Red, Green }

	struct Point {
		public int x, y;

		[MethodImpl (MethodImplOptions.NoInlining)]
		public int Sum () { return x + y; }
	}

	interface IShape {
		int Area (ref int scale);
	}

	abstract class Shape : IShape {
		public abstract int Area (ref int scale);
	}

	class Square : Shape {
		[MethodImpl (MethodImplOptions.NoInlining)]
		public override int Area (ref int scale) { return scale * scale; }
	}

	class Outer<T> {
		public class Inner<U> {
			[MethodImpl (MethodImplOptions.NoInlining)]
			public int Both (T t, U u, U[] many, T[,] none) { return many.Length; }
		}

		public enum State { On, Off }

		[MethodImpl (MethodImplOptions.NoInlining)]
		public State Turn (out State before) { before = State.On; return State.Off; }
	}

	static class Program {
		delegate int Twice (int value);

		[MethodImpl (MethodImplOptions.NoInlining)]
		static T Pick<T, V> (T first, V second) where V : struct { return first; }

		[MethodImpl (MethodImplOptions.NoInlining)]
		static unsafe long Odd (int* pointer, Colour colour, Point? point, string[][] jagged, object other, float f)
		{
			return *pointer;
		}

		[MethodImpl (MethodImplOptions.NoInlining)]
		static IntPtr Native (UIntPtr big, char c, bool b, ulong u, sbyte s, double d) { return IntPtr.Zero; }

		static int Dynamic ()
		{
			Type number = typeof (int);
			DynamicMethod method = new DynamicMethod ("made", number, new[] { number }, typeof (Program).Module);
			ILGenerator il = method.GetILGenerator ();
			il.Emit (OpCodes.Ldarg_0);
			il.Emit (OpCodes.Dup);
			il.Emit (OpCodes.Add);
			il.Emit (OpCodes.Ret);
			return ((Twice) method.CreateDelegate (typeof (Twice))) (21);
		}

		static unsafe int Main ()
		{
			int number = 3;
			Outer<int>.State before;
			Shape shape = new Square ();
			Point point = new Point { x = 1, y = 2 };
			long sum = shape.Area (ref number) + point.Sum () + Dynamic ();
			sum += new Outer<int>.Inner<Point> ().Both (1, point, new Point[2], new int[1, 1]);
			sum += (int) new Outer<int> ().Turn (out before);
			sum += Pick (Colour.Green, point) == Colour.Green ? 1 : 0;
			sum += Pick (2L, new KeyValuePair<int, Point> (1, point));
			sum += Odd (&number, Colour.Red, null, new string[0][], null, 1);
			sum += (long) Native (UIntPtr.Zero, 'c', true, 1, 1, 1);
			Console.WriteLine ("sum {0}", sum);
			return 0;
		}
	}
}
