// SPDX-License-Identifier: MIT
//
// Tests.cs - a test project as many are: facts, theories, asynchronous and throwing ones, and one that fails.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Xunit;

public class Tests
{
	static int Factorial (int n) =>
		n < 0 ? throw new ArgumentException ("negative") : n < 2 ? 1 : n * Factorial (n - 1);

	[Fact]
	public void Passes () => Assert.Equal (120, Factorial (5));

	[Theory]
	[InlineData (1, 1)]
	[InlineData (3, 6)]
	[InlineData (6, 720)]
	public void IsFactorial (int n, int expected) => Assert.Equal (expected, Factorial (n));

	[Fact]
	public void Throws () => Assert.Throws<ArgumentException> (() => Factorial (-1));

	[Fact]
	public async Task ThrowsLater ()
	{
		await Task.Delay (10);
		await Assert.ThrowsAsync<InvalidOperationException> (async () => {
			await Task.Yield ();
			throw new InvalidOperationException ();
		});
	}

	[Fact]
	public void Fails () => Assert.Equal (1, Factorial (3));

	[Fact (Skip = "not now")]
	public void Skipped () { }

	public static IEnumerable<object[]> Numbers => Enumerable.Range (0, 40).Select (i => new object[] { i });

	[Theory]
	[MemberData (nameof (Numbers))]
	public void Sums (int n) => Assert.Equal (n * (n + 1) / 2, Enumerable.Range (1, n).Sum ());
}
