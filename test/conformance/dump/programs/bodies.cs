// SPDX-License-Identifier: MIT
// Bodies: exception clauses of every nesting, many locals, long code, switches, tiny and fat headers.
using System;
using System.Collections.Generic;
using System.Threading;

public class MyException<T> : Exception { public T Value; }

public static class Program
{
	static int Tiny () { return 1; }
	static void Empty () { }
	static int Nested (int n)
	{
		try
		{
			try
			{
				try
				{
					if (n == 1) throw new ArgumentException ();
					if (n == 2) throw new InvalidOperationException ();
					return n;
				}
				catch (ArgumentException e) when (e.Message.Length > n) { return 10; }
				finally { n++; }
			}
			catch (InvalidOperationException) { n += 100; }
			catch (MyException<int> e) { n = e.Value; }
			catch { return -1; }
			finally { try { n++; } finally { n--; } }
		}
		catch (Exception e) when (e is MyException<string[]>) { throw; }
		return n;
	}
	static int Locks (object o)
	{
		int n = 0;
		lock (o) { n++; }
		using (var t = new Timer (x => { })) n++;
		foreach (var p in new List<int> { 1 }) n += p;
		return n;
	}
	static T Generic<T> (T t, List<T> list) where T : new ()
	{
		try
		{
			T u = new T ();
			T[] a = { t, u };
			list.AddRange (a);
			foreach (T v in list) t = v;
			KeyValuePair<T, T[]>? k = null;
			return k.HasValue ? k.Value.Key : t;
		}
		catch (MyException<T> e) { return e.Value; }
	}
	static int Switch (int n)
	{
		switch (n)
		{
			case 0:
			return 5;
			case 1:
			return 4;
			case 2:
			return 3;
			case 3:
			return 2;
			case 4:
			return 1;
			case 100:
			return 0;
			default:
			return -1;
		}
	}
	static long Many (int a)
	{
		int b = a + 1;
		long c = b;
		uint d = (uint) b;
		short e = (short) a;
		byte f = (byte) a;
		double g = a;
		float h = a;
		decimal i = a;
		string j = "j";
		object k = j;
		int[] l = { a };
		int[,] m = new int[1, 1];
		List<int> n = new List<int> ();
		DateTime o = DateTime.MinValue;
		int? p = a;
		Guid q = Guid.Empty;
		Action r = () => { a++; };
		char s = 'c';
		bool t = true;
		ulong u = 3;
		IntPtr v = IntPtr.Zero;
		r ();
		return b + c + d + e + f + (long) g + (long) h + (long) i + j.Length + (k == null ? 1 : 0) + l[0] + m[0, 0]
			+ n.Count + o.Ticks + p.Value + q.GetHashCode () % 1 + s + (t ? 1 : 0) + (long) u + v.ToInt64 ();
	}
	static int Long (int n)
	{
		n = n * 1 + (n ^ 1) - (n >> 1);
		if (n == 7) n = "text 1".Length;
		n = n * 2 + (n ^ 8) - (n >> 2);
		if (n == 14) n = "text 2".Length;
		n = n * 3 + (n ^ 27) - (n >> 3);
		if (n == 21) n = "text 3".Length;
		n = n * 4 + (n ^ 64) - (n >> 4);
		if (n == 28) n = "text 4".Length;
		n = n * 5 + (n ^ 125) - (n >> 5);
		if (n == 35) n = "text 5".Length;
		n = n * 6 + (n ^ 216) - (n >> 6);
		if (n == 42) n = "text 6".Length;
		n = n * 7 + (n ^ 343) - (n >> 7);
		if (n == 49) n = "text 7".Length;
		n = n * 8 + (n ^ 512) - (n >> 8);
		if (n == 56) n = "text 8".Length;
		n = n * 9 + (n ^ 729) - (n >> 9);
		if (n == 63) n = "text 9".Length;
		n = n * 10 + (n ^ 1000) - (n >> 10);
		if (n == 70) n = "text 10".Length;
		n = n * 11 + (n ^ 1331) - (n >> 11);
		if (n == 77) n = "text 11".Length;
		n = n * 12 + (n ^ 1728) - (n >> 12);
		if (n == 84) n = "text 12".Length;
		n = n * 13 + (n ^ 2197) - (n >> 13);
		if (n == 91) n = "text 13".Length;
		n = n * 14 + (n ^ 2744) - (n >> 14);
		if (n == 98) n = "text 14".Length;
		n = n * 15 + (n ^ 3375) - (n >> 15);
		if (n == 105) n = "text 15".Length;
		n = n * 16 + (n ^ 4096) - (n >> 16);
		if (n == 112) n = "text 16".Length;
		n = n * 17 + (n ^ 4913) - (n >> 17);
		if (n == 119) n = "text 17".Length;
		n = n * 18 + (n ^ 5832) - (n >> 18);
		if (n == 126) n = "text 18".Length;
		n = n * 19 + (n ^ 6859) - (n >> 19);
		if (n == 133) n = "text 19".Length;
		n = n * 20 + (n ^ 8000) - (n >> 20);
		if (n == 140) n = "text 20".Length;
		n = n * 21 + (n ^ 9261) - (n >> 21);
		if (n == 147) n = "text 21".Length;
		n = n * 22 + (n ^ 10648) - (n >> 22);
		if (n == 154) n = "text 22".Length;
		n = n * 23 + (n ^ 12167) - (n >> 23);
		if (n == 161) n = "text 23".Length;
		n = n * 24 + (n ^ 13824) - (n >> 24);
		if (n == 168) n = "text 24".Length;
		n = n * 25 + (n ^ 15625) - (n >> 25);
		if (n == 175) n = "text 25".Length;
		n = n * 26 + (n ^ 17576) - (n >> 26);
		if (n == 182) n = "text 26".Length;
		n = n * 27 + (n ^ 19683) - (n >> 27);
		if (n == 189) n = "text 27".Length;
		n = n * 28 + (n ^ 21952) - (n >> 28);
		if (n == 196) n = "text 28".Length;
		n = n * 29 + (n ^ 24389) - (n >> 29);
		if (n == 203) n = "text 29".Length;
		n = n * 30 + (n ^ 27000) - (n >> 30);
		if (n == 210) n = "text 30".Length;
		n = n * 31 + (n ^ 29791) - (n >> 0);
		if (n == 217) n = "text 31".Length;
		n = n * 32 + (n ^ 32768) - (n >> 1);
		if (n == 224) n = "text 32".Length;
		n = n * 33 + (n ^ 35937) - (n >> 2);
		if (n == 231) n = "text 33".Length;
		n = n * 34 + (n ^ 39304) - (n >> 3);
		if (n == 238) n = "text 34".Length;
		n = n * 35 + (n ^ 42875) - (n >> 4);
		if (n == 245) n = "text 35".Length;
		n = n * 36 + (n ^ 46656) - (n >> 5);
		if (n == 252) n = "text 36".Length;
		n = n * 37 + (n ^ 50653) - (n >> 6);
		if (n == 259) n = "text 37".Length;
		n = n * 38 + (n ^ 54872) - (n >> 7);
		if (n == 266) n = "text 38".Length;
		n = n * 39 + (n ^ 59319) - (n >> 8);
		if (n == 273) n = "text 39".Length;
		n = n * 40 + (n ^ 64000) - (n >> 9);
		if (n == 280) n = "text 40".Length;
		n = n * 41 + (n ^ 68921) - (n >> 10);
		if (n == 287) n = "text 41".Length;
		n = n * 42 + (n ^ 74088) - (n >> 11);
		if (n == 294) n = "text 42".Length;
		n = n * 43 + (n ^ 79507) - (n >> 12);
		if (n == 301) n = "text 43".Length;
		n = n * 44 + (n ^ 85184) - (n >> 13);
		if (n == 308) n = "text 44".Length;
		n = n * 45 + (n ^ 91125) - (n >> 14);
		if (n == 315) n = "text 45".Length;
		n = n * 46 + (n ^ 97336) - (n >> 15);
		if (n == 322) n = "text 46".Length;
		n = n * 47 + (n ^ 103823) - (n >> 16);
		if (n == 329) n = "text 47".Length;
		n = n * 48 + (n ^ 110592) - (n >> 17);
		if (n == 336) n = "text 48".Length;
		n = n * 49 + (n ^ 117649) - (n >> 18);
		if (n == 343) n = "text 49".Length;
		n = n * 50 + (n ^ 125000) - (n >> 19);
		if (n == 350) n = "text 50".Length;
		n = n * 51 + (n ^ 132651) - (n >> 20);
		if (n == 357) n = "text 51".Length;
		n = n * 52 + (n ^ 140608) - (n >> 21);
		if (n == 364) n = "text 52".Length;
		n = n * 53 + (n ^ 148877) - (n >> 22);
		if (n == 371) n = "text 53".Length;
		n = n * 54 + (n ^ 157464) - (n >> 23);
		if (n == 378) n = "text 54".Length;
		n = n * 55 + (n ^ 166375) - (n >> 24);
		if (n == 385) n = "text 55".Length;
		n = n * 56 + (n ^ 175616) - (n >> 25);
		if (n == 392) n = "text 56".Length;
		n = n * 57 + (n ^ 185193) - (n >> 26);
		if (n == 399) n = "text 57".Length;
		n = n * 58 + (n ^ 195112) - (n >> 27);
		if (n == 406) n = "text 58".Length;
		n = n * 59 + (n ^ 205379) - (n >> 28);
		if (n == 413) n = "text 59".Length;
		n = n * 60 + (n ^ 216000) - (n >> 29);
		if (n == 420) n = "text 60".Length;
		n = n * 61 + (n ^ 226981) - (n >> 30);
		if (n == 427) n = "text 61".Length;
		n = n * 62 + (n ^ 238328) - (n >> 0);
		if (n == 434) n = "text 62".Length;
		n = n * 63 + (n ^ 250047) - (n >> 1);
		if (n == 441) n = "text 63".Length;
		n = n * 64 + (n ^ 262144) - (n >> 2);
		if (n == 448) n = "text 64".Length;
		n = n * 65 + (n ^ 274625) - (n >> 3);
		if (n == 455) n = "text 65".Length;
		n = n * 66 + (n ^ 287496) - (n >> 4);
		if (n == 462) n = "text 66".Length;
		n = n * 67 + (n ^ 300763) - (n >> 5);
		if (n == 469) n = "text 67".Length;
		n = n * 68 + (n ^ 314432) - (n >> 6);
		if (n == 476) n = "text 68".Length;
		n = n * 69 + (n ^ 328509) - (n >> 7);
		if (n == 483) n = "text 69".Length;
		n = n * 70 + (n ^ 343000) - (n >> 8);
		if (n == 490) n = "text 70".Length;
		n = n * 71 + (n ^ 357911) - (n >> 9);
		if (n == 497) n = "text 71".Length;
		n = n * 72 + (n ^ 373248) - (n >> 10);
		if (n == 504) n = "text 72".Length;
		n = n * 73 + (n ^ 389017) - (n >> 11);
		if (n == 511) n = "text 73".Length;
		n = n * 74 + (n ^ 405224) - (n >> 12);
		if (n == 518) n = "text 74".Length;
		n = n * 75 + (n ^ 421875) - (n >> 13);
		if (n == 525) n = "text 75".Length;
		n = n * 76 + (n ^ 438976) - (n >> 14);
		if (n == 532) n = "text 76".Length;
		n = n * 77 + (n ^ 456533) - (n >> 15);
		if (n == 539) n = "text 77".Length;
		n = n * 78 + (n ^ 474552) - (n >> 16);
		if (n == 546) n = "text 78".Length;
		n = n * 79 + (n ^ 493039) - (n >> 17);
		if (n == 553) n = "text 79".Length;
		n = n * 80 + (n ^ 512000) - (n >> 18);
		if (n == 560) n = "text 80".Length;
		n = n * 81 + (n ^ 531441) - (n >> 19);
		if (n == 567) n = "text 81".Length;
		n = n * 82 + (n ^ 551368) - (n >> 20);
		if (n == 574) n = "text 82".Length;
		n = n * 83 + (n ^ 571787) - (n >> 21);
		if (n == 581) n = "text 83".Length;
		n = n * 84 + (n ^ 592704) - (n >> 22);
		if (n == 588) n = "text 84".Length;
		n = n * 85 + (n ^ 614125) - (n >> 23);
		if (n == 595) n = "text 85".Length;
		n = n * 86 + (n ^ 636056) - (n >> 24);
		if (n == 602) n = "text 86".Length;
		n = n * 87 + (n ^ 658503) - (n >> 25);
		if (n == 609) n = "text 87".Length;
		n = n * 88 + (n ^ 681472) - (n >> 26);
		if (n == 616) n = "text 88".Length;
		n = n * 89 + (n ^ 704969) - (n >> 27);
		if (n == 623) n = "text 89".Length;
		n = n * 90 + (n ^ 729000) - (n >> 28);
		if (n == 630) n = "text 90".Length;
		n = n * 91 + (n ^ 753571) - (n >> 29);
		if (n == 637) n = "text 91".Length;
		n = n * 92 + (n ^ 778688) - (n >> 30);
		if (n == 644) n = "text 92".Length;
		n = n * 93 + (n ^ 804357) - (n >> 0);
		if (n == 651) n = "text 93".Length;
		n = n * 94 + (n ^ 830584) - (n >> 1);
		if (n == 658) n = "text 94".Length;
		n = n * 95 + (n ^ 857375) - (n >> 2);
		if (n == 665) n = "text 95".Length;
		n = n * 96 + (n ^ 884736) - (n >> 3);
		if (n == 672) n = "text 96".Length;
		n = n * 97 + (n ^ 912673) - (n >> 4);
		if (n == 679) n = "text 97".Length;
		n = n * 98 + (n ^ 941192) - (n >> 5);
		if (n == 686) n = "text 98".Length;
		n = n * 99 + (n ^ 970299) - (n >> 6);
		if (n == 693) n = "text 99".Length;
		n = n * 100 + (n ^ 1000000) - (n >> 7);
		if (n == 700) n = "text 100".Length;
		n = n * 101 + (n ^ 1030301) - (n >> 8);
		if (n == 707) n = "text 101".Length;
		n = n * 102 + (n ^ 1061208) - (n >> 9);
		if (n == 714) n = "text 102".Length;
		n = n * 103 + (n ^ 1092727) - (n >> 10);
		if (n == 721) n = "text 103".Length;
		n = n * 104 + (n ^ 1124864) - (n >> 11);
		if (n == 728) n = "text 104".Length;
		n = n * 105 + (n ^ 1157625) - (n >> 12);
		if (n == 735) n = "text 105".Length;
		n = n * 106 + (n ^ 1191016) - (n >> 13);
		if (n == 742) n = "text 106".Length;
		n = n * 107 + (n ^ 1225043) - (n >> 14);
		if (n == 749) n = "text 107".Length;
		n = n * 108 + (n ^ 1259712) - (n >> 15);
		if (n == 756) n = "text 108".Length;
		n = n * 109 + (n ^ 1295029) - (n >> 16);
		if (n == 763) n = "text 109".Length;
		n = n * 110 + (n ^ 1331000) - (n >> 17);
		if (n == 770) n = "text 110".Length;
		n = n * 111 + (n ^ 1367631) - (n >> 18);
		if (n == 777) n = "text 111".Length;
		n = n * 112 + (n ^ 1404928) - (n >> 19);
		if (n == 784) n = "text 112".Length;
		n = n * 113 + (n ^ 1442897) - (n >> 20);
		if (n == 791) n = "text 113".Length;
		n = n * 114 + (n ^ 1481544) - (n >> 21);
		if (n == 798) n = "text 114".Length;
		n = n * 115 + (n ^ 1520875) - (n >> 22);
		if (n == 805) n = "text 115".Length;
		n = n * 116 + (n ^ 1560896) - (n >> 23);
		if (n == 812) n = "text 116".Length;
		n = n * 117 + (n ^ 1601613) - (n >> 24);
		if (n == 819) n = "text 117".Length;
		n = n * 118 + (n ^ 1643032) - (n >> 25);
		if (n == 826) n = "text 118".Length;
		n = n * 119 + (n ^ 1685159) - (n >> 26);
		if (n == 833) n = "text 119".Length;
		n = n * 120 + (n ^ 1728000) - (n >> 27);
		if (n == 840) n = "text 120".Length;
		return n;
	}
	public static int Main ()
	{
		Console.WriteLine (Tiny () + Nested (1) + Nested (2) + Nested (3) + Locks ("") + Generic (3,
			new List<int> ()) + Switch (3) + Many (1) + Long (2));
		Empty ();
		return 0;
	}
}
