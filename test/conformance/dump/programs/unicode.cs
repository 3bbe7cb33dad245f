// SPDX-License-Identifier: MIT
// Identifiers and texts that are not ASCII.
using System;

namespace Größe.日本語
{
	public class Ünïcödé
	{
		public int ñandú;
		public string Привет { get; set; }
		public event Action événement;
		public void Raise () { if (événement != null) événement (); }
	}
	public interface Ιλιάς { void Ἀχιλλεύς (int παῖς); }
	public class 類<T型> { public T型 値; public T型 方法<TŰ> (T型 引数, TŰ másik) { return 引数; } }
	public enum Цвет { Красный, Зелёный = 5 }
	public struct Điểm : Ιλιάς
	{
		public double x̱;
		public float 한국어;
		void Ιλιάς.Ἀχιλλεύς (int παῖς) { }
	}
	public delegate string फलन (string अ, ref int आ);
}

public static class Program
{
	const string Clef = "𝄞 clef, \u0000 nothing, \ud83d lone";
	static string عربي () { return "مرحبا"; }
	static string שלום (string ﷺ = "ß") { return "שלום" + ﷺ; }
	public static int Main ()
	{
		var c = new Größe.日本語.類<int> ();
		Console.WriteLine (עplus (c.方法 (1, "x"), عربي ().Length, שלום ().Length, Clef.Length));
		return 0;
	}
	static int עplus (params int[] ﺎ) { int s = 0; foreach (int ⅻ in ﺎ) s += ⅻ; return s; }
}
