/*
 * SPDX-License-Identifier: MIT
 *
 * run-messages.c - see run-messages.h. A process closes its file after each message. The watching thread alone has
 * `messages` until it has ended.
 */
#include "run-messages.h"

#include "file/messages.h"
#include "folder-watch.h"

#include "command/command.h"

#include <stdlib.h>
#include <sys/inotify.h>

struct monocle__run_messages {
	monocle__messages *messages;
	monocle__folder_watch *watch; /* NULL: the folder cannot be watched */
};

/* What the kernel has left out comes with the next line of that process, or at the end. */
static void
see_file (void *data, const char *name)
{
	monocle__run_messages *run = data;
	if (name)
		monocle__messages_say_new (run->messages, name);
}

monocle__run_messages *
monocle__run_messages_begin (const monocle__run_folder *folder)
{
	monocle__run_messages *run = calloc (1, sizeof *run);
	if (!run) {
		monocle__say ("out of memory");
		exit (MONOCLE__EXIT_RUN_FAILED);
	}
	run->messages = monocle__messages_new (folder->fd);
	run->watch = monocle__folder_watch_begin (folder->path, IN_CLOSE_WRITE, see_file, run);
	return run;
}

void
monocle__run_messages_end (monocle__run_messages *run)
{
	monocle__folder_watch_end (run->watch);
	monocle__messages_say_rest (run->messages);
	monocle__messages_free (run->messages);
	free (run);
}
