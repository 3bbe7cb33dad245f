/*
 * SPDX-License-Identifier: MIT
 *
 * run-watch.c - see run-watch.h. The thread of the watch alone has `watch` until it has ended.
 *
 * A look reads the list of /proc, where a process or thread has come, and the `stat` of each process of the run. The
 * rest is read when its address space has another size than at the last look: so it is where a library was loaded. A
 * process that was forked, and is no other program yet, has the libraries of its parent, and is none: its variables end
 * at the same address.
 */
#include "run-watch.h"

#include "background.h"
#include "command/command.h"
#include "file/run-family.h"
#include "nanoseconds.h"
#include "program-config.h"
#include "program-file.h"
#include "read-file.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PIPE_READ, PIPE_WRITE };

enum {
	SHARE = 100,     /* of the time, one part is for looking */
	EAGER_US = 1000, /* between two looks, where a runtime begins, */
	EAGER_FOR_US = 8000,
	EAGER_SHARE = 20, /* of the time, one part is for this */
	BUSY_US = 3000,   /* where something has changed within the last second, */
	STILL_US = 20000,
	LONGEST_US = 1000000,
	MAPS_MOST = 16 << 20,
};

/* What `stat` of a process says, proc(5). */
typedef struct {
	pid_t parent;
	uint64_t start, size, end; /* clock ticks; bytes; where its variables end, 0: it is not for us to know */
} glance;

/* A process of the run. */
typedef struct {
	pid_t pid;
	glance last;
	dev_t device; /* its program, when that was looked into last */
	ino_t file;
	bool has_runtime, is_here;
	monocle__run_seen seen; /* where it has one */
} kin;

struct monocle__run_watch {
	const monocle__run_folder *folder;
	int events, end[2];
	pthread_t thread;
	bool is_running;
	bool is_last; /* the look at the end: what was read of a runtime that had just begun is read once more */
	uint64_t newest, changed, eager; /* see last_pid (); when something was seen to; until when */
	uint64_t began;                  /* on CLOCK_MONOTONIC */
	pid_t *others;                   /* of the last look, in their order: what was not of the run then will not be */
	size_t other_count;
	kin *kins;
	size_t kin_count;
	monocle__run_seen *silent;
	size_t silent_count;
};

/* --- one process -------------------------------------------------------------------------------------------------- */

/* The name in parentheses may hold anything. False: there is no such process, or it has ended. */
static bool
take_glance (pid_t pid, glance *ret_glance)
{
	enum { PARENT = 4, START = 22, SIZE = 23, VARIABLES_END = 51 };
	char path[32], text[2048];
	snprintf (path, sizeof path, "/proc/%d/stat", (int) pid);
	monocle__read_file_text (AT_FDCWD, path, text, sizeof text);
	char *at = strrchr (text, ')');
	if (!at || at[1] != ' ' || strchr ("ZXx", at[2]))
		return false;
	*ret_glance = (glance) { 0 };
	for (int field = PARENT - 1; (at = strchr (at + 1, ' ')) && field <= VARIABLES_END; field++) {
		uint64_t number = strtoull (at, NULL, 10);
		if (field == PARENT)
			ret_glance->parent = (pid_t) number;
		else if (field == START)
			ret_glance->start = number;
		else if (field == SIZE)
			ret_glance->size = number;
		else if (field == VARIABLES_END)
			ret_glance->end = number;
	}
	return ret_glance->start != 0;
}

/* Its program; false: it cannot be seen, or the process has given up its memory. */
static bool
stat_program (pid_t pid, struct stat *ret_status)
{
	char path[32];
	snprintf (path, sizeof path, "/proc/%d/exe", (int) pid);
	return stat (path, ret_status) == 0;
}

/* May there be a runtime in it? That of a program's own file is found when the program is a new one. */
static bool
maps_runtime (pid_t pid)
{
	static const char *const names[] = { "/libcoreclr.so", "/libmono", "/mono-", "/memfd:doublemapper" };
	char path[32];
	size_t length;
	snprintf (path, sizeof path, "/proc/%d/maps", (int) pid);
	int fd = open (path, O_RDONLY | O_CLOEXEC);
	char *text = fd < 0 ? NULL : monocle__read_file (fd, MAPS_MOST, &length);
	bool found = !text; /* only its threads' names tell then */
	for (size_t i = 0; text && i < sizeof names / sizeof *names && !found; i++)
		found = strstr (text, names[i]) != NULL;
	free (text);
	if (fd >= 0)
		close (fd);
	return found;
}

/* --- processes of the run ----------------------------------------------------------------------------------------- */

static kin *
find_kin (const monocle__run_watch *watch, pid_t pid)
{
	for (size_t i = 0; i < watch->kin_count; i++) {
		if (watch->kins[i].pid == pid)
			return &watch->kins[i];
	}
	return NULL;
}

static bool
is_fork (const monocle__run_watch *watch, const kin *one)
{
	const kin *parent = find_kin (watch, one->last.parent);
	return parent && parent->last.end && parent->last.end == one->last.end;
}

/* Between two programs a process has no variables, which exec () writes last. */
static bool
is_in_exec (const glance *now, bool has_program)
{
	return has_program && !now->end;
}

/* By its words, as long as it is there: in the folder in which it is now, which is where it was started, mostly. */
static bool
is_disabled_by_config (pid_t pid)
{
	enum { WORDS_MOST = 8, LENGTH_MOST = 1 << 14 };
	char path[32], folder[32], text[LENGTH_MOST];
	bool disables = false;
	snprintf (path, sizeof path, "/proc/%d/cmdline", (int) pid);
	snprintf (folder, sizeof folder, "/proc/%d/cwd/", (int) pid);
	size_t length = monocle__read_file_text (AT_FDCWD, path, text, sizeof text);
	const char *word = text;
	for (int i = 0; i < WORDS_MOST && word < text + length && !disables; i++) {
		disables = monocle__program_config_disables (folder, word);
		word += strlen (word) + 1;
	}
	return disables;
}

/* Reads what it is, if it has a runtime. False: it became another program meanwhile. */
static bool
take_runtime (kin *one)
{
	monocle__live_process process;
	struct stat status;
	glance after;
	if (monocle__live_process_read (one->pid, &process) != 0)
		return true;
	bool has_program = stat_program (one->pid, &status), is_there = take_glance (one->pid, &after);
	bool is_same = !is_there || (after.end == one->last.end && after.start == one->last.start);
	if (!is_same || process.kind == MONOCLE__LIVE_FOREIGN) {
		monocle__live_process_done (&process);
		return is_same;
	}
	if (one->has_runtime)
		monocle__live_process_done (&one->seen.process);
	one->has_runtime = true;
	/* Where the program is there after all was read, its environment was until then. */
	one->seen = (monocle__run_seen) { .process = process, .is_known = !process.is_visible || has_program };
	if (process.kind != MONOCLE__LIVE_MONO)
		one->seen.is_disabled = is_disabled_by_config (one->pid);
	return true;
}

/* False: it is to be looked into again, whatever its size will be. */
static bool
look_into (kin *one)
{
	struct stat status = { 0 };
	bool has_program = stat_program (one->pid, &status);
	bool is_new = has_program && (status.st_ino != one->file || status.st_dev != one->device);
	if (is_in_exec (&one->last, has_program))
		return false;
	if ((is_new || maps_runtime (one->pid)) && !take_runtime (one))
		return false;
	one->device = status.st_dev;
	one->file = status.st_ino;
	return true;
}

static void
look_at (monocle__run_watch *watch, kin *one, const glance *now, bool is_new)
{
	bool is_changed = is_new || now->size != one->last.size || now->end != one->last.end;
	bool is_same_program = one->has_runtime && now->end == one->last.end && !watch->is_last;
	one->last = *now;
	if (is_changed)
		watch->changed = monocle__nanoseconds (CLOCK_MONOTONIC);
	if (is_changed && !is_same_program && !is_fork (watch, one) && !look_into (one))
		one->last.size = 0;
}

/* Has it told something in the folder of the run? It knows its number in the innermost of its PID namespaces. */
static bool
has_told (const monocle__run_watch *watch, const kin *one)
{
	static const char *const words[] = { "loaded", "declined", "told" };
	bool found = false;
	for (size_t i = 0; i < sizeof words / sizeof *words && !found; i++) {
		char name[32];
		snprintf (name, sizeof name, "%d.%s", (int) one->seen.process.inner_pid, words[i]);
		found = faccessat (watch->folder->fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	}
	return found;
}

/* It has ended, or the watch does. */
static void
take_leave (monocle__run_watch *watch, kin *one, bool is_gone)
{
	if (!one->has_runtime)
		return;
	one->has_runtime = false;
	monocle__run_seen *more =
	    has_told (watch, one) ? NULL : realloc (watch->silent, (watch->silent_count + 1) * sizeof *more);
	if (!more) {
		monocle__live_process_done (&one->seen.process);
		return;
	}
	watch->silent = more;
	one->seen.is_gone = is_gone;
	more[watch->silent_count++] = one->seen;
}

static void
meet (monocle__run_watch *watch, pid_t pid)
{
	glance now;
	if (!take_glance (pid, &now))
		return;
	if (now.parent != getpid () && !find_kin (watch, now.parent) && !monocle__run_family_has (pid, watch->folder->path))
		return;
	kin *more = realloc (watch->kins, (watch->kin_count + 1) * sizeof *more);
	if (!more)
		return;
	watch->kins = more;
	kin *one = &more[watch->kin_count++];
	*one = (kin) { .pid = pid, .is_here = true };
	look_at (watch, one, &now, true);
}

static void
meet_again (monocle__run_watch *watch, kin *one)
{
	glance now;
	one->is_here = take_glance (one->pid, &now) && now.start == one->last.start;
	if (one->is_here)
		look_at (watch, one, &now, false);
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static int
compare_pids (const void *a, const void *b)
{
	const pid_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* All numbers of processes, in their order. NULL: there are none, or no memory. */
static pid_t *
list_pids (size_t *ret_count)
{
	DIR *folder = opendir ("/proc");
	struct dirent *entry;
	pid_t *pids = NULL;
	size_t count = 0, room = 0;
	while (folder && (entry = readdir (folder))) {
		if (!isdigit ((unsigned char) *entry->d_name))
			continue;
		if (count == room) {
			room = room ? 2 * room : 512;
			pid_t *more = realloc (pids, room * sizeof *pids);
			if (!more)
				break;
			pids = more;
		}
		pids[count++] = (pid_t) atoi (entry->d_name);
	}
	if (folder)
		closedir (folder);
	if (pids)
		qsort (pids, count, sizeof *pids, compare_pids);
	*ret_count = count;
	return pids;
}

static void
forget_gone (monocle__run_watch *watch)
{
	size_t kept = 0;
	for (size_t i = 0; i < watch->kin_count; i++) {
		if (watch->kins[i].is_here)
			watch->kins[kept++] = watch->kins[i];
		else
			take_leave (watch, &watch->kins[i], true);
	}
	watch->kin_count = kept;
}

/* The number that was given last to a process or a thread: where it is the same, there is none that is new. */
static uint64_t
last_pid (void)
{
	char text[128];
	monocle__read_file_text (AT_FDCWD, "/proc/loadavg", text, sizeof text);
	const char *at = strrchr (text, ' ');
	return at ? strtoull (at, NULL, 10) : 0;
}

/* A number that another process had at the last look is used again only when all others were. */
static void
look_for_new (monocle__run_watch *watch)
{
	size_t count, kept = 0;
	pid_t *pids = list_pids (&count);
	for (size_t i = 0; i < count; i++) {
		const pid_t *other =
		    watch->others ? bsearch (&pids[i], watch->others, watch->other_count, sizeof *pids, compare_pids) : NULL;
		if (pids[i] != getpid () && !other && !find_kin (watch, pids[i]))
			meet (watch, pids[i]);
	}
	for (size_t i = 0; i < count; i++) {
		if (!find_kin (watch, pids[i]))
			pids[kept++] = pids[i];
	}
	free (watch->others);
	watch->others = pids;
	watch->other_count = kept;
}

static void
look (monocle__run_watch *watch)
{
	uint64_t newest = last_pid ();
	for (size_t i = 0; i < watch->kin_count; i++)
		meet_again (watch, &watch->kins[i]);
	forget_gone (watch);
	if (newest != watch->newest || !newest)
		look_for_new (watch);
	watch->newest = newest;
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

/* Has a runtime made its socket, or has one been opened that is watched? It has just begun, then. */
static bool
is_runtime_born (const monocle__run_watch *watch)
{
	static const char socket[] = "dotnet-diagnostic-";
	char buffer[16384] __attribute__ ((aligned (__alignof__(struct inotify_event))));
	bool found = false;
	ssize_t length;
	while ((length = read (watch->events, buffer, sizeof buffer)) > 0) {
		for (char *at = buffer; at < buffer + length;) {
			const struct inotify_event *event = (const struct inotify_event *) (const void *) at;
			found |= event->len == 0 || strncmp (event->name, socket, sizeof socket - 1) == 0;
			at += sizeof *event + event->len;
		}
	}
	return found;
}

/* What makes many files of such names, or starts many runtimes, has the watch be eager no more than it may cost. */
static bool
may_be_eager (const monocle__run_watch *watch, uint64_t now)
{
	enum { FREE_US = 100000 };
	uint64_t spent = monocle__nanoseconds (CLOCK_THREAD_CPUTIME_ID);
	return spent < FREE_US * UINT64_C (1000) + (now - watch->began) / EAGER_SHARE;
}

/* Waits for the next look. False: the watch ends. Events are read once in EAGER_US at the most, however many come. */
static bool
wait_until (monocle__run_watch *watch, uint64_t next)
{
	struct pollfd ready[] = { { .fd = watch->end[PIPE_READ], .events = POLLIN | POLLHUP },
		                      { .fd = watch->events, .events = POLLIN } };
	uint64_t deaf_until = 0;
	for (uint64_t now; (now = monocle__nanoseconds (CLOCK_MONOTONIC)) < next;) {
		bool is_deaf = now < deaf_until || !may_be_eager (watch, now);
		uint64_t until = now < deaf_until && deaf_until < next ? deaf_until : next;
		struct timespec left = monocle__nanoseconds_timespec (until - now);
		int count = ppoll (ready, is_deaf ? 1 : 2, &left, NULL);
		if (count > 0 && ready[0].revents)
			return false;
		if (count > 0 && is_runtime_born (watch)) {
			watch->eager = monocle__nanoseconds (CLOCK_MONOTONIC) + EAGER_FOR_US * UINT64_C (1000);
			return true;
		}
		if (count > 0)
			deaf_until = monocle__nanoseconds (CLOCK_MONOTONIC) + EAGER_US * UINT64_C (1000);
	}
	return true;
}

/* After a look that took so long, in nanoseconds. */
static uint64_t
pause_after (const monocle__run_watch *watch, uint64_t now, uint64_t took)
{
	uint64_t usual = (now - watch->changed < UINT64_C (1000000000) ? BUSY_US : STILL_US) * UINT64_C (1000);
	uint64_t pause = took * SHARE > usual ? took * SHARE : usual;
	if (now < watch->eager && may_be_eager (watch, now))
		return EAGER_US * UINT64_C (1000);
	return pause < LONGEST_US * UINT64_C (1000) ? pause : LONGEST_US * UINT64_C (1000);
}

static void *
run (void *data)
{
	monocle__run_watch *watch = data;
	uint64_t before, took, now;
	do {
		before = monocle__nanoseconds (CLOCK_THREAD_CPUTIME_ID);
		look (watch);
		took = monocle__nanoseconds (CLOCK_THREAD_CPUTIME_ID) - before;
		now = monocle__nanoseconds (CLOCK_MONOTONIC);
	} while (wait_until (watch, now + pause_after (watch, now, took)));
	return NULL;
}

/* --- where runtimes are ------------------------------------------------------------------------------------------- */

/* Every version below a folder with a `dotnet`. */
static void
watch_root (const monocle__run_watch *watch, const char *root)
{
	char *folder = monocle__format ("%s/shared/Microsoft.NETCore.App", root);
	DIR *versions = opendir (folder);
	struct dirent *entry;
	while (versions && (entry = readdir (versions))) {
		char *library = monocle__format ("%s/%s/libcoreclr.so", folder, entry->d_name);
		inotify_add_watch (watch->events, library, IN_OPEN);
		free (library);
	}
	if (versions)
		closedir (versions);
	free (folder);
}

/* A program that brings its runtime has it beside itself; `dotnet` has it below its folder; Mono is one. */
static void
watch_program (const monocle__run_watch *watch, const char *name)
{
	monocle__program_file file;
	monocle__program_file_open (&file, name);
	char *end = strrchr (file.path, '/');
	if (end) {
		inotify_add_watch (watch->events, file.path, IN_OPEN);
		*end = '\0';
		char *library = monocle__format ("%s/libcoreclr.so", file.path);
		inotify_add_watch (watch->events, library, IN_OPEN);
		free (library);
		watch_root (watch, file.path);
	}
	monocle__program_file_close (&file);
}

static void
watch_runtimes (monocle__run_watch *watch, const char *command)
{
	const char *places[MONOCLE__RUN_FOLDER_PLACES], *root = getenv ("DOTNET_ROOT");
	size_t count = monocle__run_folder_places (places);
	watch->events = inotify_init1 (IN_CLOEXEC | IN_NONBLOCK);
	if (watch->events < 0)
		return;
	for (size_t i = 0; i < count; i++)
		inotify_add_watch (watch->events, places[i], IN_CREATE | IN_ONLYDIR);
	watch_program (watch, command);
	watch_program (watch, "mono");
	watch_program (watch, "dotnet");
	if (root)
		watch_root (watch, root);
}

monocle__run_watch *
monocle__run_watch_begin (const monocle__run_folder *folder, const char *command)
{
	monocle__run_watch *watch = malloc (sizeof *watch);
	if (!watch) {
		monocle__say ("out of memory");
		exit (MONOCLE__EXIT_RUN_FAILED);
	}
	*watch = (monocle__run_watch) { .folder = folder, .events = -1, .end = { -1, -1 } };
	watch->began = monocle__nanoseconds (CLOCK_MONOTONIC);
	watch_runtimes (watch, command);
	watch->others = list_pids (&watch->other_count); /* what is there already is none of the run's */
	watch->is_running = pipe2 (watch->end, O_CLOEXEC) == 0 && monocle__background_start (&watch->thread, run, watch, 0);
	return watch;
}

static void
close_one (int *fd)
{
	if (*fd >= 0)
		close (*fd);
	*fd = -1;
}

void
monocle__run_watch_end (monocle__run_watch *watch)
{
	close_one (&watch->end[PIPE_WRITE]);
	if (watch->is_running)
		pthread_join (watch->thread, NULL);
	watch->is_running = false;
	/* What has as large an address space as at the last look may have another runtime in it all the same. */
	for (size_t i = 0; i < watch->kin_count; i++)
		watch->kins[i].last.size = 0;
	watch->is_last = true;
	look (watch);
	close_one (&watch->end[PIPE_READ]);
	close_one (&watch->events);
}

const monocle__run_seen *
monocle__run_watch_silent (monocle__run_watch *watch, size_t *ret_count)
{
	for (size_t i = 0; i < watch->kin_count; i++)
		take_leave (watch, &watch->kins[i], false);
	*ret_count = watch->silent_count;
	return watch->silent;
}

void
monocle__run_watch_free (monocle__run_watch *watch)
{
	for (size_t i = 0; i < watch->kin_count; i++) {
		if (watch->kins[i].has_runtime)
			monocle__live_process_done (&watch->kins[i].seen.process);
	}
	for (size_t i = 0; i < watch->silent_count; i++)
		monocle__live_process_done (&watch->silent[i].process);
	free (watch->silent);
	free (watch->kins);
	free (watch->others);
	free (watch);
}
