// SPDX-License-Identifier: MIT
//
// PriceChecks.cs - the tests of the other project, with MSTest.
using Microsoft.VisualStudio.TestTools.UnitTesting;
using Shop;

[TestClass]
public class PriceChecks
{
	[TestMethod]
	public void IsWritten () => Assert.AreEqual ("12.05", Prices.Written (1205));

	[TestMethod]
	public void DebtIsWritten () => Assert.AreEqual ("-0.50", Prices.Written (-50));

	[TestMethod]
	[DataRow (0, "free")]
	[DataRow (3, "some cents")]
	public void HasKind (int cents, string kind) => Assert.AreEqual (kind, Prices.Kind (cents));

	[TestMethod]
	public void HasLastDigit () => Assert.AreEqual (5, Prices.Last (1205));

	[TestMethod]
	public void IsDiscounted ()
	{
		var basket = new Basket ();
		basket.Add ("plum", 1000);
		Assert.AreEqual (900, basket.Discounted (10));
	}
}
