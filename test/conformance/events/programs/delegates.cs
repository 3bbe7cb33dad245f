// SPDX-License-Identifier: MIT
// Delegates of every kind: static, closed, open, generic, of several, events, and those that throw half-way.
using System;
using System.Linq;
using System.Reflection;

namespace Own
{
	class Failure : Exception { }

	class Button
	{
		public event EventHandler Pressed;
		public void Press () { if (Pressed != null) Pressed (this, EventArgs.Empty); }
	}

	interface IShape { int Area (); }
	class Square : IShape { public int Side; public int Area () { return Side * Side; } }
	struct Point { public int X; public int Get () { return X; } }

	class Program
	{
		static string log = "";
		int field = 7;

		static int Twice (int i) { return 2 * i; }
		int Add (int i) { return i + field; }
		virtual protected int Virtual (int i) { return i - 1; }
		static T Same<T> (T value) { return value; }
		static void One () { log += "1"; }
		static void Two () { log += "2"; }
		static void Fail () { throw new Failure (); }
		static void OnPressed (object sender, EventArgs e) { log += "p"; }

		static void Several ()
		{
			Action all = One;
			all += Two;
			all += One;
			all ();
			all -= One;
			all ();
			Action broken = One;
			broken += Fail;
			broken += Two;
			try { broken (); } catch (Failure) { log += "!"; }
			foreach (Action one in all.GetInvocationList ())
				one ();
		}

		static void Open ()
		{
			var get = (Func<Square, int>) Delegate.CreateDelegate (typeof (Func<Square, int>),
				typeof (Square).GetMethod ("Area"));
			log += get (new Square { Side = 3 });
			var closed = (Func<int>) Delegate.CreateDelegate (typeof (Func<int>), new Square { Side = 4 }, "Area");
			log += closed ();
			var first = (Func<int>) Delegate.CreateDelegate (typeof (Func<int>), 5,
				typeof (Program).GetMethod ("OfObject"));
			log += first ();
		}

		public static int OfObject (object o) { return (int) o; }

		static int Main ()
		{
			var self = new Program ();
			Func<int, int> f = Twice, g = self.Add, h = self.Virtual, s = Same<int>;
			Func<string, string> t = Same<string>;
			log += f (1) + g (1) + h (1) + s (1) + t ("t");
			IShape shape = new Square { Side = 2 };
			Func<int> area = shape.Area, point = new Point { X = 9 }.Get;
			log += area () + point ();
			int captured = 3;
			Func<int, Func<int>> curry = a => () => a * captured++;
			log += curry (2) () + curry (3) ();
			Several ();
			Open ();
			var button = new Button ();
			button.Pressed += OnPressed;
			button.Pressed += (o, e) => log += "q";
			button.Press ();
			button.Pressed -= OnPressed;
			button.Press ();
			Console.WriteLine (log);
			return 0;
		}
	}
}
