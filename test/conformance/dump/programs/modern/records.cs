// SPDX-License-Identifier: MIT
// Records, init-only and required members, primary constructors, file-local types, tuples, patterns, async streams.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using System.Threading.Tasks;

namespace Records
{
	public record Person (string Name, int Age = 3) { public Person? Parent { get; init; } }
	public sealed record Student (string Name, params string[] Courses) : Person (Name), IComparable<Student>
	{
		public int CompareTo (Student? other) => 0;
	}
	public readonly record struct Pair<T, U> (T First, U Second) where T : notnull;
	public record struct Mutable (int X) { public int Y { get; set; } }
	public class Required
	{
		public required int Id { get; init; }
		public required string Name;
		[SetsRequiredMembers] public Required () { Name = ""; }
	}
	public class Primary (int seed, string text) : List<int> (seed) { public string Text => text + seed; }
	file class Hidden { public int Value; public static Hidden Make () => new (); }
	file interface IHidden<T> { T Get (); }
	public class Uses { public object Take () => Hidden.Make ().Value; }
	public static class Sugar
	{
		public static (int Count, (string? Name, Person[] People) More) Tuples ((byte, sbyte) a,
			Dictionary<string, (int X, int Y)[]> b) => (a.Item1, ("n", []));
		public static string Match (object o) => o switch { Person { Age: > 3 and < 9 } p => p.Name, int i
			when i > 5 => "big", int[] and [1, .., var last] => $"{last}", (int x, _) => $"{x}", null => "null",
			_ => "?" };
		public static async IAsyncEnumerable<int> Stream (int n)
		{
			for (int i = 0; i < n; i++) { await Task.Yield (); yield return i; }
		}
		public static async ValueTask<int> Total ()
		{
			int s = 0;
			await foreach (int i in Stream (3)) s += i;
			await using var d = new Disposable ();
			return s;
		}
		public static int Local (int n)
		{
			static int Twice (int k) => k * 2;
			int Add (int k) => k + n;
			return Twice (n) + Add (1);
		}
		public static Func<int, int> Lambda (int n) => static ([Mark] x) => x + 1;
		public static dynamic Dynamic (dynamic d, List<dynamic> l) => d;
		public static string Raw (ReadOnlySpan<char> s) => $$"""raw "{{s.Length}}" """;
		public static ReadOnlySpan<byte> Utf8 => "bytes ✓"u8;
		public static int[] Collection (IEnumerable<int> all) => [1, .. all, 2];
		public static int Query (int[] a) => (from x in a where x > 1 let y = x * 2 orderby y select (x, y)).Sum (t
			=> t.y);
	}
	public class Disposable : IAsyncDisposable { public ValueTask DisposeAsync () => default; }
	public class MarkAttribute : Attribute;
	public interface IEmpty;
	public enum Big : ulong { Max = ulong.MaxValue }
	public class Node
	{
		protected private int Inside;
		internal protected int Near;
		public virtual Node Copy () => this;
	}
	public class Leaf : Node { public sealed override Leaf Copy () => this; }
}
