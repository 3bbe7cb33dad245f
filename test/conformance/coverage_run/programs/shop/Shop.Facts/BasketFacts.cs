// SPDX-License-Identifier: MIT
//
// BasketFacts.cs - the tests of one project, with xUnit.
using System;
using System.Linq;
using System.Threading.Tasks;
using Shop;
using Xunit;

public class BasketFacts
{
	static Basket Filled ()
	{
		var basket = new Basket ();
		basket.Add ("pear", 120);
		basket.Add ("apple", 80);
		return basket;
	}

	[Fact]
	public void AddsUp () => Assert.Equal (200, Filled ().Total ());

	[Fact]
	public void CountsItems () => Assert.Equal (2, Filled ().Count);

	[Fact]
	public void RefusesNegativePrices () => Assert.Throws<ArgumentException> (() => Filled ().Add ("debt", -1));

	[Fact]
	public void NamesAreSorted () => Assert.Equal (new[] { "apple", "pear" }, Filled ().Names ().ToArray ());

	[Fact]
	public async Task AddsUpLater () => Assert.Equal (200, await Filled ().TotalLater ());
}
