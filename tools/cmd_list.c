/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_list.c - `monocle list`: which modules there are, in the order in which folders are searched.
 */
#include "command.h"
#include "layout.h"
#include "module-list.h"
#include "output.h"

#include <getopt.h> /* optind */

static int
list_modules (void)
{
	monocle__module_list list;
	monocle__layout layout;
	size_t count;
	monocle__layout_find (&layout);
	monocle__module_list_init (&list, &layout);
	count = list.count;
	for (size_t i = 0; i < count; i++) {
		const monocle__module *module = &list.modules[i];
		monocle__print_line ("%-12s %s  (%s%s)", module->name, module->path, module->origin,
		                     module->is_hidden ? "; an earlier folder has the name" : "");
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
	int code;
	monocle__output_begin ();
	if (!monocle__options_read (&monocle__command_list, argc, argv, NULL, &code))
		return code;
	if (optind < argc)
		return monocle__usage_error (&monocle__command_list, "list takes no arguments");
	return list_modules ();
}

const monocle__command monocle__command_list = {
	.name = "list",
	.summary = "list the modules that --profile= can name",
	.about =
	    "Prints name, file and origin of each module, in the order of the search: MONOCLE_MODULE_PATH, monocle's own\n"
	    "folders, LD_LIBRARY_PATH, Mono's folder. Mono's own modules (log, coverage, aot) need Mono.\n"
	    "monocle help NAME prints a module's arguments; doc/modules.md tells what each of\n"
	    "monocle's own changes in the program.\n",
	.run = run,
};
