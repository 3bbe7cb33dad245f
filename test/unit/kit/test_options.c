/*
 * SPDX-License-Identifier: MIT
 *
 * test_options.c - a module's arguments: the grammar, the values, and what is said when they are wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tree.h"

#include <cmocka.h>

static bool flag;
static uint64_t number;
static const char *text, *no_text, *list;
static uint32_t choice;

/* clang-format off */
static const monocle_kit_option rows[] = {
	{ "threads", MONOCLE_KIT_OPTION_FLAG,   &flag,   NULL,        "keep threads apart" },
	{ "depth",   MONOCLE_KIT_OPTION_U64,    &number, NULL,        "how deep", 1, 1 << 20 },
	{ "output",  MONOCLE_KIT_OPTION_STRING, &text,   "FILE",      "where to" },
	{ "time",    MONOCLE_KIT_OPTION_CHOICE, &choice, "wall|none", "what time" },
	{ "filter",  MONOCLE_KIT_OPTION_STRING, &no_text, "GLOB",     "whom, else all" },
	{ "with",    MONOCLE_KIT_OPTION_LIST,    &list,  "ITEM", "and these" },
	{ "more",    MONOCLE_KIT_OPTION_LIST,    &list,  "ITEM", "and more" },
	{ "without", MONOCLE_KIT_OPTION_WITHOUT, &list,  "ITEM", "and not these" },
	{ NULL },
};
/* clang-format on */

static int
reset (void **state)
{
	flag = false;
	number = 5;
	text = "default";
	list = "all";
	choice = 0;
	return 0;
}

static int
parse (const char *desc)
{
	return monocle_kit_options_parse ("test", desc, rows);
}

static void
no_arguments_keep_the_defaults (void **state)
{
	assert_int_equal (parse ("calls"), 0);
	assert_int_equal (parse ("calls:"), 0);
	assert_int_equal (parse (NULL), 0);
	assert_int_equal (number, 5);
	assert_string_equal (text, "default");
}

static void
each_kind_is_read (void **state)
{
	assert_int_equal (parse ("calls:threads,depth=12,output=a:b,time=none"), 0);
	assert_true (flag);
	assert_int_equal (number, 12);
	assert_string_equal (text, "a:b");
	assert_int_equal (choice, 1);
	free ((char *) text);
}

static void
flags_have_all_their_spellings (void **state)
{
	assert_int_equal (parse ("x:threads=true"), 0);
	assert_true (flag);
	assert_int_equal (parse ("x:nothreads"), 0);
	assert_false (flag);
	assert_int_equal (parse ("x:threads=1"), 0);
	assert_true (flag);
	assert_int_equal (parse ("x:threads=0"), 0);
	assert_false (flag);
	assert_int_equal (parse ("x:threads,threads=false"), 0);
	assert_false (flag);
}

static void
numbers_have_suffixes_and_limits (void **state)
{
	assert_int_equal (parse ("x:depth=2k"), 0);
	assert_int_equal (number, 2048);
	assert_int_equal (parse ("x:depth=1m"), 0);
	assert_int_equal (number, 1 << 20);
	setenv ("MONOCLE_LOG", "/dev/null", 1);
	assert_int_equal (parse ("x:depth=1g"), -1);
	assert_int_equal (parse ("x:depth=0"), -1);
	assert_int_equal (parse ("x:depth=-1"), -1);
	assert_int_equal (parse ("x:depth=99999999999999999999"), -1);
	assert_int_equal (parse ("x:depth=20000000000000000g"), -1);
	assert_int_equal (parse ("x:depth=1x"), -1);
	assert_int_equal (parse ("x:depth=1kk"), -1);
	unsetenv ("MONOCLE_LOG");
	assert_int_equal (number, 1 << 20);
}

static void
quotes_and_backslashes_protect (void **state)
{
	assert_int_equal (parse ("x:output='a,b=\"c\"',depth=7"), 0);
	assert_string_equal (text, "a,b=\"c\"");
	assert_int_equal (number, 7);
	free ((char *) text);
	assert_int_equal (parse ("x:output=a\\,b\\\\"), 0);
	assert_string_equal (text, "a,b\\");
	free ((char *) text);
	assert_int_equal (parse ("x:output=\"|gzip -9, really\""), 0);
	assert_string_equal (text, "|gzip -9, really");
	free ((char *) text);
}

static void
a_list_is_what_all_its_options_say_in_their_order (void **state)
{
	assert_int_equal (parse ("x:with=a"), 0);
	assert_string_equal (list, "a");
	free ((char *) list);
	assert_int_equal (parse ("x:with=a,depth=7,without='b,c',more='d,e',with=f,without=g"), 0);
	assert_string_equal (list, "a,-b,-c,d,e,f,-g");
	assert_int_equal (number, 7);
	free ((char *) list);
	assert_int_equal (parse ("x:without='',without=','"), 0);
	assert_string_equal (list, ",-,");
	free ((char *) list);
}

static void
parse_quietly (void *desc)
{
	assert_int_equal (parse (desc), -1);
}

static void
assert_complaint (const char *desc, const char *message)
{
	char *messages = tree_messages (parse_quietly, (void *) desc);
	assert_string_equal (messages, message);
	free (messages);
}

static void
a_wrong_option_is_one_line_with_the_right_one (void **state)
{
	assert_complaint ("x:outptu=a", "monocle: test: unknown option \"outptu\"; did you mean \"output\"?\n");
	assert_complaint ("x:outp=a", "monocle: test: unknown option \"outp\"; did you mean \"output\"?\n");
	assert_complaint ("x:-T:X", "monocle: test: unknown option \"-T:X\"; monocle help test prints all\n");
	assert_complaint ("x:output=all,-T:X",
	                  "monocle: test: unknown option \"-T:X\"; a comma that belongs to output= wants "
	                  "a backslash or quotes, and the shell must leave them: --profile=\"test:output='...,...'\"\n");
	assert_complaint ("x:hlp", "monocle: test: unknown option \"hlp\"; did you mean \"help\"?\n");
	assert_complaint ("x:nodepth", "monocle: test: unknown option \"nodepth\"; did you mean \"depth\"?\n");
	assert_complaint ("x:time=cpu", "monocle: test: option time=cpu: one of wall|none is wanted\n");
	assert_complaint ("x:time", "monocle: test: option time=: one of wall|none is wanted\n");
	assert_complaint ("x:depth=many", "monocle: test: option depth=many: a number from 1 to 1048576 is wanted\n");
	assert_complaint ("x:threads=2", "monocle: test: option threads=2: 0, 1, true or false is wanted\n");
	assert_complaint ("x:depth=3:threads",
	                  "monocle: test: option depth=3:threads: a number from 1 to 1048576 is wanted; "
	                  "options are separated by commas\n");
	assert_complaint ("x:output", "monocle: test: option output needs a value: output=FILE\n");
	assert_complaint ("x:without", "monocle: test: option without needs a value: without=ITEM\n");
	assert_complaint ("x:with=all,-T:X",
	                  "monocle: test: unknown option \"-T:X\"; a comma that belongs to with= wants "
	                  "a backslash or quotes, and the shell must leave them: --profile=\"test:with='...,...'\"\n");
	assert_complaint ("x:output='a", "monocle: test: option output=a: a quote is not closed\n");
}

static void
a_complaint_cannot_steer_a_terminal (void **state)
{
	assert_complaint ("x:time=\033[31m\xc2\x9b"
	                  "1m\n",
	                  "monocle: test: option time=?[31m?1m : one of wall|none is wanted\n");
}

static void
nothing_changes_when_one_is_wrong (void **state)
{
	setenv ("MONOCLE_LOG", "/dev/null", 1);
	assert_int_equal (parse ("x:threads,depth=9,output=here,time=none,with=a,with=b,wrong"), -1);
	unsetenv ("MONOCLE_LOG");
	assert_false (flag);
	assert_int_equal (number, 5);
	assert_string_equal (text, "default");
	assert_string_equal (list, "all");
	assert_int_equal (choice, 0);
}

static void
help_lists_the_rows_and_changes_nothing (void **state)
{
	char shown[2048] = "";
	int ends[2], saved = dup (STDOUT_FILENO);
	assert_int_equal (pipe (ends), 0);
	fflush (stdout);
	dup2 (ends[1], STDOUT_FILENO);
	int result = parse ("x:depth=9,help");
	fflush (stdout);
	dup2 (saved, STDOUT_FILENO);
	close (saved);
	close (ends[1]);
	assert_true (read (ends[0], shown, sizeof shown - 1) > 0);
	close (ends[0]);
	assert_int_equal (result, 1);
	assert_int_equal (number, 5);
	assert_non_null (strstr (shown, "  [no]threads              keep threads apart (default: off)\n"));
	assert_non_null (strstr (shown, "  depth=N                  how deep (default: 5)\n"));
	assert_non_null (strstr (shown, "  output=FILE              where to (default: default)\n"));
	assert_non_null (strstr (shown, "  time=wall|none           what time (default: wall)\n"));
	assert_non_null (strstr (shown, "  filter=GLOB              whom, else all\n"));
	assert_non_null (strstr (shown, "  with=ITEM                and these (default: all)\n"));
	assert_non_null (strstr (shown, "  without=ITEM             and not these\n"));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup (no_arguments_keep_the_defaults, reset),
		cmocka_unit_test_setup (each_kind_is_read, reset),
		cmocka_unit_test_setup (flags_have_all_their_spellings, reset),
		cmocka_unit_test_setup (numbers_have_suffixes_and_limits, reset),
		cmocka_unit_test_setup (quotes_and_backslashes_protect, reset),
		cmocka_unit_test_setup (a_list_is_what_all_its_options_say_in_their_order, reset),
		cmocka_unit_test_setup (a_wrong_option_is_one_line_with_the_right_one, reset),
		cmocka_unit_test_setup (a_complaint_cannot_steer_a_terminal, reset),
		cmocka_unit_test_setup (nothing_changes_when_one_is_wrong, reset),
		cmocka_unit_test_setup (help_lists_the_rows_and_changes_nothing, reset),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
