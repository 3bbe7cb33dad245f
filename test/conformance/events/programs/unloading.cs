// SPDX-License-Identifier: MIT
// A library is loaded into a place of its own and unloaded with it: a load context, or where there are none a domain.
using System;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Own
{
	class Program
	{
		static Type contexts;
		static object context; // none in a domain, which has its own statics

		static Assembly Load (string path)
		{
			return context == null ? Assembly.LoadFrom (path)
				: (Assembly) contexts.GetMethod ("LoadFromAssemblyPath").Invoke (context, new object [] { path });
		}

		static void Inside ()
		{
			Assembly helper = Load (Path.Combine (AppDomain.CurrentDomain.BaseDirectory, "events-helper.dll"));
			helper.GetType ("Helper").GetMethod ("Answer").Invoke (null, null);
		}

		// The other runtime does not have its types.
		[MethodImpl (MethodImplOptions.NoInlining)]
		static void InDomain ()
		{
			AppDomain domain = AppDomain.CreateDomain ("one");
			domain.DoCallBack (Inside);
			AppDomain.Unload (domain);
		}

		[MethodImpl (MethodImplOptions.NoInlining)]
		static WeakReference Once ()
		{
			if (contexts == null) {
				InDomain ();
				return new WeakReference (null);
			}
			context = Activator.CreateInstance (contexts, new object [] { "one", true });
			Inside ();
			contexts.GetMethod ("Unload").Invoke (context, null);
			var weak = new WeakReference (context);
			context = null;
			return weak;
		}

		static int Main ()
		{
			contexts = Type.GetType ("System.Runtime.Loader.AssemblyLoadContext, System.Private.CoreLib");
			for (int i = 0; i < 3; i++) {
				WeakReference gone = Once ();
				for (int k = 0; k < 20 && gone.IsAlive; k++) {
					GC.Collect ();
					GC.WaitForPendingFinalizers ();
				}
			}
			Console.WriteLine ("three times");
			return 0;
		}
	}
}
