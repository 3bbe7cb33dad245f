// SPDX-License-Identifier: MIT
// More than 5,000 small tests of a JSON library's behaviour: values of many kinds are written, read back, queried and
// compared under many settings. Each test states what must hold. Run () answers how many there were and how long
// all took.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text;
using Newtonsoft.Json;
using Newtonsoft.Json.Converters;
using Newtonsoft.Json.Linq;
using Newtonsoft.Json.Serialization;

public enum Colour { Red, Green, Blue = 7 }

public struct Size { public int Width, Height; }

public class Address
{
	public string Street { get; set; }
	public string City { get; set; }
	[JsonProperty ("zip")] public int PostalCode { get; set; }
}

public class Person
{
	public string Name { get; set; }
	public int Age { get; set; }
	public DateTime Born { get; set; }
	public decimal Balance { get; set; }
	public Colour Favourite { get; set; }
	public double? Height { get; set; }
	public Address Home { get; set; }
	public List<string> Tags { get; set; }
	public Dictionary<string, int> Scores { get; set; }
	public Guid Id { get; set; }
	[JsonIgnore] public string Secret { get; set; }
	public bool ShouldSerializeTags () => Tags != null && Tags.Count > 0;
}

public class Worker : Person
{
	public Person Boss { get; set; }
	public byte[] Key { get; set; }
	public Uri Link { get; set; }
	public TimeSpan Shift { get; set; }
	public object Anything { get; set; }
	public int[,] Grid { get; set; }
}

public static class JsonTests
{
	static int count;

	static void Holds (bool condition, string what)
	{
		count++;
		if (!condition)
			throw new Exception ("does not hold: " + what);
	}

	static bool Throws<T> (Action action) where T : Exception
	{
		try { action (); return false; } catch (T) { return true; }
	}

	static Person MakePerson (int i)
	{
		var p = i % 3 == 0 ? new Worker { Key = new byte[i % 7], Shift = TimeSpan.FromMinutes (i),
				Anything = i % 2 == 0 ? (object) i : "x" + i } : new Person ();
		p.Name = "person " + i + (i % 5 == 0 ? " \"quoted\" \u00e9\n" : "");
		p.Age = i % 90;
		p.Born = new DateTime (1960 + i % 60, 1 + i % 12, 1 + i % 28, i % 24, i % 60, 0, DateTimeKind.Utc);
		p.Balance = i * 1.25m;
		p.Favourite = (Colour) (i % 2 == 0 ? 7 : i % 3);
		p.Height = i % 4 == 0 ? (double?) null : 1.5 + i / 1000.0;
		p.Home = i % 6 == 0 ? null : new Address { Street = "street " + i, City = "city", PostalCode = i };
		p.Tags = Enumerable.Range (0, i % 5).Select (t => "tag" + t).ToList ();
		p.Scores = Enumerable.Range (0, i % 4).ToDictionary (s => "s" + s, s => s * i);
		p.Id = new Guid (i, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
		return p;
	}

	static IEnumerable<JsonSerializerSettings> Settings ()
	{
		yield return new JsonSerializerSettings ();
		yield return new JsonSerializerSettings { Formatting = Formatting.Indented,
				NullValueHandling = NullValueHandling.Ignore };
		yield return new JsonSerializerSettings {
			ContractResolver = new CamelCasePropertyNamesContractResolver (),
			DateFormatHandling = DateFormatHandling.MicrosoftDateFormat
		};
		yield return new JsonSerializerSettings {
			ContractResolver = new DefaultContractResolver { NamingStrategy = new SnakeCaseNamingStrategy () },
			DefaultValueHandling = DefaultValueHandling.Ignore
		};
		yield return new JsonSerializerSettings { TypeNameHandling = TypeNameHandling.Auto,
				PreserveReferencesHandling = PreserveReferencesHandling.Objects };
		yield return new JsonSerializerSettings { Converters = { new StringEnumConverter (),
				new IsoDateTimeConverter () }, StringEscapeHandling = StringEscapeHandling.EscapeNonAscii };
	}

	static void RoundTrips ()
	{
		foreach (JsonSerializerSettings settings in Settings ())
			for (int i = 0; i < 150; i++) {
				Person p = MakePerson (i);
				string text = JsonConvert.SerializeObject (p, p.GetType (), settings);
				var back = (Person) JsonConvert.DeserializeObject (text, p.GetType (), settings);
				Holds (back.Name == p.Name && back.Age == p.Age && back.Balance == p.Balance, "scalars");
				Holds (back.Favourite == p.Favourite && back.Id == p.Id && back.Height == p.Height, "values");
				Holds (back.Born == p.Born, "dates");
				Holds ((back.Home == null) == (p.Home == null) && (p.Home == null ||
						back.Home.PostalCode == p.Home.PostalCode), "objects");
				Holds (p.Tags.SequenceEqual (back.Tags ?? new List<string> ()), "lists");
				Holds (JsonConvert.SerializeObject (back, p.GetType (), settings) == text, "the same again");
			}
	}

	static void Scalars ()
	{
		foreach (long n in new long[] { 0, 1, -1, int.MaxValue, long.MinValue, long.MaxValue, 4096 })
			Holds (JsonConvert.DeserializeObject<long> (JsonConvert.SerializeObject (n)) == n, "long " + n);
		foreach (double d in new[] { 0.0, 1.5, -2.25, 1e100, 1e-100, double.MaxValue, 0.1 })
			Holds (JsonConvert.DeserializeObject<double> (JsonConvert.SerializeObject (d)) == d, "double " + d);
		foreach (string s in new[] { "", "a", "\"",
				"\\", "\u0001", "\ud83d\ude00", "line\nfeed\ttab", new string ('x', 5000) })
			Holds (JsonConvert.DeserializeObject<string> (JsonConvert.SerializeObject (s)) == s, "string");
		foreach (string bad in new[] { "{", "[1,", "{\"a\":}", "nul", "tru", "\"open", "{a:1}}", "[1 2]",
				"1.2.3", "{\"a\" 1}", "/*", "\\u12" })
			Holds (Throws<JsonException> (() => JToken.Parse (bad)), "refused " + bad);
		for (int i = 0; i < 300; i++)
			Holds (JsonConvert.DeserializeObject<int[]> ("[" + string.Join (", ", Enumerable.Range (0,
					i % 20)) + "]").Length == i % 20, "array");
		Holds (JsonConvert.DeserializeObject<Size> ("{Width:3,Height:4}").Height == 4, "struct");
		Holds (JsonConvert.DeserializeObject<int[,]> ("[[1,2],[3,4]]")[1, 0] == 3, "grid");
		Holds (JsonConvert.DeserializeObject<Tuple<int,
				string>> ("{\"Item1\":1,\"Item2\":\"b\"}").Item2 == "b", "tuple");
	}

	static JObject Book (int i)
	{
		return new JObject (new JProperty ("title", "book " + i), new JProperty ("price", i * 2.5),
				new JProperty ("isbn", i % 2 == 0 ? "n" + i : null));
	}

	static JObject Store (int n)
	{
		var books = new JArray (Enumerable.Range (0, n).Select (Book));
		return new JObject (new JProperty ("store", new JObject (new JProperty ("book", books),
				new JProperty ("open", true))));
	}

	static void Queries ()
	{
		for (int n = 1; n < 60; n++) {
			JObject store = Store (n);
			Holds (store.SelectTokens ("store.book[*].title").Count () == n, "all titles");
			Holds (store.SelectTokens ("$..price").Count () == n, "descendants");
			Holds (store.SelectTokens ("$.store.book[?(@.price > 10)]").Count () == Math.Max (0, n - 5), "filter");
			Holds (store.SelectTokens ("$.store.book[?(@.price < 5 && @.isbn != null)]").Any (), "two conditions");
			Holds ((string) store.SelectToken ("store.book[0].title") == "book 0", "index");
			Holds (store.SelectTokens ("$.store.book[0:" + n + ":2]").Count () == (n + 1) / 2, "slice");
			Holds (store["store"]["book"].Children<JObject> ().Where
				(b => (double) b["price"] >= 0).Count () == n, "linq");
			Holds (JToken.DeepEquals (store, store.DeepClone ()), "clone");
			Holds (JToken.Parse (store.ToString ()).ToString (Formatting.None) ==
				 store.ToString (Formatting.None), "text");
			store["store"]["open"] = n;
			((JArray) store["store"]["book"]).Add (new JObject ());
			((JArray) store["store"]["book"])[0].Remove ();
			store.Merge (JObject.Parse ("{store:{extra:[1,2]},more:null}"),
					new JsonMergeSettings { MergeArrayHandling = MergeArrayHandling.Union });
			Holds ((int) store["store"]["extra"][1] == 2 && store["store"]["book"].Count () == n, "changed");
		}
	}

	static void Streams ()
	{
		for (int n = 0; n < 120; n++) {
			var text = new StringBuilder ();
			using (var writer = new JsonTextWriter (new StringWriter (text))) {
				writer.Formatting = n % 2 == 0 ? Formatting.Indented : Formatting.None;
				writer.QuoteChar = n % 3 == 0 ? '\'' : '"';
				writer.WriteStartObject ();
				for (int i = 0; i < n % 9; i++) {
					writer.WritePropertyName ("p" + i);
					switch (i) {
					case 0: writer.WriteValue (n); break;
					case 1: writer.WriteValue ("t" + n); break;
					case 2: writer.WriteNull (); break;
					case 3:
						writer.WriteStartArray ();
						writer.WriteValue (1.5);
						writer.WriteValue (true);
						writer.WriteEndArray ();
						break;
					case 4: writer.WriteValue (new DateTime (2020, 1, 1 + n % 28)); break;
					case 5: writer.WriteRawValue ("[1,2]"); break;
					case 6: writer.WriteValue (new byte[] { 1, 2, 3 }); break;
					default: writer.WriteValue (Guid.Empty); break;
					}
				}
				writer.WriteComment ("end");
				writer.WriteEndObject ();
			}
			int tokens = 0;
			using (var reader = new JsonTextReader (new StringReader (text.ToString ())))
				while (reader.Read ())
					tokens += reader.TokenType == JsonToken.PropertyName ? 1 : 0;
			Holds (tokens == n % 9, "tokens");
			JObject loaded = JObject.Parse (text.ToString ());
			Holds (loaded.Count == n % 9, "loaded");
			Holds (loaded.Properties ().All (p => p.Name[0] == 'p'), "names");
			using (var reader = new JTokenReader (loaded))
				Holds (new JsonSerializer ().Deserialize<Dictionary<string, object>> (reader).Count == n % 9,
						"dictionary");
		}
	}

	static void Dynamics ()
	{
		for (int i = 0; i < 100; i++) {
			dynamic o = JObject.Parse ("{a:{b:[" + i + "]},c:'t'}");
			Holds ((int) o.a.b[0] == i, "dynamic");
			Holds (JsonConvert.SerializeObject (new { i, half = i / 2.0,
					nested = new { x = "y" } }).Contains ("\"x\":\"y\""), "anonymous");
			var changed = new JObject ();
			int events = 0;
			changed.PropertyChanged += (s, e) => events++;
			changed["n"] = i;
			changed["n"] = i + 1;
			Holds (events == 2, "events");
			Holds (JsonConvert.DeserializeAnonymousType ("{n:" + i + "}", new { n = 0 }).n == i, "anonymous type");
			Holds (JsonConvert.DeserializeXmlNode ("{r:{v:" + i + "}}").InnerText == i.ToString (), "xml");
		}
	}

	public static int Run (int rounds, out double milliseconds)
	{
		var watch = Stopwatch.StartNew ();
		for (int i = 0; i < rounds; i++) {
			count = 0;
			Scalars ();
			RoundTrips ();
			Queries ();
			Streams ();
			Dynamics ();
		}
		milliseconds = watch.Elapsed.TotalMilliseconds;
		return count;
	}
}
