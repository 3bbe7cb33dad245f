/*
 * SPDX-License-Identifier: MIT
 *
 * test_csharp_name.c - names as sources have them, made of Mono's.
 */
#include "csharp-name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
	const char *full_name, *name;
} row;

static void
check_name (const row *wanted, monocle__machine machine)
{
	char buffer[512] = "";
	bool is_name = monocle__csharp_name (wanted->full_name, machine, buffer, sizeof buffer);
	if (!wanted->name && is_name)
		fail_msg ("%s is not left alone: %s", wanted->full_name, buffer);
	if (wanted->name && (!is_name || strcmp (buffer, wanted->name) != 0))
		fail_msg ("%s -> %s, not %s", wanted->full_name, is_name ? buffer : "nothing", wanted->name);
}

static void
check_names (const row *rows, size_t count, monocle__machine machine)
{
	for (size_t i = 0; i < count; i++)
		check_name (&rows[i], machine);
}

#define CHECK(rows, machine) check_names (rows, sizeof (rows) / sizeof *(rows), machine)

/* clang-format off */
static void
methods_have_dots_and_arguments_without_namespaces (void **state)
{
	static const row rows[] = {
		{ "Words:Add (string)", "Words.Add (string)" },
		{ "Shop.Orders:.ctor (int,string)", "Shop.Orders..ctor (int, string)" },
		{ "Shop.Orders/Line:get_Total ()", "Shop.Orders.Line.get_Total ()" },
		{ "Shop.Orders:Add (Shop.Order,System.Collections.Generic.List`1<Shop.Order>)",
		  "Shop.Orders.Add (Order, List<Order>)" },
		{ "A:B (int16,uint16,single,intptr,uintptr)", "A.B (short, ushort, float, nint, nuint)" },
		{ "A:B (int&,char*,System.Guid[],int[,])", "A.B (ref int, char*, Guid[], int[,])" },
		{ "A:B (System.Guid modreq(System.Runtime.InteropServices.InAttribute)&,int modopt(X) modreq(Y))",
		  "A.B (ref Guid, int)" },
		{ "A:B (System.Nullable`1<int>,System.Nullable`1<System.DateTime>&)", "A.B (int?, ref DateTime?)" },
		{ "(wrapper managed-to-native) Interop/Sys:Read (intptr,byte*,int)",
		  "(wrapper managed-to-native) Interop.Sys.Read (nint, byte*, int)" },
		{ "A:System.IDisposable.Dispose ()", "A.IDisposable.Dispose ()" },
		{ "A:System.Collections.Generic.IEnumerable<System.Int32>.GetEnumerator ()",
		  "A.IEnumerable<int>.GetEnumerator ()" },
	};
	CHECK (rows, MONOCLE__MACHINE_NONE);
}

static void
type_arguments_are_where_the_source_has_them (void **state)
{
	static const row rows[] = {
		{ "System.Collections.Generic.KeyValuePair`2<string, int>:get_Key ()",
		  "System.Collections.Generic.KeyValuePair<string, int>.get_Key ()" },
		{ "System.Collections.Generic.Dictionary`2/Enumerator<TKey_REF, Shop.Order>:MoveNext ()",
		  "System.Collections.Generic.Dictionary<TKey, Order>.Enumerator.MoveNext ()" },
		{ "A`1/B`2<int, string, A.C>:M ()", "A<int>.B<string, C>.M ()" },
		{ "Shop.Orders:Pick<T_REF> (System.Func`2<T_REF, bool>)", "Shop.Orders.Pick<T> (Func<T, bool>)" },
		{ "A`1<System.Collections.Generic.List`1<B`1<int>>>:M ()", "A<List<B<int>>>.M ()" },
		{ "A`1:M ()", "A.M ()" },
		{ "A:B (MY_REF[])", "A.B (MY[])" },
		{ "Box`1<System.Threading.Tasks.VoidTaskResult, Web.Http/<Process>d__2`1<T_REF>>:Run ()",
		  "Box<VoidTaskResult, Http.Process<T>>.Run ()" },
	};
	CHECK (rows, MONOCLE__MACHINE_NONE);
}

static void
lambdas_and_local_functions_belong_to_their_methods (void **state)
{
	static const row rows[] = {
		{ "Shop.Orders/<>c__DisplayClass5_0:<Search>b__0 (Shop.Order)", "Shop.Orders.Search.lambda (Order)" },
		{ "Shop.Orders/<>c:<Search>b__5_1 (Shop.Order,Shop.Order)", "Shop.Orders.Search.lambda2 (Order, Order)" },
		{ "Shop.Orders/<>c__6`1<T_REF>:<Pick>b__6_0 (T_REF)", "Shop.Orders.Pick.lambda (T)" },
		{ "Program/<>c:<<Main>$>b__0_3 (int)", "Program.Main.lambda4 (int)" },
		{ "Program:<<Main>$>g__Local|0_5 (int)", "Program.Main.Local (int)" },
		{ "Program/<>c__DisplayClass0_0:<<Main>$>g__Load|3 (int)", "Program.Main.Load (int)" },
		{ "Program:<<Main>$>g__Same|0_0<T_REF> (T_REF)", "Program.Main.Same<T> (T)" },
		{ "Program:<Main>$ (string[])", "Program.Main (string[])" },
		{ "Program:<Main> (string[])", "Program.<Main> (string[])" },
		{ "Orders/<>c:<.ctor>b__8_0 (int)", "Orders..ctor.lambda (int)" },
		{ "Orders/<>c:.cctor ()", "Orders.closure..cctor ()" },
		{ "Orders/<>c__DisplayClass5_0:.ctor ()", "Orders.closure..ctor ()" },
		{ "Orders/<Search>c__AnonStorey0:.ctor ()", "Orders.Search.closure..ctor ()" },
		{ "Words/<Main>c__AnonStorey0:<>m__0 (string)", "Words.Main.lambda (string)" }, /* mcs */
		{ "Words:<Main>m__1 (string)", "Words.Main.lambda2 (string)" },
	};
	CHECK (rows, MONOCLE__MACHINE_NONE);
}

static void
state_machines_are_their_methods (void **state)
{
	static const row async[] = {
		{ "Shop.Orders/<GetAsync>d__3:MoveNext ()", "Shop.Orders.GetAsync (async)" },
		{ "Shop.Orders`1/<GetAsync>d__3`1<T_REF, int>:MoveNext ()", "Shop.Orders.GetAsync (async)" },
		{ "Program/<>c__DisplayClass0_0/<<<Main>$>g__Load|3>d:MoveNext ()", "Program.Main.Load (async)" },
		{ "Program/<>c/<<<Main>$>b__0_1>d:MoveNext ()", "Program.Main.lambda2 (async)" },
		{ "Shop.Orders/<GetAsync>d__3:SetStateMachine (System.Runtime.CompilerServices.IAsyncStateMachine)",
		  "Shop.Orders.GetAsync.SetStateMachine (IAsyncStateMachine)" },
		{ "Words/<Fetch>c__async0:MoveNext ()", "Words.Fetch (async)" },
		{ "Words/<Lines>c__Iterator0:MoveNext ()", "Words.Lines (iterator)" },
		{ "Shop.Orders:GetAsync (async)", "Shop.Orders.GetAsync (async)" }, /* as the module sample writes it */
		{ "Shop.Orders`1:Lines (iterator)", "Shop.Orders.Lines (iterator)" },
		{ "Program/<>c:<<Main>$>b__0_1 (async)", "Program.Main.lambda2 (async)" },
	};
	static const row iterator[] = {
		{ "Shop.Orders/<Lines>d__6:MoveNext ()", "Shop.Orders.Lines (iterator)" },
		{ "Shop.Orders/<Lines>d__6:System.Collections.Generic.IEnumerable<System.Int32>.GetEnumerator ()",
		  "Shop.Orders.Lines.GetEnumerator ()" },
		{ "Shop.Orders/<Lines>d__6:.ctor (int)", "Shop.Orders.Lines..ctor (int)" },
	};
	CHECK (async, MONOCLE__MACHINE_ASYNC);
	CHECK (iterator, MONOCLE__MACHINE_ITERATOR);
}

static void
what_is_no_name_of_monos_is_left_alone (void **state)
{
	static const row rows[] = {
		{ "", NULL }, { "[native]", NULL }, { "main", NULL }, { "gc_heap::mark (unsigned char**)", NULL },
		{ "std::vector<int>::push_back (int)", NULL }, { "System.Private.CoreLib!System.String.Concat(object)", NULL },
		{ ":M ()", NULL }, { "A: ()", NULL }, { "a b:c ()", NULL }, { "A:M (", NULL }, { "-[A m:x]", NULL },
		{ "(wrapper ) ", NULL }, { "(wrapper x)", NULL }, { "()", NULL }, { " ()", NULL },
	};
	CHECK (rows, MONOCLE__MACHINE_ASYNC);
}

static void
types_are_named_alone (void **state)
{
	static const row rows[] = {
		{ "System.InvalidOperationException", "System.InvalidOperationException" },
		{ "Shop.Orders/Closed", "Shop.Orders.Closed" },
		{ "Shop.Trouble`1", "Shop.Trouble" },
		{ "Shop.Trouble`1<System.Int32>", "Shop.Trouble<int>" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char buffer[64];
		assert_true (monocle__csharp_name_of_type (rows[i].full_name, buffer, sizeof buffer));
		assert_string_equal (buffer, rows[i].name);
	}
}

static void
only_classes_of_which_the_name_does_not_tell_are_asked_for (void **state)
{
	assert_true (monocle__csharp_name_is_machine ("A/<B>d__1:MoveNext ()"));
	assert_false (monocle__csharp_name_is_machine ("A/<B>d__1:Dispose ()"));
	assert_false (monocle__csharp_name_is_machine ("A/<B>c__async0:MoveNext ()"));
	assert_false (monocle__csharp_name_is_machine ("A/B:MoveNext ()"));
	assert_false (monocle__csharp_name_is_machine ("A:B (async)"));
}
/* clang-format on */

/* Each prefix of a name with everything in it, into rooms of each size: nothing is read or written beyond. */
static void
cut_names_and_small_rooms_do_no_harm (void **state)
{
	static const char whole[] = "(wrapper x) A.B`1/<>c__DisplayClass0_0<System.Nullable`1<int>&, C/D[,]>:"
	                            "<<Main>$>g__F|0_1<T_REF> (A`2<B`1<int>, C>&,System.Int32[]*,<>f__X`1<int>)";
	for (size_t length = 0; length < sizeof whole; length++) {
		char *text = strndup (whole, length);
		for (size_t size = 1; size < 200; size++) {
			char *buffer = malloc (size);
			monocle__csharp_name (text, MONOCLE__MACHINE_ASYNC, buffer, size);
			monocle__csharp_name_of_type (text, buffer, size);
			free (buffer);
		}
		free (text);
	}
}

static void
deep_nesting_is_refused (void **state)
{
	char text[4096] = "A:B (", buffer[8192];
	for (int i = 0; i < 300; i++)
		strcat (text, "C`1<");
	strcat (text, "int");
	for (int i = 0; i < 300; i++)
		strcat (text, ">");
	strcat (text, ")");
	assert_false (monocle__csharp_name (text, MONOCLE__MACHINE_NONE, buffer, sizeof buffer));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (methods_have_dots_and_arguments_without_namespaces),
		cmocka_unit_test (type_arguments_are_where_the_source_has_them),
		cmocka_unit_test (lambdas_and_local_functions_belong_to_their_methods),
		cmocka_unit_test (state_machines_are_their_methods),
		cmocka_unit_test (what_is_no_name_of_monos_is_left_alone),
		cmocka_unit_test (types_are_named_alone),
		cmocka_unit_test (only_classes_of_which_the_name_does_not_tell_are_asked_for),
		cmocka_unit_test (cut_names_and_small_rooms_do_no_harm),
		cmocka_unit_test (deep_nesting_is_refused),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
