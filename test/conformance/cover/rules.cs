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

// A switch has no ways of its own: each of its arms is a statement.
static class Choices {
	static int Two (int e) => e switch { //: 1
		1 => 10, //: 1
		2 => 20, //: missed
		_ => 30, //: missed
	};

	static int OneLine (int e) => e switch { 1 => 10, 2 => 20, _ => 30 }; //: 1!

	static int Dense (int e) => (e > 5 ? 1 : e) switch { //: 1 1/2!
		1 or 7 => 10, //: missed
		2 => 20, //: 1
		3 => 5, //: missed
		4 => 7, //: missed
		_ => 30, //: missed
	};

	static int Pattern (object o) => o switch { //: 1
		int i when i > 3 => 1, //: 1! 1/2!
		string => 2, //: missed
		null => 3, //: missed
		_ => 4, //: 1
	};

	static int Statement (Func<int> e)
	{
		switch (e ()) { //: 2
		case 1:
			return 10; //: 1
		case 2:
			return 20; //: missed
		}
		return 3; //: 1
	}

	static int Three (Func<int> e)
	{
		switch (e ()) { //: 1
		case 1:
			return 10; //: 1
		case 2:
			return 20; //: missed
		case 3:
			return 20; //: missed
		}
		return 3; //: missed
	}

	static int Text (Func<string> e)
	{
		switch (e ()) { //: 1
		case "a": return 1; //: missed
		case "b": return 2; //: 1
		case "c": return 2; //: missed
		case "dd": return 2; //: missed
		case "eee": return 2; //: missed
		case "ffff": return 2; //: missed
		case "ggggg": return 2; //: missed
		default: return 3; //: missed
		}
	}

	public static void Run ()
	{
		Two (1); //: 1
		OneLine (1); //: 1
		Dense (2); //: 1
		Pattern (3); //: 1
		Statement (() => 1); //: 1
		Statement (() => 7); //: 1
		Three (() => 1); //: 1
		Text (() => "b"); //: 1
	}
}

// The last operand has its ways, in every build.
static class Conditions {
	static int Or (int k)
	{
		if (k == 1 || k == 2 || k == 3) //: 2 4/6!
			return 1; //: 1
		return 0; //: 1
	}

	static int And (string s)
	{
		if (s != null && s.Length > 2 && s != "quux") //: 3 5/6!
			return 1; //: 1
		return 0; //: 2
	}

	static int Not (string s)
	{
		if (!(s != null && s.Length > 2)) //: 2 3/4!
			return 1; //: 2
		return 0; //: missed
	}

	static int While (string a, string b)
	{
		int n = 0; //: 1
		while (a != null && (b != null || n == 3)) { //: 2 3/6!
			n++; //: 1
			a = null; //: 1
		}
		do { //: 2 | -
			n--; //: 2
		} while (n >= 0 && (n > 5 || a == null)); //: 2 4/6!
		return n; //: 1
	}

	static int Mixed (string s)
	{
		if ((s == null || s.Length > 2) && s != "quux") //: 2 4/6!
			return 1; //: 1
		return 0; //: 1
	}

	public static void Run ()
	{
		Or (1); //: 1
		Or (9); //: 1
		And ("abcd"); //: 1
		And ("a"); //: 1
		And (null); //: 1
		Not ("a"); //: 1
		Not (null); //: 1
		While ("a", "b"); //: 1
		Mixed ("abc"); //: 1
		Mixed ("a"); //: 1
	}
}

public record Empty; //: -

public record Pair (int First, //: 1
	int Second); //: 1

public record Named { //: -
	readonly string name;

	Named (string n) //: 1
	{ //: 1 | -
		name = n; //: 1
	} //: 1

	public static Named Create (string n) => new Named (n); //: 1

	public override string ToString () => name; //: missed
}

static class Rules {
	static void Main ()
	{ //: 1 | -
		Lines.Run (); //: 1
		Ends.Run (); //: 1
		Choices.Run (); //: 1
		Conditions.Run (); //: 1
		Console.WriteLine (new Empty () == new Empty ()); //: 1
		Console.WriteLine (new Pair (1, 2)); //: 1
		Console.WriteLine (Named.Create ("x") == null); //: 1
	} //: 1
}
