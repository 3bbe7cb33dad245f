/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_snapshot.c - `monocle snapshot`: what a running process has covered until now.
 */
#include "command/output.h"
#include "commands.h"
#include "coverage.h"
#include "file/coverage-live.h"

#include <getopt.h> /* optind */
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
	bool reset;
	const char *output;
} arguments;

static int
write_coverage (FILE *out, const void *context)
{
	return monocle__coverage_write (out, context);
}

static bool
is_output (const monocle__coverage_live *live, const char *output)
{
	struct stat a, b;
	return fstat (live->fd, &a) == 0 && stat (output, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int
write_copy (const monocle__coverage_live *live, const char *output)
{
	monocle__coverage *coverage = monocle__coverage_new ();
	const char *error = "out of memory";
	int result = MONOCLE__EXIT_FAILED;
	if (!coverage || monocle__coverage_add (coverage, live->copy, live->size, &error) != 0)
		monocle__say ("%s: %s", live->path, error);
	else
		result =
		    monocle__output_file ((monocle__output_place) { .path = output }, live->path, write_coverage, coverage);
	monocle__coverage_free (coverage);
	return result;
}

/* Between taking the counters and writing them a signal would lose them. */
static void
hold_signals (sigset_t *ret_before)
{
	static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	sigset_t held;
	sigemptyset (&held);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		sigaddset (&held, numbers[i]);
	sigprocmask (SIG_BLOCK, &held, ret_before);
}

static int
take (monocle__coverage_live *live, const arguments *args)
{
	sigset_t before;
	int result = MONOCLE__EXIT_FAILED;
	if (is_output (live, args->output)) {
		monocle__say ("%s would be replaced by its own snapshot; name another file with -o", live->path);
		return result;
	}
	hold_signals (&before);
	if (monocle__coverage_live_take (live, args->reset) == 0)
		result = write_copy (live, args->output);
	if (result != MONOCLE__EXIT_OK)
		monocle__coverage_live_put_back (live);
	sigprocmask (SIG_SETMASK, &before, NULL);
	return result;
}

static int
run (int argc, char **argv)
{
	arguments args = { 0 };
	monocle__coverage_live live;
	size_t pid;
	int code, result;
	monocle__output_begin ();
	if (!monocle__options_read (&monocle__command_snapshot, argc, argv, &args, &code))
		return code;
	if (argc - optind != 1)
		return monocle__usage_error (&monocle__command_snapshot, "snapshot takes one process's number or one FILE");
	if (!args.output)
		return monocle__usage_error (&monocle__command_snapshot, "snapshot needs -o OUT.mcov");
	if (monocle__try_number (argv[optind], &pid) && pid <= INT_MAX)
		result = monocle__coverage_live_open_process (&live, (pid_t) pid, args.reset);
	else
		result = monocle__coverage_live_open (&live, argv[optind], args.reset);
	code = result == 0 ? take (&live, &args) : MONOCLE__EXIT_FAILED;
	monocle__coverage_live_close (&live);
	return code;
}

/* clang-format off */
static const monocle__option options[] = {
	{ "reset",  0,   MONOCLE__OPTION_ON,   offsetof (arguments, reset),  NULL,
	  "have the process begin anew: the next snapshot has what comes after this one" },
	{ "output", 'o', MONOCLE__OPTION_TEXT, offsetof (arguments, output), "OUT.mcov",
	  "where to write; - is standard output", .is_needed = true },
	{ 0 },
};
/* clang-format on */

const monocle__command monocle__command_snapshot = {
	.name = "snapshot",
	.summary = "write what a running process has covered until now",
	.operands = "PID|FILE",
	.options = options,
	.about = "FILE is the coverage file that a process writes. The process goes on meanwhile, and no hit is lost.\n",
	.examples = "  monocle snapshot app.mcov -o now.mcov\n"
	            "  monocle snapshot app.mcov --reset -o test1.mcov\n",
	.run = run,
};
