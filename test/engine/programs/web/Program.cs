// SPDX-License-Identifier: MIT
//
// Program.cs - a web application of the smallest kind; it prints the address it listens on, on the loopback only.
using System;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

var builder = WebApplication.CreateBuilder (args);
builder.Logging.ClearProviders ();
var app = builder.Build ();
app.Urls.Add ("http://127.0.0.1:0");
app.UseExceptionHandler (handler => handler.Run (context => context.Response.WriteAsync ("caught")));
app.MapGet ("/", () => Handlers.Hello ());
app.MapGet ("/json/{n}", (int n) => Handlers.Json (n));
app.MapGet ("/throw", () => Handlers.Throw ());
app.MapGet ("/work", () => Handlers.Work ());
app.MapGet ("/later", () => Handlers.Later ());
app.Lifetime.ApplicationStarted.Register (() => Console.WriteLine (app.Urls.First ()));
app.Run ();
Console.WriteLine ("stopped");

public static class Handlers
{
	public record Answer (int Number, string Text);
	public static string Hello () => "hello";
	public static Answer[] Json (int n) =>
		Enumerable.Range (0, n).Select (i => new Answer (i, "number " + i)).ToArray ();
	public static string Throw () => throw new InvalidOperationException ("thrown");
	public static string Work ()
	{
		uint sum = 0;
		for (uint i = 0; i < 300; i++)
			sum = Step (sum, i);
		return sum.ToString ();
	}
	[System.Runtime.CompilerServices.MethodImpl (System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
	static uint Step (uint sum, uint i) => sum * 31 + i;
	public static async Task<string> Later ()
	{
		await Task.Delay (1);
		try {
			return await Task.Run (Throw);
		} catch (InvalidOperationException e) {
			return e.Message;
		}
	}
}
