// SPDX-License-Identifier: MIT
// The library that user.cs uses: types, forwarded names and constants across two assemblies.
using System;
using System.Reflection;
using System.Runtime.CompilerServices;

[assembly: AssemblyVersion ("1.2.3.4")]
[assembly: AssemblyCulture ("")]
[assembly: AssemblyTitle ("library")]
[assembly: InternalsVisibleTo ("user")]
namespace Lib
{
	public class Base<T>
	{
		public T Value;
		public virtual T M (T t) { return t; }
		protected class Guarded { public T V; }
		public class Open { public enum Kind { A } }
	}
	public interface IService { int Serve (Request r); event EventHandler<Reply> Served; }
	public struct Request
	{
		public int Id;
		public string Text;
		public Base<int>.Open.Kind Kind;
	}
	public class Reply : EventArgs { public Request Request; }
	public sealed class MarkAttribute : Attribute { public MarkAttribute (Type t, Lib.Level l) { } }
	public enum Level : ushort { Low, High = 9 }
	public delegate Reply Handler (ref Request r, Level[] l);
	internal static class Secret { internal static int Number = 42; internal struct Inside { public long X; } }
}
