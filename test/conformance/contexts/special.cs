// SPDX-License-Identifier: MIT
//
// special.cs - calls that are something special: constructors, accessors, operators, lambdas, iterators, virtual
// methods, many arguments, loops, exceptions. A line of "*" comes once, however often everything else runs.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

public class XCtor {
	public int Id;
	public string Text;
	public XCtor (int id, string text)
	{
		if (Log.On) Log.E ("XCtor..ctor", Log.V (this), Log.V (id), Log.V (text));
		Id = id;
		Text = text;
		if (Log.On) Log.L ("XCtor..ctor", Log.V (this), null, null, Log.V (id), Log.V (text));
	}
}

public struct XCtorStruct {
	public long A, B;
	public XCtorStruct (long a, long b)
	{
		A = 5;
		B = 6;
		if (Log.On) Log.E ("XCtorStruct..ctor", Log.R (new XCtorStruct ()), Log.V (a), Log.V (b));
		A = a;
		B = b;
		if (Log.On) Log.L ("XCtorStruct..ctor", Log.R (this), null, null, Log.V (a), Log.V (b));
	}
}

public static class XCtorStatic {
	public static int Value;
	static XCtorStatic ()
	{
		Log.E ("*XCtorStatic..cctor", null);
		Value = 1;
		Log.L ("*XCtorStatic..cctor", null, null, null);
	}
}

public class XMembers {
	public int Id = 4;
	string text = "before";
	public string Property {
		get {
			if (Log.On) Log.E ("XMembers.get_Property", Log.V (this));
			if (Log.On) Log.L ("XMembers.get_Property", Log.V (this), Log.V (text), null);
			return text;
		}
		set {
			if (Log.On) Log.E ("XMembers.set_Property", Log.V (this), Log.V (value));
			text = value;
			value = null;
			if (Log.On) Log.L ("XMembers.set_Property", Log.V (this), null, null, Log.V (value));
		}
	}
	public double this [int i, string key] {
		get {
			if (Log.On) Log.E ("XMembers.get_Item", Log.V (this), Log.V (i), Log.V (key));
			double result = i + key.Length;
			if (Log.On) Log.L ("XMembers.get_Item", Log.V (this), Log.V (result), null, Log.V (i), Log.V (key));
			return result;
		}
	}
	public static int Many (params int[] numbers)
	{
		if (Log.On) Log.E ("XMembers.Many", null, Log.V (numbers));
		int result = numbers.Length;
		numbers = null;
		if (Log.On) Log.L ("XMembers.Many", null, Log.V (result), null, Log.V (numbers));
		return result;
	}
	public static long Recurse (int depth, Raw24 s, string text)
	{
		if (Log.On) Log.E ("XMembers.Recurse", null, Log.V (depth), Log.V (s), Log.V (text));
		long result = depth;
		s.F1 += depth;
		if (depth > 0)
			result += Recurse (depth - 1, s, text + depth);
		if (Log.On) Log.L ("XMembers.Recurse", null, Log.V (result), null, Log.V (depth), Log.V (s), Log.V (text));
		return result;
	}
	public static string Fails (int how, string why)
	{
		if (Log.On) Log.E ("XMembers.Fails", null, Log.V (how), Log.V (why));
		try {
			if (how == 0)
				throw new InvalidOperationException (why);
			if (how == 1)
				why = "none";
		} finally {
			how += 10;
		}
		if (Log.On) Log.L ("XMembers.Fails", null, Log.V (why), null, Log.V (how), Log.V (why));
		return why;
	}
	/* The code of a long loop is replaced while it runs. */
	public static string Loop (int n, string text, G<string> g, double d)
	{
		if (Log.On) Log.E ("XMembers.Loop", null, Log.V (n), Log.V (text), Log.V (g), Log.V (d));
		for (; n > 0; n--) {
			g.Number += n & 3;
			d += 0.5;
			if (n % 16384 == 0) {
				g.Value = text;
				text = "after " + n;
			}
		}
		if (Log.On) Log.L ("XMembers.Loop", null, Log.V (g.Value), null, Log.V (n), Log.V (text), Log.V (g), Log.V (d));
		return g.Value;
	}
}

public static class XExtensions {
	public static int Extended (this XMembers self, int n)
	{
		if (Log.On) Log.E ("XExtensions.Extended", null, Log.V (self), Log.V (n));
		n += self.Id;
		self = null;
		if (Log.On) Log.L ("XExtensions.Extended", null, Log.V (n), null, Log.V (self), Log.V (n));
		return n;
	}
}

public struct XNumber {
	public float A;
	public string B;
	public static XNumber operator + (XNumber a, XNumber b)
	{
		if (Log.On) Log.E ("XNumber.op_Addition", null, Log.V (a), Log.V (b));
		XNumber result = new XNumber { A = a.A + b.A, B = a.B + b.B };
		a = b;
		if (Log.On) Log.L ("XNumber.op_Addition", null, Log.V (result), null, Log.V (a), Log.V (b));
		return result;
	}
	public static explicit operator int (XNumber a)
	{
		if (Log.On) Log.E ("XNumber.op_Explicit", null, Log.V (a));
		if (Log.On) Log.L ("XNumber.op_Explicit", null, Log.V ((int) a.A), null, Log.V (a));
		return (int) a.A;
	}
	public override string ToString ()
	{
		if (Log.On) Log.E ("XNumber.ToString", Log.R (this));
		B = B + "!";
		if (Log.On) Log.L ("XNumber.ToString", Log.R (this), Log.V (B), null);
		return B;
	}
}

public interface XFace<T> {
	T Plain (T x, int n);
}

public interface XOther {
	string Explicit (string x);
}

public class XBase : XFace<string>, XOther {
	public int Id = 1;
	public virtual string Plain (string x, int n)
	{
		if (Log.On) Log.E ("XBase.Plain", Log.V (this), Log.V (x), Log.V (n));
		if (Log.On) Log.L ("XBase.Plain", Log.V (this), Log.V (x), null, Log.V (x), Log.V (n));
		return x;
	}
	string XOther.Explicit (string x)
	{
		if (Log.On) Log.E ("XBase.XOther.Explicit", Log.V (this), Log.V (x));
		x = "explicit";
		if (Log.On) Log.L ("XBase.XOther.Explicit", Log.V (this), Log.V (x), null, Log.V (x));
		return x;
	}
	public virtual T Generic<T> (T x, T[] y)
	{
		if (Log.On) Log.E ("XBase.Generic", Log.V (this), Log.V (x), Log.V (y));
		y[0] = x;
		y = null;
		if (Log.On) Log.L ("XBase.Generic", Log.V (this), Log.V (x), null, Log.V (x), Log.V (y));
		return x;
	}
}

public class XDerived : XBase {
	public override string Plain (string x, int n)
	{
		if (Log.On) Log.E ("XDerived.Plain", Log.V (this), Log.V (x), Log.V (n));
		string result = base.Plain (x + n, n + 1);
		if (Log.On) Log.L ("XDerived.Plain", Log.V (this), Log.V (result), null, Log.V (x), Log.V (n));
		return result;
	}
}

public struct XFaced : XFace<Raw12> {
	public int Field;
	public Raw12 Plain (Raw12 x, int n)
	{
		if (Log.On) Log.E ("XFaced.Plain", Log.R (this), Log.V (x), Log.V (n));
		Field += n;
		x.F2 = n;
		if (Log.On) Log.L ("XFaced.Plain", Log.R (this), Log.V (x), null, Log.V (x), Log.V (n));
		return x;
	}
}

public class XFinal {
	public int Id = 5;
	~XFinal ()
	{
		Log.E ("*XFinal.Finalize", Log.V (this));
		Id = 6;
		Log.L ("*XFinal.Finalize", Log.V (this), null, null);
	}
}

public static class XHidden {
	public static IEnumerable<int> Count (int n)
	{
		for (int i = 0; i < n; i++) {
			if (Log.On) Log.E ("?", null);
			if (Log.On) Log.L ("?", null, Log.V (true), null);
			yield return i;
		}
		if (Log.On) Log.E ("?", null);
		if (Log.On) Log.L ("?", null, Log.V (false), null);
	}

	public static async Task<string> Wait (Task<string> what, string more)
	{
		if (Log.On) Log.E ("?", null);
		if (Log.On) Log.L ("?", null, null, null);
		string result = await what + more;
		if (Log.On) Log.E ("?", null);
		if (Log.On) Log.L ("?", null, null, null);
		return result;
	}

	public static void Run ()
	{
		int captured = 5;
		Func<int, string, string> lambda = (x, text) => {
			if (Log.On) Log.E ("?", null, Log.V (x), Log.V (text));
			captured += x;
			text += captured;
			if (Log.On) Log.L ("?", null, Log.V (text), null, Log.V (x), Log.V (text));
			return text;
		};
		lambda (1, "lambda");
		lambda (2, null);
	}
}

public static class Special {
	static void Finalized ()
	{
		Thread thread = new Thread (() => new XFinal ());
		thread.Start ();
		thread.Join ();
		GC.Collect ();
		GC.WaitForPendingFinalizers ();
	}

	static void Faces<T> (XFace<T> face, T value)
	{
		face.Plain (value, 3);
	}

	static void Members ()
	{
		XMembers members = new XMembers ();
		members.Property = members.Property + " and after";
		members[3, "key"].ToString ();
		XMembers.Many ();
		XMembers.Many (1, 2, 3);
		XMembers.Recurse (5, new Raw24 { F0 = 1, F1 = 2, F2 = 3 }, "deep");
		try {
			XMembers.Fails (0, "thrown");
		} catch (InvalidOperationException) {
		}
		XMembers.Fails (1, "not thrown");
		XMembers.Loop (50000, "loop", new G<string> { Value = "g", Number = 1 }, 0.25);
		members.Extended (7);
	}

	public static void Run ()
	{
		if (Log.On)
			Finalized ();
		new XCtor (XCtorStatic.Value + 1, "made");
		new XCtorStruct (2, 3);
		Members ();
		XNumber number = new XNumber { A = 1, B = "one" } + new XNumber { A = 2, B = "two" };
		((int) number).ToString ();
		number.ToString ();
		Faces (new XBase (), "base");
		Faces (new XDerived (), "derived");
		((XOther) new XDerived ()).Explicit ("also");
		Faces (new XFaced (), new Raw12 { F0 = 1, F1 = 2, F2 = 3 });
		new XDerived ().Generic (5, new int[1]);
		new XDerived ().Generic ("five", new string[1]);
		XHidden.Run ();
		foreach (int i in XHidden.Count (2))
			GC.KeepAlive (i);
		TaskCompletionSource<string> source = new TaskCompletionSource<string> ();
		Task<string> task = XHidden.Wait (source.Task, " and more");
		source.SetResult ("waited");
		task.Wait ();
		Many.Run ();
	}
}
