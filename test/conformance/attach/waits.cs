// SPDX-License-Identifier: MIT
// Threads that wait in system calls, most of which any signal ends early, each in a method that its name says. Says
// "ready" when all of them wait. When standard input ends it says of each whether it still waits, and then ends. A
// comment "at NAME" marks the line of such a thread.
using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;

static unsafe class Waits
{
	const int GetTid = 186, Rcvtimeo = 20;

	[StructLayout (LayoutKind.Sequential)]
	struct PollFd { public int fd; public short events, revents; }

	[StructLayout (LayoutKind.Sequential, Pack = 1)]
	struct EpollEvent { public uint events; public ulong data; }

	[StructLayout (LayoutKind.Sequential)]
	struct SemBuf { public ushort number; public short op, flags; }

	[StructLayout (LayoutKind.Sequential)]
	struct TimeSpec { public long seconds, nanoseconds; }

	[DllImport ("libc")] static extern long syscall (long number);
	[DllImport ("libc")] static extern int poll (PollFd* list, nuint count, int milliseconds);
	[DllImport ("libc")] static extern int ppoll (PollFd* list, nuint count, long* limit, void* mask);
	[DllImport ("libc")] static extern int select (int count, void* read, void* write, void* other, long* limit);
	[DllImport ("libc")] static extern int pselect (int count, void* read, void* write, void* other, long* limit,
	                                                void* mask);
	[DllImport ("libc")] static extern int epoll_create1 (int flags);
	[DllImport ("libc")] static extern int epoll_wait (int epoll, EpollEvent* list, int count, int milliseconds);
	[DllImport ("libc")] static extern uint sleep (uint seconds);
	[DllImport ("libc")] static extern int nanosleep (TimeSpec* time, TimeSpec* rest);
	[DllImport ("libc")] static extern int pause ();
	[DllImport ("libc")] static extern int socketpair (int domain, int type, int protocol, int* pair);
	[DllImport ("libc")] static extern int setsockopt (int socket, int level, int option, void* value, uint size);
	[DllImport ("libc")] static extern nint recv (int socket, void* to, nuint size, int flags);
	[DllImport ("libc")] static extern int semget (int key, int count, int flags);
	[DllImport ("libc")] static extern int semctl (int id, int number, int command);
	[DllImport ("libc")] static extern int semop (int id, SemBuf* list, nuint count);
	[DllImport ("libc")] static extern int pipe (int* pair);
	[DllImport ("libc")] static extern nint read (int file, void* to, nuint size);
	[DllImport ("libc")] static extern void _exit (int code);

	static int semaphores;

	static void Poll ()
	{
		poll (null, 0, -1); // at Poll
	}

	static void PPoll ()
	{
		ppoll (null, 0, null, null); // at PPoll
	}

	static void Select ()
	{
		select (0, null, null, null, null); // at Select
	}

	static void PSelect ()
	{
		pselect (0, null, null, null, null, null); // at PSelect
	}

	static void Epoll ()
	{
		EpollEvent one;
		epoll_wait (epoll_create1 (0), &one, 1, -1); // at Epoll
	}

	static void Sleep ()
	{
		sleep (1000000); // at Sleep
	}

	static void NanoSleep ()
	{
		TimeSpec time;
		time.seconds = 1000000;
		time.nanoseconds = 0;
		nanosleep (&time, null); // at NanoSleep
	}

	static void Pause ()
	{
		pause (); // at Pause
	}

	static void Receive ()
	{
		int* pair = stackalloc int[2];
		long* limit = stackalloc long[2];
		byte to;
		limit[0] = 1000000;
		socketpair (1, 1, 0, pair);
		setsockopt (pair[0], 1, Rcvtimeo, limit, 16);
		recv (pair[0], &to, 1, 0); // at Receive
	}

	static void Semaphore ()
	{
		SemBuf one;
		one.number = 0;
		one.op = -1;
		one.flags = 0;
		semop (semaphores, &one, 1); // at Semaphore
	}

	// These allocate on the stack, so that the size of their frame does not lead to their caller.
	static int few = 3, many = 70000;

	static void ZeroedPoll ()
	{
		byte* zeroed = stackalloc byte[many];
		poll (null, 0, -1 + zeroed[0]); // at ZeroedPoll
	}

	static void FilledPoll ()
	{
		nint* filled = stackalloc nint[few];
		for (int i = 0; i < few; i++)
			filled[i] = (nint) filled;
		poll (null, 0, -1); // at FilledPoll
	}

	static void ZeroedRead ()
	{
		int* pair = stackalloc int[2];
		pipe (pair);
		byte* zeroed = stackalloc byte[many];
		read (pair[0], zeroed, 1); // at ZeroedRead
	}

	static void ZeroedEpoll ()
	{
		EpollEvent* zeroed = stackalloc EpollEvent[few];
		epoll_wait (epoll_create1 (0), zeroed, few, -1); // at ZeroedEpoll
	}

	sealed class One
	{
		public readonly string Name;
		public volatile int Number;
		public volatile bool IsOver;

		public One (ThreadStart body)
		{
			Name = body.Method.Name;
			new Thread (() => Run (body)) {
				IsBackground = true, Name = Name
			}.Start ();
		}

		void Run (ThreadStart body)
		{
			Number = (int) syscall (GetTid);
			body ();
			IsOver = true;
		}

		public bool Waits ()
		{
			if (Number == 0)
				return false;
			string text = File.ReadAllText ("/proc/self/task/" + Number + "/syscall");
			long call = text.StartsWith ("running") ? -1 : long.Parse (text.Split (' ')[0]);
			return Array.IndexOf (calls, call) >= 0;
		}

		static readonly long[] calls = { 7, 271, 23, 270, 232, 281, 35, 230, 34, 45, 65, 220, 0 };
	}

	static int Main ()
	{
		TextReader input = Console.In; // a thread that looks at descriptors finds all of them
		var all = new List<One> ();
		semaphores = semget (0, 1, 384);
		foreach (ThreadStart body in new ThreadStart[] { Poll, PPoll, Select, PSelect, Epoll, Sleep, NanoSleep, Pause,
		                                                 Receive, Semaphore, ZeroedPoll, FilledPoll, ZeroedRead,
		                                                 ZeroedEpoll })
			all.Add (new One (body));
		foreach (One one in all)
			while (!one.Waits ())
				Thread.Yield ();
		Console.WriteLine ("ready");
		input.ReadToEnd ();
		foreach (One one in all)
			Console.WriteLine (one.Name + (one.IsOver ? " was ended early" : " waits"));
		Console.Out.Flush ();
		semctl (semaphores, 0, 0);
		_exit (3); // those that wait do so for ever
		return 0;
	}
}
