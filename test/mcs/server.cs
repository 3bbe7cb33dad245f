// SPDX-License-Identifier: MIT
//
// server.cs - the compiler mcs, compiled to machine code once for many programs.
//
//   mono server.exe SOCKET MCS.EXE
//
// Prints "ready" once it listens. A request is the arguments of one mcs, each ended by a zero byte, and the end of the
// stream; the answer is "0" or "1", as mcs would have ended, and the text that it would have printed. One request after
// the other. The server ends when no request has come for IDLE.
using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Reflection;
using System.Text;

class UnixPlace : EndPoint
{
	readonly byte [] path;

	public UnixPlace (string path)
	{
		this.path = Encoding.UTF8.GetBytes (path);
	}

	public override AddressFamily AddressFamily { get { return AddressFamily.Unix; } }

	public override EndPoint Create (SocketAddress address)
	{
		return this;
	}

	public override SocketAddress Serialize ()
	{
		var address = new SocketAddress (AddressFamily.Unix, 2 + path.Length + 1);
		for (int i = 0; i < path.Length; i++)
			address [2 + i] = path [i];
		address [2 + path.Length] = 0;
		return address;
	}
}

static class Server
{
	const int IDLE = 5000000; // microseconds

	delegate bool Compiler (string [] arguments, TextWriter output);

	static void Answer (Socket client, Compiler compile)
	{
		var request = new MemoryStream ();
		var part = new byte [4096];
		for (int size; (size = client.Receive (part)) > 0;)
			request.Write (part, 0, size);
		var words = Encoding.UTF8.GetString (request.ToArray ()).Split ('\0');
		Array.Resize (ref words, words.Length - 1);
		var said = new StringWriter ();
		bool good = compile (words, said);
		client.Send (Encoding.UTF8.GetBytes ((good ? "0" : "1") + said));
	}

	static void Main (string [] arguments)
	{
		var entry = Assembly.LoadFrom (arguments [1]).GetType ("Mono.CSharp.CompilerCallableEntryPoint");
		var compile = (Compiler) Delegate.CreateDelegate (typeof (Compiler), entry.GetMethod ("InvokeCompiler"));
		var listener = new Socket (AddressFamily.Unix, SocketType.Stream, 0);
		File.Delete (arguments [0]);
		listener.Bind (new UnixPlace (arguments [0]));
		listener.Listen (64);
		Console.WriteLine ("ready");
		Console.Out.Flush ();
		while (listener.Poll (IDLE, SelectMode.SelectRead))
			using (var client = listener.Accept ())
				Answer (client, compile);
		File.Delete (arguments [0]);
	}
}
