// SPDX-License-Identifier: MIT
//
// Basket.cs - what the tests are about: some is covered by the one project, some by the other, some by both or none.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace Shop;

public sealed class Basket
{
	readonly List<(string Name, int Cents)> items = new ();

	public int Count => items.Count;

	public void Add (string name, int cents)
	{
		if (cents < 0)
			throw new ArgumentException ("a price is not negative", nameof (cents));
		items.Add ((name, cents));
	}

	public int Total ()
	{
		int total = 0;
		foreach (var item in items)
			total += item.Cents;
		return total;
	}

	public int Discounted (int percent)
	{
		if (percent > 50) {
			return Total () / 2;
		}
		return Total () - Total () * percent / 100;
	}

	public IEnumerable<string> Names ()
	{
		foreach (var item in items.OrderBy (i => i.Name))
			yield return item.Name;
	}

	public async Task<int> TotalLater ()
	{
		await Task.Yield ();
		return Total ();
	}

	public void Clear ()
	{
		items.Clear ();
	}
}
