// SPDX-License-Identifier: MIT
//
// A web server for the picture in README.md: it searches, serialises, and imports under a lock.
using System.Collections.Concurrent;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Shop;

public record Order (int Id, string Customer, string Text, decimal Total, List<Line> Lines);
public record Line (string Article, int Count, decimal Price);

public class OrderService
{
	readonly List<Order> orders = new ();
	readonly object gate = new ();
	readonly ConcurrentDictionary<string, int> searches = new ();

	public OrderService ()
	{
		var chance = new Random (7);
		for (int i = 0; i < 2000; i++) {
			var lines = Enumerable.Range (1, 5).Select (n => new Line ("article " + chance.Next (1000), n,
				chance.Next (10000) / 100m)).ToList ();
			var words = Enumerable.Range (0, 30).Select (_ => "word" + chance.Next (500));
			orders.Add (new Order (i, "customer-" + chance.Next (200) + "@example.com", string.Join (' ', words),
				lines.Sum (line => line.Price * line.Count), lines));
		}
	}

	public List<Order> Search (string pattern)
	{
		searches.AddOrUpdate (pattern, 1, (_, n) => n + 1);
		var regex = new Regex (pattern);
		return orders.Where (order => regex.IsMatch (order.Text)).OrderBy (order => order.Total).Take (20)
			.ToList ();
	}

	public async Task<string> Report (int customer)
	{
		var mine = await Load ("customer-" + customer);
		return JsonSerializer.Serialize (new { customer, total = mine.Sum (order => order.Total), orders = mine });
	}

	async Task<List<Order>> Load (string prefix)
	{
		await Task.Delay (1);
		return orders.Where (order => order.Customer.StartsWith (prefix)).ToList ();
	}

	public int Import (string json)
	{
		var order = JsonSerializer.Deserialize<Order> (json)!;
		lock (gate)
			return Reprice (order);
	}

	static int Reprice (Order order)
	{
		int sum = 0;
		for (int i = 0; i < 20000; i++)
			sum = sum * 31 + order.Text[i % order.Text.Length];
		return sum;
	}

	public Order First () => orders[0];
}

public static class Program
{
	public static void Main (string[] args)
	{
		var builder = WebApplication.CreateBuilder (args);
		builder.Logging.ClearProviders ();
		builder.Services.AddSingleton<OrderService> ();
		var app = builder.Build ();
		app.MapGet ("/search", (OrderService shop, string q) => shop.Search (q));
		app.MapGet ("/report/{id:int}", (OrderService shop, int id) => shop.Report (id));
		app.MapPost ("/import", async (OrderService shop, HttpRequest request) => {
			using var reader = new StreamReader (request.Body);
			return shop.Import (await reader.ReadToEndAsync ());
		});
		app.MapGet ("/first", (OrderService shop) => shop.First ());
		app.MapGet ("/quit", (IHostApplicationLifetime life) => { life.StopApplication (); return "bye"; });
		app.Run ();
	}
}
