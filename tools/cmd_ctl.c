/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_ctl.c - `monocle ctl`: a profiled process is told to start, stop, begin anew, or show what it has so far; one
 * that stands by, to load modules.
 */
#include "command/desc-list.h"
#include "command/output.h"
#include "commands.h"
#include "control-words.h"
#include "control.h"
#include "live/control-process.h"
#include "live/control-snapshot.h"
#include "module/layout.h"
#include "module/module-file.h"
#include "module/module-check.h"
#include "run/environ.h"

#include <getopt.h> /* optind */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct {
	const char *output;
} arguments;

enum { PATIENCE = 60 }; /* seconds; the largest profile is on its disk long before */

/* clang-format off */
static const struct {
	const char *word, *most; /* the most operands that it takes, in words */
	int operands;
} verbs[] = {
	{ "status",   "one module, or none for all", 1 },
	{ "start",    "one module, or none for all", 1 },
	{ "stop",     "one module, or none for all", 1 },
	{ "reset",    "one module, or none for all", 1 },
	{ "snapshot", "one module, or none for all", 1 },
	{ "load",     NULL,                          0 },
	{ "unload",   "nothing more",                0 },
};
/* clang-format on */

#define VERBS(last) "status, start, stop, reset, snapshot, load " last " unload"

/* --- lines of the answer ------------------------------------------------------------------------------------------ */

typedef struct {
	const arguments *args;
	pid_t pid;
	uid_t user; /* whose the process is */
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
		return monocle__control_snapshot_write (&t->files, t->pid, t->user, t->args->output);
	return monocle__output_finish (stdout, NULL);
}

/* --- the command -------------------------------------------------------------------------------------------------- */

/* Its place in the table, or -1. */
static int
find_verb (const char *word)
{
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		if (!strcmp (verbs[i].word, word))
			return (int) i;
	return -1;
}

static int
ask (const arguments *args, const char *process, const char *verb, const char *shown, const char *words)
{
	char reason[MONOCLE__LIVE_CONTROL_REASON];
	talk t = { .args = args, .verb = verb };
	int fd = monocle__control_process_connect (process, &t.pid), code = MONOCLE__EXIT_FAILED;
	struct ucred peer;
	socklen_t size = sizeof peer;
	if (fd < 0)
		return MONOCLE__EXIT_FAILED;
	/* Whose the process was when the socket was connected to; nobody: no file of it is read. */
	t.user = getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.uid : (uid_t) -1;
	int result = monocle__live_control_ask (fd, words, PATIENCE, show_line, &t, reason);
	if (result == 0)
		code = finish (&t);
	else
		monocle__say ("process %d: %s: %s", (int) t.pid, result > 0 ? shown : verb, reason);
	monocle__control_snapshot_free (&t.files);
	close (fd);
	return code;
}

static int
ask_modules (const arguments *args, const char *process, const char *verb, const char *module)
{
	char *words = monocle__format ("%s%s%s", verb, module ? " " : "", module ? module : "");
	int code = ask (args, process, verb, words, words);
	free (words);
	return code;
}

static int
ask_load (const arguments *args, const char *process, const monocle__desc_list *descs, const monocle__layout *layout)
{
	static char words[MONOCLE__CONTROL_LINE];
	char *profiles = monocle__environ_profiles (descs->descs, descs->count);
	char *profile = monocle__format ("MONOCLE_PROFILE=%s", profiles);
	char *folders = monocle__module_file_folders (layout);
	char *path = monocle__format ("MONOCLE_MODULE_PATH=%s", folders);
	char *shown = monocle__format ("load %s", profiles);
	monocle__attach_block settings = { .count = 2, .texts = { profile, path } };
	int code = MONOCLE__EXIT_USAGE;
	if (monocle__control_words_load (&settings, words, sizeof words - sizeof "monocle 2 "))
		code = ask (args, process, "load", shown, words);
	else
		monocle__say ("the arguments of the modules cannot be handed over: they are too long, or hold a line feed");
	free (shown);
	free (path);
	free (folders);
	free (profile);
	free (profiles);
	return code;
}

static int
load (const arguments *args, const char *process, char **words, int count)
{
	monocle__desc_list descs = { 0 };
	monocle__layout layout;
	int code = MONOCLE__EXIT_USAGE;
	bool is_good = count > 0;
	for (int i = 0; i < count && is_good; i++)
		is_good = monocle__desc_list_try_add (words[i], &descs);
	monocle__layout_find (&layout);
	if (!is_good)
		monocle__usage_error (&monocle__command_ctl, "load takes modules: NAME[:ARGS]...");
	else if (monocle__desc_list_asks_help (&descs)) /* which ends a process */
		monocle__say ("monocle help NAME prints the arguments of a module");
	else if (monocle__module_check (&layout, &descs) == 0)
		code = ask_load (args, process, &descs, &layout);
	monocle__layout_done (&layout);
	monocle__desc_list_done (&descs);
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
	int count = argc - optind - 2; /* of operands */
	if (count < 0)
		return monocle__usage_error (&monocle__command_ctl, "ctl takes a process and what to do: " VERBS ("or"));
	char *process = argv[optind], *word = argv[optind + 1], **operands = argv + optind + 2;
	int verb = find_verb (word);
	if (verb < 0)
		return monocle__usage_error (&monocle__command_ctl, "'%s' is none of " VERBS ("and"), word);
	if (args.output && strcmp (word, "snapshot"))
		return monocle__usage_error (&monocle__command_ctl, "-o is where a snapshot goes");
	if (!verbs[verb].most)
		return load (&args, process, operands, count);
	if (count > verbs[verb].operands)
		return monocle__usage_error (&monocle__command_ctl, "%s takes %s", word, verbs[verb].most);
	return ask_modules (&args, process, word, count ? operands[0] : NULL);
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
	.summary = "start, stop, read or load the modules of a running process",
	.operands = "PID|NAME VERB [MODULE]",
	.verbs = "status|start|stop|reset|snapshot|load|unload",
	.options = options,
	.about =
	    "  status     which modules are in the process, and whether they count\n"
	    "  start      they count (again)\n"
	    "  stop       they do not; what they have counted stays\n"
	    "  reset      what they have counted is forgotten\n"
	    "  snapshot   what they have counted so far becomes a file; they go on\n"
	    "Without MODULE it is done to all modules of the process that know how.\n"
	    "  load NAME[:ARGS]...   modules are loaded into a process that stands by\n"
	    "  unload                they end, and their files are complete; so ends an attach whose command has gone\n",
	.examples = "  monocle ctl 4711 snapshot -o now.pb.gz\n"
	            "  monocle ctl shop stop\n"
	            "  monocle ctl shop load sample:mode=wall\n",
	.run = run,
};
