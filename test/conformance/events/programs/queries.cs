// SPDX-License-Identifier: MIT
// Closures and queries: the class library calls the program's lambdas in the order that both libraries keep.
using System;
using System.Collections.Generic;
using System.Linq;

namespace Own
{
	class Item
	{
		public string Name;
		public int Price;
		public Item (string name, int price) { Name = name; Price = price; }
	}

	class Program
	{
		static bool Cheap (Item item) { return item.Price < 50; }
		static int Tax (int price) { return price / 10; }

		static List<Item> Make ()
		{
			var items = new List<Item> ();
			for (int i = 0; i < 8; i++)
				items.Add (new Item ("item " + (char) ('a' + i), i * 13 % 70));
			return items;
		}

		static int Main ()
		{
			var items = Make ();
			int limit = 20;
			var lazy = items.Where (Cheap).Where (i => i.Price > limit).Select (i => Tax (i.Price));
			limit = 10;
			foreach (int tax in lazy)
				Console.Write (tax + " ");
			Console.WriteLine (items.Any (i => i.Price > 60) + " " + items.All (Cheap));
			Console.WriteLine (items.First (i => i.Price > 30).Name);
			Console.WriteLine (items.Aggregate (0, (sum, i) => sum + i.Price));
			items.ForEach (i => i.Price++);
			Console.WriteLine (items.TakeWhile (i => i.Price < 60).Select ((i, n) => n * i.Price).Last ());
			Item last = items.Find (i => i.Name.EndsWith ("d", StringComparison.Ordinal));
			Console.WriteLine (last.Price + items.RemoveAll (Cheap));
			var actions = new List<Func<int>> ();
			for (int i = 0; i < 3; i++) {
				int own = i;
				actions.Add (() => own * 10 + i);
			}
			foreach (var action in actions)
				Console.Write (action () + " ");
			Console.WriteLine ();
			return 0;
		}
	}
}
