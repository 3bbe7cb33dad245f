// SPDX-License-Identifier: MIT
// What `monocle report` says beside each line that has code, without and with optimisation: hits and branches.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Linq;

static class Lines {
	static readonly List<int> none = new List<int> (); //: 1

	static int Call (int a, Func<int, int> f, int b) => a + b; //: 2

	public static void Run ()
	{ //: 1 | -
		int sum = Call ( //: 1
			1, //: 1
			a => a //: missed
				+ 1, //: missed
			3); //: 1
		sum += none.Select (a => a + 1) //: 1!
			.Count (); //: 1
		sum += none //: 1
			.Count (a => a > 1); //: missed
		sum += Call (1, a => { //: 1! | 1
			return a; //: missed
		}, 2); sum++; //: 1! | 1
		Console.WriteLine ( //: 1
			sum); //: 1
	} //: 1
}

static class Ends {
	[DoesNotReturn]
	static void Throw () => throw new InvalidOperationException (); //: 3

	[DoesNotReturn]
	static T Throw<T> (T value)
	{ //: 1 | -
		throw new InvalidOperationException (); //: 1
	}

	static void Throw (int returns) { } //: 1

	static void If (bool ends)
	{ //: 2 | -
		if (ends) { //: 2 2/2
			Throw (); //: 1
		} //: -
	} //: 1

	static int Case (int which)
	{ //: 3 | -
		switch (which) { //: 3 any | -
		case 1:
			Throw (); //: 1
			break; //: -
		case 2:
			which = Throw<int> (which); //: 1
			break; //: -
		default:
			Throw (which); //: 1
			break; //: 1 | -
		}
		return which; //: 1
	} //: 1 | -

	static void Caught ()
	{ //: 1 | -
		try { //: 1 | -
			Throw (); //: 1
		} catch (InvalidOperationException) { //: 1
		} //: 1
	} //: 1

	static void Elsewhere (string text)
	{ //: 1 | -
		ArgumentNullException.ThrowIfNull (text); //: 1
		Environment.FailFast (text); //: missed
	} //: -

	static void Try (Action run)
	{ //: 6 | -
		try { //: 6 | -
			run (); //: 6
		} catch (Exception) { //: 4
		} //: 4
	} //: 6

	public static void Run ()
	{ //: 1 | -
		Try (() => If (true)); //: 1
		Try (() => If (false)); //: 1
		Try (() => Case (1)); //: 1
		Try (() => Case (2)); //: 1
		Try (() => Case (3)); //: 1
		Caught (); //: 1
		Try (() => Elsewhere (null)); //: 1
	} //: 1
}

static class Rules {
	static void Main ()
	{ //: 1 | -
		Lines.Run (); //: 1
		Ends.Run (); //: 1
	} //: 1
}
