// SPDX-License-Identifier: MIT
// Two methods of one name: the one is excluded, the other is not. Compiled by the SDK's compiler.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using System.Threading.Tasks;

static class Overloads {
	[ExcludeFromCodeCoverage]
	static IEnumerable<int> Twice (int n)
	{
		yield return n; // hidden
	}

	static IEnumerable<int> Twice (string s)
	{
		yield return s.Length; // shown
	}

	[ExcludeFromCodeCoverage]
	static async Task<int> Wait (int n)
	{
		await Task.Yield ();
		return n; // hidden
	}

	static async Task<int> Wait (string s)
	{
		await Task.Yield ();
		return s.Length; // shown
	}

	static int Main ()
	{
		return Twice (1).Sum () + Twice ("ab").Sum () + Wait (1).Result + Wait ("abc").Result; // shown
	}
}
