// SPDX-License-Identifier: MIT
using System.Runtime.CompilerServices;

public static class Plugin {
	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Use (Dep.Thing thing) => thing.Value;

	public static int Run () => Use (new Dep.Thing ());
}
