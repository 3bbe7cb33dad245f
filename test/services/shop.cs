// SPDX-License-Identifier: MIT
// A service: a thousand sales, then it waits for its end. It listens to Ctrl-C as hosts listen to SIGTERM.
using System;
using System.Threading;

static class Shop
{
	static ManualResetEvent closed;
	static int sum;

	static void Sell (int n)
	{
		sum += n;
	}

	static void Close (object sender, ConsoleCancelEventArgs e)
	{
		e.Cancel = true;
		closed.Set ();
	}

	static int Main ()
	{
		closed = new ManualResetEvent (false);
		Console.CancelKeyPress += Close;
		for (int i = 0; i < 1000; i++)
			Sell (i);
		Console.WriteLine ("open");
		closed.WaitOne ();
		return 3;
	}
}
