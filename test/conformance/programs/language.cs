// SPDX-License-Identifier: MIT
// What a compiler makes of C#: delegates, iterators, async, static constructors, interfaces, operators, lambdas,
// lock, struct methods, ref/out/params. Asynchronous steps are completed by hand, so that every state machine moves a
// known number of times.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

public static class Recursion
{
	static int Even (int n)
	{
		return n == 0 ? 1 : Odd (n - 1);
	}

	static int Odd (int n)
	{
		return n == 0 ? 0 : Even (n - 1);
	}

	static int Deep (int n)
	{
		return n == 0 ? 0 : 1 + Deep (n - 1);
	}

	public static int Run ()
	{
		return Even (100) + Deep (2000);
	}
}

public static class Delegates
{
	delegate int Op (int a, int b);

	static int Add (int a, int b)
	{
		return a + b;
	}

	static int Mul (int a, int b)
	{
		return a * b;
	}

	class Counter
	{
		public int Count;

		public void Hit (object sender, EventArgs e)
		{
			Count++;
		}
	}

	static event EventHandler Fired;

	public static int Run ()
	{
		Op both = Add;
		both += Mul;
		var counter = new Counter ();
		Fired += counter.Hit;
		for (int i = 0; i < 5; i++)
			Fired (null, EventArgs.Empty);
		Fired -= counter.Hit;
		Func<int, Func<int, int>> curried = a => b => a * 10 + b;
		return both (3, 4) + counter.Count + curried (1) (2);
	}
}

public static class Iterators
{
	static IEnumerable<int> Count (int n)
	{
		for (int i = 0; i < n; i++)
			yield return i;
	}

	static IEnumerable<int> Guarded (List<string> log)
	{
		try {
			yield return 1;
			yield return 2;
		} finally {
			log.Add ("finally");
		}
	}

	static IEnumerable<int> Filter (IEnumerable<int> source)
	{
		foreach (int i in source)
			if (i % 2 == 0)
				yield return i;
	}

	public static int Run ()
	{
		int sum = 0;
		foreach (int i in Filter (Count (20)))
			sum += i;
		var log = new List<string> ();
		foreach (int i in Guarded (log))
			if (i == 1)
				break;
		return sum + log.Count;
	}
}

public static class Async
{
	static readonly TaskCompletionSource<int> gate = new TaskCompletionSource<int> ();

	static async Task<int> Wait ()
	{
		return await gate.Task + 1;
	}

	static async Task<int> Twice ()
	{
		return await Wait () + await Wait ();
	}

	static async Task<int> Immediate (int n)
	{
		int value = await Task.FromResult (n);
		return value + 1;
	}

	static async Task Fails ()
	{
		await gate.Task;
		throw new InvalidOperationException ("after await");
	}

	static async Task<string> Catches ()
	{
		try {
			await Fails ();
		} catch (InvalidOperationException e) {
			return e.Message;
		}
		return "";
	}

	static string Result (Task<int> twice, Task<string> catches)
	{
		return twice.Result + " " + catches.Result;
	}

	public static string Run ()
	{
		var twice = Twice ();
		var catches = Catches ();
		int sum = 0;
		for (int i = 0; i < 5; i++)
			sum += Immediate (i).Result;
		gate.SetResult (20);
		return sum + " " + Result (twice, catches);
	}
}

public static class Statics
{
	class Precise
	{
		public static readonly int Value;

		static Precise ()
		{
			Value = 5;
		}

		public static int Get ()
		{
			return Value;
		}
	}

	class Relaxed
	{
		public static readonly int Value = Compute ();

		static int Compute ()
		{
			return 6;
		}
	}

	public static int Run ()
	{
		int sum = 0;
		for (int i = 0; i < 3; i++)
			sum += Precise.Get () + Relaxed.Value;
		return sum;
	}
}

public static class Interfaces
{
	interface IFirst
	{
		int Value ();
	}

	interface ISecond
	{
		int Value ();
	}

	class Both : IFirst, ISecond, IDisposable
	{
		int IFirst.Value ()
		{
			return 1;
		}

		int ISecond.Value ()
		{
			return 2;
		}

		public void Dispose ()
		{
		}
	}

	abstract class Animal
	{
		public abstract int Legs ();

		public virtual int Eyes ()
		{
			return 2;
		}
	}

	class Dog : Animal
	{
		public override int Legs ()
		{
			return 4;
		}
	}

	class Spider : Animal
	{
		public override int Legs ()
		{
			return 8;
		}

		public override int Eyes ()
		{
			return base.Eyes () * 4;
		}
	}

	public static int Run ()
	{
		int sum = 0;
		using (var both = new Both ())
			sum += ((IFirst) both).Value () * 10 + ((ISecond) both).Value ();
		foreach (var animal in new Animal[] { new Dog (), new Spider (), new Dog () })
			sum += animal.Legs () + animal.Eyes ();
		return sum;
	}
}

public static class Operators
{
	struct Money
	{
		readonly int cents;

		public Money (int cents)
		{
			this.cents = cents;
		}

		public static Money operator + (Money a, Money b)
		{
			return new Money (a.cents + b.cents);
		}

		public static explicit operator int (Money m)
		{
			return m.cents;
		}

		public static implicit operator Money (int cents)
		{
			return new Money (cents);
		}

		public int this[int digit]
		{
			get {
				return cents / digit;
			}
		}

		public override string ToString ()
		{
			return cents + "c";
		}

		public override int GetHashCode ()
		{
			return cents;
		}
	}

	public static string Run ()
	{
		Money sum = new Money (5) + 7;
		var map = new Dictionary<string, Money> { { "a", sum } };
		return (int) map["a"] + sum.ToString () + sum[3] + sum.GetHashCode ();
	}
}

public static class Parameters
{
	static void Out (out int a)
	{
		a = 5;
	}

	static void Ref (ref string s)
	{
		s += "!";
	}

	static int Params (params int[] values)
	{
		return values.Length;
	}

	static int Optional (int a, int b = 2, string c = "c")
	{
		return a + b + c.Length;
	}

	static unsafe int Pointer (int *p, int n)
	{
		int sum = 0;
		for (int i = 0; i < n; i++)
			sum += p[i];
		return sum;
	}

	static unsafe int Localloc (int n)
	{
		int *p = stackalloc int[n];
		for (int i = 0; i < n; i++)
			p[i] = i;
		return Pointer (p, n);
	}

	static double Many (byte a, short b, long c, float d, double e, decimal f, char g, string h, object i, int[] j,
		DateTime k)
	{
		return a + b + c + d + e + (double) f + g + h.Length + (int) i + j.Length + k.Year;
	}

	public static string Run ()
	{
		int a;
		string s = "s";
		Out (out a);
		Ref (ref s);
		return a + s + Params () + Params (1, 2, 3) + Optional (1) + Optional (1, b: 5) + Localloc (10) +
			(int) Many (1, 2, 3, 4, 5, 6m, 'a', "h", 9, new int[10], new DateTime (2001, 1, 1));
	}
}

public static class Locks
{
	static readonly object gate = new object ();
	static int count;

	static void Work ()
	{
		for (int i = 0; i < 1000; i++)
			Increment ();
	}

	static void Increment ()
	{
		lock (gate)
			count++;
	}

	[MethodImpl (MethodImplOptions.Synchronized)]
	static int Synchronized ()
	{
		return count;
	}

	public static int Run ()
	{
		var threads = new Thread[3];
		for (int i = 0; i < threads.Length; i++)
			(threads[i] = new Thread (Work)).Start ();
		foreach (var thread in threads)
			thread.Join ();
		return Synchronized ();
	}
}

public static class Flow
{
	static int Switch (int n)
	{
		switch (n) {
		case 0: return 10;
		case 1: return 11;
		case 2: return 12;
		case 3: goto case 0;
		default: return -1;
		}
	}

	static int Early (int n)
	{
		while (true) {
			if (n > 100)
				return n;
			if (n < 0)
				return -n;
			n = n * 2 + 1;
		}
	}

	static string Text (string s)
	{
		switch (s) {
		case "a": return "first";
		case "b": return "second";
		default: return s ?? "null";
		}
	}

	public static string Run ()
	{
		int sum = 0;
		for (int i = 0; i < 6; i++)
			sum += Switch (i);
		return sum + " " + Early (3) + Early (-3) + Text ("a") + Text ("z") + Text (null);
	}
}

public static class Program
{
	public static int Main ()
	{
		Console.WriteLine ("Recursion " + Recursion.Run ());
		Console.WriteLine ("Delegates " + Delegates.Run ());
		Console.WriteLine ("Iterators " + Iterators.Run ());
		Console.WriteLine ("Async " + Async.Run ());
		Console.WriteLine ("Statics " + Statics.Run ());
		Console.WriteLine ("Interfaces " + Interfaces.Run ());
		Console.WriteLine ("Operators " + Operators.Run ());
		Console.WriteLine ("Parameters " + Parameters.Run ());
		Console.WriteLine ("Locks " + Locks.Run ());
		Console.WriteLine ("Flow " + Flow.Run ());
		return 0;
	}
}
