/*
 * SPDX-License-Identifier: MIT
 *
 * messages.c - see messages.h. One thread at a time.
 */
#include "messages.h"

#include "command/command.h"
#include "folder-list.h"
#include "log-place.h"
#include "take-over.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A process stops by itself at a half of it. In bytes, as the size of a piece that is read at once. */
enum { SAID_MOST = 2 * MONOCLE__LOG_PLACE_MOST, PIECE = 64 << 10 };
/* The name of a file whose lines were said. */
static const char said[] = "said";

typedef struct {
	pid_t pid;
	off_t at; /* up to there its file was said */
} teller;

struct monocle__messages {
	int folder;
	teller *tellers;
	size_t count;
};

monocle__messages *
monocle__messages_new (int folder)
{
	monocle__messages *messages = calloc (1, sizeof *messages);
	if (!messages) {
		monocle__say ("out of memory");
		exit (MONOCLE__EXIT_RUN_FAILED);
	}
	messages->folder = folder;
	return messages;
}

void
monocle__messages_free (monocle__messages *messages)
{
	free (messages->tellers);
	free (messages);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* The line says who speaks; that it is a process of the run, we say. */
static void
say_line (pid_t pid, const char *line, size_t length)
{
	static const char prefix[] = "monocle: ";
	const size_t skipped = sizeof prefix - 1;
	bool is_prefixed = length >= skipped && memcmp (line, prefix, skipped) == 0;
	const char *text = is_prefixed ? line + skipped : line;
	monocle__say ("process %d: %.*s", (int) pid, (int) (length - (size_t) (text - line)), text);
}

/* Every line that has an end. How many bytes that was. */
static size_t
say_whole (pid_t pid, const char *text, size_t size)
{
	size_t at = 0;
	const char *end;
	while ((end = memchr (text + at, '\n', size - at))) {
		say_line (pid, text + at, (size_t) (end - text) - at);
		at = (size_t) (end - text) + 1;
	}
	return at;
}

void
monocle__messages_say (pid_t pid, char *text, size_t size)
{
	size_t at = say_whole (pid, text, size);
	if (at < size)
		say_line (pid, text + at, size - at);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

/* PID.ENDING or PID.WORD.ENDING: the number, or 0. */
static pid_t
pid_of (const char *name, const char *ending)
{
	char *end;
	long pid = strtol (name, &end, 10);
	const char *last = strrchr (name, '.');
	bool fits = pid > 0 && pid <= INT32_MAX && *name >= '0' && *name <= '9' && *end == '.' && last;
	return fits && strcmp (last + 1, ending) == 0 ? (pid_t) pid : 0;
}

/* NULL: no memory. */
static teller *
teller_of (monocle__messages *messages, pid_t pid)
{
	for (size_t i = 0; i < messages->count; i++)
		if (messages->tellers[i].pid == pid)
			return &messages->tellers[i];
	teller *longer = realloc (messages->tellers, (messages->count + 1) * sizeof *longer);
	if (!longer)
		return NULL;
	messages->tellers = longer;
	longer[messages->count] = (teller) { .pid = pid };
	return &longer[messages->count++];
}

/* `is_last`: a line without an end counts as well. A line that fills the piece has no end that could be waited for. */
static void
say_file (monocle__messages *messages, const char *name, pid_t pid, bool is_last)
{
	teller *mine = teller_of (messages, pid);
	int fd = mine ? monocle__take_over_open (messages->folder, name, geteuid ()) : -1;
	char *piece = fd >= 0 ? malloc (PIECE) : NULL;
	while (piece && mine->at < SAID_MOST) {
		ssize_t got = pread (fd, piece, PIECE, mine->at);
		if (got <= 0)
			break;
		size_t whole = say_whole (pid, piece, (size_t) got);
		if (!whole && (is_last || got == PIECE)) {
			say_line (pid, piece, (size_t) got);
			whole = (size_t) got;
		}
		if (!whole)
			break;
		mine->at += (off_t) whole;
	}
	free (piece);
	if (fd >= 0)
		close (fd);
}

void
monocle__messages_say_new (monocle__messages *messages, const char *name)
{
	pid_t pid = pid_of (name, MONOCLE__LOG_PLACE_MESSAGES);
	if (pid)
		say_file (messages, name, pid, false);
}

/*
 * Under the new name it is whole: its process opens the file by the old one for each line. What one that goes on is
 * writing at this very moment stays in the folder, as it does.
 */
static void
say_rest_of (monocle__messages *messages, const char *name, pid_t pid)
{
	char last[64];
	snprintf (last, sizeof last, "%d.%s", (int) pid, said);
	bool is_renamed = renameat (messages->folder, name, messages->folder, last) == 0;
	say_file (messages, is_renamed ? last : name, pid, true);
}

void
monocle__messages_say_rest (monocle__messages *messages)
{
	struct dirent **entries = NULL;
	char *path = monocle__format ("/proc/self/fd/%d", messages->folder);
	int count = scandir (path, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		pid_t pid = pid_of (entries[i]->d_name, MONOCLE__LOG_PLACE_MESSAGES);
		if (pid)
			say_rest_of (messages, entries[i]->d_name, pid);
		free (entries[i]);
	}
	free (entries);
	free (path);
	monocle__messages_say_lost (messages->folder, geteuid ());
}

/* --- what is missing ---------------------------------------------------------------------------------------------- */

/* What the libraries of a process count is added up where it is met first; its other files are passed over then. */
static uintmax_t
take_lost (int folder, uid_t user, const char *name)
{
	int fd = monocle__take_over_open (folder, name, user);
	struct stat status = { .st_size = 0 };
	if (fd >= 0 && fstat (fd, &status) != 0)
		status.st_size = 0;
	if (fd >= 0)
		close (fd);
	unlinkat (folder, name, 0);
	return (uintmax_t) status.st_size;
}

static uintmax_t
take_all_lost (int folder, uid_t user, pid_t pid)
{
	DIR *directory = monocle__folder_list (folder);
	struct dirent *entry;
	uintmax_t lost = 0;
	while (directory && (entry = readdir (directory)))
		if (pid_of (entry->d_name, MONOCLE__LOG_PLACE_LOST) == pid)
			lost += take_lost (folder, user, entry->d_name);
	if (directory)
		closedir (directory);
	return lost;
}

/* The next process of which lines are missing, or 0. */
static pid_t
find_loser (int folder, pid_t after)
{
	DIR *directory = monocle__folder_list (folder);
	struct dirent *entry;
	pid_t found = 0;
	while (directory && (entry = readdir (directory))) {
		pid_t pid = pid_of (entry->d_name, MONOCLE__LOG_PLACE_LOST);
		if (pid > after && (!found || pid < found))
			found = pid;
	}
	if (directory)
		closedir (directory);
	return found;
}

void
monocle__messages_say_lost (int folder, uid_t user)
{
	for (pid_t pid = 0; (pid = find_loser (folder, pid));) {
		uintmax_t lost = take_all_lost (folder, user, pid);
		if (lost)
			monocle__say ("process %d had more to say: %ju messages could not be written", (int) pid, lost);
	}
}
