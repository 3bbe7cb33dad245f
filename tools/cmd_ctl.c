/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_ctl.c - `monocle ctl`: a profiled process is told to start, stop, begin anew, or show what it has so far.
 */
#include "command.h"
#include "control.h"
#include "control-process.h"
#include "control-snapshot.h"
#include "output.h"

#include <getopt.h> /* optind */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
	const char *output;
} arguments;

enum { PATIENCE = 60 }; /* seconds; the largest profile is on its disk long before */

static const char *const verbs[] = { "status", "start", "stop", "reset", "snapshot" };

/* --- lines of the answer ------------------------------------------------------------------------------------------ */

typedef struct {
	const arguments *args;
	pid_t pid;
	const char *verb;
	monocle__control_files files;
} talk;

/* "module sample running" is for programs. */
static void
show_line (void *data, const char *text)
{
	talk *t = data;
	static const char module[] = "module ", file[] = "file ";
	if (!strncmp (text, file, sizeof file - 1)) {
		monocle__control_snapshot_add (&t->files, text + sizeof file - 1);
	} else if (!strncmp (text, module, sizeof module - 1)) {
		const char *name = text + sizeof module - 1;
		int length = (int) strcspn (name, " ");
		monocle__print_line ("%.*s: %s", length, name, name[length] ? name + length + 1 : "?");
	} else if (!strcmp (t->verb, "status")) {
		monocle__print_line ("%s", text);
	}
}

static int
finish (talk *t)
{
	if (!strcmp (t->verb, "snapshot"))
		return monocle__control_snapshot_write (&t->files, t->pid, t->args->output);
	return monocle__output_finish (stdout, NULL);
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static bool
is_verb (const char *word)
{
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		if (!strcmp (verbs[i], word))
			return true;
	return false;
}

static int
ask (const arguments *args, const char *process, const char *verb, const char *operand)
{
	char reason[MONOCLE__LIVE_CONTROL_REASON];
	talk t = { .args = args, .verb = verb };
	int fd = monocle__control_process_connect (process, &t.pid), code = MONOCLE__EXIT_FAILED;
	if (fd < 0)
		return MONOCLE__EXIT_FAILED;
	char *words = monocle__format ("%s%s%s", verb, operand ? " " : "", operand ? operand : "");
	int result = monocle__live_control_ask (fd, words, PATIENCE, show_line, &t, reason);
	if (result == 0)
		code = finish (&t);
	else if (operand && result > 0)
		monocle__say ("process %d: %s %s: %s", (int) t.pid, verb, operand, reason);
	else
		monocle__say ("process %d: %s: %s", (int) t.pid, verb, reason);
	monocle__control_snapshot_free (&t.files);
	free (words);
	close (fd);
	return code;
}

static int
run (int argc, char **argv)
{
	arguments args = { 0 };
	int code;
	monocle__output_begin ();
	if (!monocle__options_read (&monocle__command_ctl, argc, argv, &args, &code))
		return code;
	const char *process = argv[optind], *verb = argc - optind > 1 ? argv[optind + 1] : NULL,
	           *operand = argc - optind > 2 ? argv[optind + 2] : NULL;
	if (argc - optind < 2 || argc - optind > 3)
		return monocle__usage_error (&monocle__command_ctl,
		                             "ctl takes a process and what to do: status, start, stop, reset or snapshot");
	if (!is_verb (verb))
		return monocle__usage_error (&monocle__command_ctl, "'%s' is none of status, start, stop, reset and snapshot",
		                             verb);
	if (args.output && strcmp (verb, "snapshot"))
		return monocle__usage_error (&monocle__command_ctl, "-o is where a snapshot goes");
	return ask (&args, process, verb, operand);
}

/* clang-format off */
static const monocle__option options[] = {
	{ "output", 'o', MONOCLE__OPTION_TEXT, offsetof (arguments, output), "FILE",
	  "where a snapshot goes, else MODULE.PID.N.pb.gz; FOLDER/ for several" },
	{ 0 },
};
/* clang-format on */

const monocle__command monocle__command_ctl = {
	.name = "ctl",
	.summary = "start, stop or read the modules of a running process",
	.operands = "PID|NAME status|start|stop|reset|snapshot [MODULE]",
	.options = options,
	.about = "  status     which modules are in the process, and whether they count\n"
	         "  start      they count (again)\n"
	         "  stop       they do not; what they have counted stays\n"
	         "  reset      what they have counted is forgotten\n"
	         "  snapshot   what they have counted so far becomes a file; they go on\n"
	         "Without MODULE it is done to all modules of the process that know how.\n",
	.examples = "  monocle ctl 4711 snapshot -o now.pb.gz\n"
	            "  monocle ctl shop stop\n",
	.run = run,
};
