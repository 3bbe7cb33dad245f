/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_options.c - any text as the options of a module and as a callspec. What is wrong is refused with a reason, and
 * then no value has changed.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <monocle/kit.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
parse_options (const char *desc)
{
	const char *text = NULL, *list = NULL;
	uint64_t number = 7;
	uint32_t choice = 0;
	bool flag = false;
	const monocle_kit_option rows[] = {
		{ "flag", MONOCLE_KIT_OPTION_FLAG, &flag, NULL, "" },
		{ "number", MONOCLE_KIT_OPTION_U64, &number, NULL, "", 1, 100000 },
		{ "text", MONOCLE_KIT_OPTION_STRING, &text, NULL, "" },
		{ "choice", MONOCLE_KIT_OPTION_CHOICE, &choice, "one|two|three", "" },
		{ "list", MONOCLE_KIT_OPTION_LIST, &list, NULL, "" },
		{ "without", MONOCLE_KIT_OPTION_WITHOUT, &list, NULL, "" },
		{ NULL },
	};

	if (monocle_kit_options_parse ("fuzz", desc, rows) != 0 && (text || list || number != 7 || choice || flag))
		abort ();
	if (number < 1 || number > 100000 || choice > 2)
		abort ();
	free ((char *) text); /* A module keeps them as long as it lives. */
	free ((char *) list);
}

static void
match (const char *text)
{
	static const monocle_kit_callspec_names names[] = {
		{ "app", "Some.Space", "Outer/Inner", "Run", false, true },
		{ "", "", "", "", true, false },
	};
	const char *error = NULL;
	monocle_kit_callspec *spec = monocle_kit_callspec_new (text, &error);

	if (!spec && (!error || !*error))
		abort ();
	for (size_t i = 0; spec && i < sizeof names / sizeof *names; i++) {
		bool matches = monocle_kit_callspec_match (spec, &names[i]);
		int all = monocle_kit_callspec_match_image (spec, names[i].assembly, names[i].is_own);
		if (!names[i].is_wrapper && all >= 0 && matches != (all == 1))
			abort ();
	}
	monocle_kit_callspec_free (spec);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	char *text = malloc (size + 1);

	if (!text)
		return 0;
	if (size)
		memcpy (text, data, size);
	text[size && text[size - 1] == '\n' ? size - 1 : size] = '\0'; /* the corpus is made of text files */
	setenv ("MONOCLE_LOG", "/dev/null", 1);
	if (!strstr (text, "help")) /* It would be printed. */
		parse_options (text);
	match (text);
	free (text);
	return 0;
}
