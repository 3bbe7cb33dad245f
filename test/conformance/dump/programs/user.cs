// SPDX-License-Identifier: MIT
// A program of two assemblies: see library.cs.
using System;
using Lib;

[Mark (typeof (Base<>), Level.High)]
public class Derived : Base<Request>, IService
{
	public event EventHandler<Reply> Served;
	public int Serve (Request r) { if (Served != null) Served (this, null); return r.Id; }
	public override Request M (Request r) { return r; }
	class More : Guarded { }
	internal Secret.Inside Inside;
	public Base<Derived>.Open.Kind Kind;
}

public class Generic<T> : Base<Base<T>> where T : IService
{
	public Handler Handler;
	public Base<T[]>.Open Other;
	public T Make (Level l, Request? r, Handler[] h) { return default (T); }
}

public static class Program
{
	public static int Main ()
	{
		Console.WriteLine (new Derived ().Serve (new Request { Id = Secret.Number })
			+ (new Generic<Derived> ().Other == null ? 1 : 2));
		return 0;
	}
}
