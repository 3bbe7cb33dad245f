// SPDX-License-Identifier: MIT
// Each line that is counted says how often it runs: "//= N". A line without that is not counted.
using System;
using System.Collections.Generic;
using System.Threading;

interface IShape { int Area (); }

class Square : IShape {
	readonly int side;
	public Square (int side) {
		this.side = side; //= 3
	}
	public int Area () {
		return side * side; //= 3
	}
	public void Never () {
		Console.WriteLine ("never"); //= 0
	}
}

static class Generic<T> {
	public static string Name (T value) {
		return value.ToString (); //= 5
	}
}

static class Counted {
	[ThreadStatic] static int calls;

	static int Choose (int n) {
		if (n % 2 == 0) //= 10
			return n; //= 5
		switch (n) { //= 5
		case 1:
			return 10; //= 1
		case 3:
			return 30; //= 1
		default:
			return -1; //= 3
		}
	}

	static IEnumerable<int> Numbers (int count) {
		for (int i = 0; i < count; i++)
			yield return i; //= 4
	}

	static void Throw (bool really) {
		if (really) //= 2
			throw new InvalidOperationException (); //= 1
		calls++; //= 1
	}

	static void Catch (bool really) {
		try {
			Throw (really); //= 2
		} catch (InvalidOperationException) {
			calls += 10; //= 1
		} finally {
			calls += 100; //= 2
		}
	}

	static void Work () {
		for (int i = 0; i < 1000; i++)
			calls++; //= 4000 together
	}

	static void Threads () {
		var threads = new Thread[4]; //= 1
		for (int i = 0; i < threads.Length; i++)
			threads[i] = new Thread (Work); //= 4
		foreach (var thread in threads)
			thread.Start (); //= 4
		foreach (var thread in threads)
			thread.Join (); //= 4
	}

	static int Main () {
		int sum = 0; //= 1
		for (int i = 0; i < 10; i++)
			sum += Choose (i); //= 10
		foreach (int n in Numbers (4))
			sum += n; //= 4
		for (int i = 1; i < 4; i++)
			sum += new Square (i).Area (); //= 3
		Catch (true); //= 1
		Catch (false); //= 1
		Func<int, int> twice = x =>
			2 * x; //= 2
		sum += twice (1) + twice (2); //= 1
		for (int i = 0; i < 3; i++)
			sum += Generic<int>.Name (i).Length; //= 3
		sum += Generic<string>.Name ("a").Length; //= 1
		sum += Generic<object>.Name ("b").Length; //= 1
		Threads (); //= 1
		Console.WriteLine ("sum {0} calls {1}", sum, calls); //= 1
		return 7; //= 1
	}
}
