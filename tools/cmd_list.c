/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_list.c - `monocle list`: which modules there are, in the order in which folders are searched.
 */
#include "command/output.h"
#include "commands.h"
#include "module/layout.h"
#include "module/module-file.h"
#include "module/module-list.h"

#include <getopt.h> /* optind */
#include <stdlib.h>

typedef struct {
	bool verbose;
} arguments;

static void
print_file (const monocle__module *module)
{
	monocle__print_line ("%-12s %s  (%s%s)", module->name, module->path, module->origin,
	                     module->is_hidden ? "; an earlier folder has the name" : "");
}

static void
print_summary (const monocle__module *module)
{
	char *summary = monocle__module_file_summary (module->name, module->path);
	if (!module->is_hidden)
		monocle__print_line ("%-12s %-36s %s", module->name, summary, module->origin);
	free (summary);
}

static int
list_modules (bool verbose)
{
	monocle__module_list list;
	monocle__layout layout;
	size_t count;
	monocle__layout_find (&layout);
	monocle__module_list_init (&list, &layout);
	count = list.count;
	for (size_t i = 0; i < count; i++) {
		if (verbose)
			print_file (&list.modules[i]);
		else
			print_summary (&list.modules[i]);
	}
	monocle__module_list_done (&list);
	monocle__layout_done (&layout);
	if (count == 0) {
		monocle__say ("no module (libmono-profiler-NAME.so) was found; monocle doctor says where they are expected");
		return MONOCLE__EXIT_FAILED;
	}
	return monocle__output_finish (stdout, NULL);
}

static int
run (int argc, char **argv)
{
	arguments args = { 0 };
	int code;
	monocle__output_begin ();
	if (!monocle__options_read (&monocle__command_list, argc, argv, &args, &code))
		return code;
	if (optind < argc)
		return monocle__usage_error (&monocle__command_list,
		                             "list takes no arguments; monocle help NAME prints a module's");
	return list_modules (args.verbose);
}

/* clang-format off */
static const monocle__option options[] = {
	{ "verbose", 'v', MONOCLE__OPTION_ON, offsetof (arguments, verbose), NULL,
	  "each module's file, also of those behind one of the same name" },
	{ 0 },
};
/* clang-format on */

const monocle__command monocle__command_list = {
	.name = "list",
	.summary = "list the modules that --profile= can name",
	.options = options,
	.about =
	    "Prints name, purpose and origin of each module, in the order of the search: MONOCLE_MODULE_PATH, monocle's\n"
	    "own folders, LD_LIBRARY_PATH, Mono's folders.\n"
	    "monocle help NAME prints a module's arguments; doc/modules.md tells what each of monocle's own changes in\n"
	    "the program.\n",
	.examples = "  monocle list\n"
	            "  monocle list -v\n",
	.run = run,
};
