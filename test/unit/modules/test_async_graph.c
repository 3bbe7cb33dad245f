/*
 * SPDX-License-Identifier: MIT
 *
 * test_async_graph.c - which chains there are between boxes of async methods.
 *
 * The method of box i is the letter 'a' + i, its address 0x1000 * (i + 1).
 */
#include "async-graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 8, PATH_END = 0x40 };

static async_graph graph;
static char told[512];
static uint32_t chains;

static int
setup (void **state)
{
	told[0] = '\0';
	chains = 0;
	return async_graph_init (&graph, MOST) ? 0 : -1;
}

static int
teardown (void **state)
{
	async_graph_done (&graph);
	return 0;
}

static uintptr_t
address_of (uint32_t box)
{
	return 0x1000 * ((uintptr_t) box + 1);
}

static void
boxes (uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		graph.boxes[i] = (async_box) { .object = address_of (i), .last_offset = PATH_END };
		graph.boxes[i].method = (MonoMethod *) (uintptr_t) ('a' + i);
	}
}

/* `text`: "ab bc", b awaits a, c awaits b. */
static void
edges (const char *text)
{
	for (; *text; text += text[2] ? 3 : 2)
		assert_true (async_graph_add (&graph, (uint32_t) (text[0] - 'a'), address_of ((uint32_t) (text[1] - 'a')), 0));
}

static void
tell (void *data, const monocle_kit_frame *frames, uint32_t count)
{
	char *end = told + strlen (told);
	if (end + count + 2 <= told + sizeof told) {
		for (uint32_t i = 0; i < count; i++)
			*end++ =
			    frames[i].method == (void *) MONOCLE_KIT_FRAME_TRUNCATED ? '.' : (char) (uintptr_t) frames[i].method;
		strcpy (end, " ");
	}
	chains++;
}

static const char *
all (uint32_t count, uint32_t depth)
{
	assert_true (async_graph_chains (&graph, count, depth, tell, NULL));
	return told;
}

static void
a_chain_begins_with_who_awaits_none (void **state)
{
	boxes (4);
	edges ("cb ba");
	assert_string_equal (all (4, 10), "cba d ");
}

static void
each_who_awaits_one_ends_a_chain (void **state)
{
	boxes (4);
	edges ("ab ac ad");
	assert_string_equal (all (4, 10), "ab ac ad ");
}

static void
each_that_is_awaited_begins_one (void **state)
{
	boxes (4);
	edges ("ad bd cd");
	assert_string_equal (all (4, 10), "ad bd cd ");
}

static void
what_is_not_in_use_breaks_a_chain (void **state)
{
	boxes (3);
	graph.boxes[1].method = NULL;
	edges ("ab bc");
	assert_true (async_graph_add (&graph, 0, 0x1234, 0));
	assert_string_equal (all (3, 10), "a c ");
}

static void
who_runs_and_is_not_awaited_is_none (void **state)
{
	boxes (3);
	graph.boxes[0].runs = graph.boxes[2].runs = true;
	edges ("ab");
	assert_string_equal (all (3, 10), "ab ");
}

static void
what_a_state_machine_refers_to_does_not_await_it (void **state)
{
	boxes (3);
	assert_true (async_graph_add (&graph, 0, address_of (1), PATH_END));
	assert_true (async_graph_add (&graph, 0, address_of (2), PATH_END + 8));
	assert_string_equal (all (3, 10), "ab c ");
}

static void
a_circle_is_none_and_a_long_chain_is_cut (void **state)
{
	boxes (6);
	edges ("ab ba cd de ed");
	assert_string_equal (all (6, 4), "cded. f ");
}

static void
only_a_chain_that_goes_on_is_truncated (void **state)
{
	boxes (8);
	edges ("ab bc de ef fg");
	assert_string_equal (all (8, 3), "abc def. h ");
}

static void
who_is_awaited_by_an_unknown_one_says_so (void **state)
{
	boxes (4);
	graph.boxes[1].is_cut = graph.boxes[2].is_cut = graph.boxes[3].is_cut = true;
	graph.boxes[3].runs = true;
	edges ("ab");
	assert_string_equal (all (4, 2), "ab. c. ");
}

static void
there_is_an_end_to_awaiting (void **state)
{
	boxes (1);
	for (uint32_t i = 0; i < 2 * MOST; i++)
		assert_true (async_graph_add (&graph, 0, address_of (0), 0));
	assert_false (async_graph_add (&graph, 0, address_of (0), 0));
	assert_string_equal (all (1, 10), "a ");
}

static void
ways_without_number_come_to_an_end (void **state)
{
	boxes (4);
	edges ("ab bc cb bd cd db dc");
	all (4, 60);
	assert_true (chains > 1000 && chains < 1u << 23);
	assert_non_null (strchr (told, '.'));
}

int
main (void)
{
#define graph_test(name) cmocka_unit_test_setup_teardown (name, setup, teardown)
	const struct CMUnitTest tests[] = {
		graph_test (a_chain_begins_with_who_awaits_none),
		graph_test (each_who_awaits_one_ends_a_chain),
		graph_test (each_that_is_awaited_begins_one),
		graph_test (what_is_not_in_use_breaks_a_chain),
		graph_test (who_runs_and_is_not_awaited_is_none),
		graph_test (what_a_state_machine_refers_to_does_not_await_it),
		graph_test (a_circle_is_none_and_a_long_chain_is_cut),
		graph_test (only_a_chain_that_goes_on_is_truncated),
		graph_test (who_is_awaited_by_an_unknown_one_says_so),
		graph_test (there_is_an_end_to_awaiting),
		graph_test (ways_without_number_come_to_an_end),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
