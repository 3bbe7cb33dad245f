/*
 * SPDX-License-Identifier: MIT
 *
 * run-folder.c - makes, reads and removes the folder of one run.
 *
 * Only the user can write there (mode 0700), but the processes in it are not ours: names that do not fit the pattern
 * are left alone, lengths are bounded, no link is followed, and what another user or no regular file is counts for
 * nothing.
 */
#include "run-folder.h"

#include "command/command.h"
#include "coverage-file.h"
#include "folder-list.h"
#include "format.h"
#include "path.h"
#include "patience.h"
#include "process-start.h"
#include "run-family.h"
#include "spool-name.h"
#include "take-over.h"

#include <monocle/kit.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
ends_with (const char *text, const char *end)
{
	size_t length = strlen (text), end_length = strlen (end);
	return length > end_length && strcmp (text + length - end_length, end) == 0;
}

/* Without the link files are named in the folder of the program. */
static void
link_here (const monocle__run_folder *folder, bool sees_here)
{
	char here[PATH_MAX];
	const char *typed = sees_here ? getcwd (here, sizeof here) : folder->seen_path;
	if (typed && symlinkat (typed, folder->fd, "here") != 0)
		monocle__say ("cannot make %s/here: %s; profiles will be where the program is", folder->path, strerror (errno));
}

/* By which it is known whether the run goes on. */
static void
link_parent (const monocle__run_folder *folder)
{
	char *parent = monocle__format ("%d:%" PRIu64, (int) getpid (), monocle__process_start (getpid ()));
	if (symlinkat (parent, folder->fd, "parent") != 0)
		monocle__say ("cannot make %s/parent: %s", folder->path, strerror (errno));
	free (parent);
}

size_t
monocle__run_folder_places (const char *ret_places[MONOCLE__RUN_FOLDER_PLACES])
{
	const char *const places[MONOCLE__RUN_FOLDER_PLACES] = { getenv ("TMPDIR"), "/tmp", getenv ("XDG_RUNTIME_DIR"),
		                                                     "/dev/shm" };
	size_t count = 0;
	for (size_t i = 0; i < MONOCLE__RUN_FOLDER_PLACES; i++) {
		if (places[i] && *places[i] == '/')
			ret_places[count++] = places[i];
	}
	return count;
}

/* Is it the one that was just made? Who owns the place may put another one there, a link or a folder of ours. */
static bool
is_fresh (int fd)
{
	enum { MODE = 07777 };
	struct stat status;
	int again = openat (fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = again < 0 ? NULL : fdopendir (again);
	const struct dirent *entry;
	size_t count = 0;
	bool is_ours =
	    fstat (fd, &status) == 0 && status.st_uid == geteuid () && (status.st_mode & MODE & ~S_ISGID) == 0700;
	while (folder && (entry = readdir (folder)))
		count += strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0;
	if (folder)
		closedir (folder);
	else if (again >= 0)
		close (again);
	return is_ours && folder && count == 0;
}

int
monocle__run_folder_make_in (const char *place, const char *seen_place, bool sees_here, monocle__run_folder *ret_folder)
{
	monocle__run_folder folder = { .user = geteuid (), .path = monocle__format ("%s/monocle-XXXXXX", place) };
	bool is_made = mkdtemp (folder.path) != NULL;
	folder.fd = is_made ? open (folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (folder.fd < 0 || !is_fresh (folder.fd)) {
		int error = folder.fd < 0 ? errno : ELOOP;
		if (folder.fd >= 0)
			close (folder.fd);
		else if (is_made)
			rmdir (folder.path);
		free (folder.path);
		return error;
	}
	folder.seen_path = monocle__format ("%s%s", seen_place, strrchr (folder.path, '/'));
	link_here (&folder, sees_here);
	link_parent (&folder);
	*ret_folder = folder;
	return 0;
}

bool
monocle__run_folder_is_elsewhere (const monocle__run_folder *folder)
{
	return strcmp (folder->path, folder->seen_path) != 0;
}

int
monocle__run_folder_make (monocle__run_folder *ret_folder)
{
	const char *places[MONOCLE__RUN_FOLDER_PLACES];
	size_t count = monocle__run_folder_places (places);
	int error = 0;
	for (size_t i = 0; i < count; i++) {
		int one = monocle__run_folder_make_in (places[i], places[i], true, ret_folder);
		if (one == 0)
			return 0;
		error = error ? error : one;
	}
	monocle__say ("cannot make a folder for the run in %s: %s; set TMPDIR to a folder that can be written", places[0],
	              strerror (error));
	return -1;
}

static void *
array_add (void *items, size_t count, size_t size)
{
	void *longer = realloc (items, (count + 1) * size);
	if (!longer) {
		monocle__say ("out of memory");
		exit (MONOCLE__EXIT_RUN_FAILED);
	}
	memset ((char *) longer + count * size, 0, size);
	return longer;
}

static monocle__run_process *
process_of (monocle__run_folder *folder, pid_t pid)
{
	for (size_t i = 0; i < folder->process_count; i++) {
		if (folder->processes[i].pid == pid)
			return &folder->processes[i];
	}
	folder->processes = array_add (folder->processes, folder->process_count, sizeof *folder->processes);
	folder->processes[folder->process_count].pid = pid;
	return &folder->processes[folder->process_count++];
}

static bool
is_own_file (const struct stat *status)
{
	return S_ISREG (status->st_mode) && status->st_uid == geteuid ();
}

/* In the folder itself, by its name. */
static bool
lies_in (const char *folder, const char *path)
{
	size_t length = strlen (folder);
	return strncmp (path, folder, length) == 0 && path[length] == '/' && !strchr (path + length + 1, '/');
}

static void
profile_add (monocle__run_folder *folder, pid_t pid, const char *path)
{
	bool inside = lies_in (folder->path, path);
	bool collected = inside && strncmp (monocle__path_base_name (path), "output.", strlen ("output.")) == 0;
	monocle__run_profile *profile;
	struct stat status;
	for (size_t i = 0; i < folder->profile_count; i++) {
		if (strcmp (folder->profiles[i].path, path) == 0)
			return;
	}
	if (inside && (lstat (path, &status) != 0 || !is_own_file (&status)))
		return;
	/* What a process of another user names is nothing else of the caller's. */
	bool is_held = !inside && folder->user != geteuid ();
	int fd = is_held ? monocle__take_over_open (AT_FDCWD, path, folder->user) : -1;
	if (is_held && fd < 0)
		return;
	folder->profiles = array_add (folder->profiles, folder->profile_count, sizeof *folder->profiles);
	profile = &folder->profiles[folder->profile_count++];
	profile->pid = pid;
	profile->path = monocle__format ("%s", path);
	profile->collected = collected;
	profile->rescued = inside && !collected;
	profile->is_held = is_held;
	profile->fd = fd;
	profile->is_coverage = !is_held && monocle__coverage_file_is (path);
}

/* A path as the process has it. */
static void
add_seen (monocle__run_folder *folder, pid_t pid, const char *path)
{
	bool is_inside = lies_in (folder->seen_path, path);
	char *own = is_inside ? monocle__format ("%s/%s", folder->path, monocle__path_base_name (path)) : NULL;
	profile_add (folder, pid, own ? own : path);
	free (own);
}

/* The first line of a small file. The caller frees; NULL when it cannot be read. */
static char *
read_line (const char *path)
{
	char line[PATH_MAX + 2] = "";
	int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat status;
	ssize_t length = 0;
	if (fd < 0)
		return NULL;
	if (fstat (fd, &status) == 0 && is_own_file (&status))
		length = read (fd, line, sizeof line - 1);
	close (fd);
	line[length > 0 ? length : 0] = '\0';
	line[strcspn (line, "\n")] = '\0';
	return monocle__format ("%s", line);
}

/*
 * Names that are not a spool's begin with the process's number, or with it after one word: PID.loaded, PID.N.done,
 * output.PID.N.EXTENSION.
 */
static pid_t
pid_in (const char *name)
{
	const char *dot = *name >= '0' && *name <= '9' ? name - 1 : strchr (name, '.');
	if (ends_with (name, ".spool"))
		return (pid_t) monocle__spool_name_pid (name);
	return dot ? (pid_t) strtol (dot + 1, NULL, 10) : 0;
}

/* A file that is mapped is empty until its process has begun to count: its first word comes last. */
static bool
is_mapped (const char *name)
{
	return ends_with (name, ".spool") || ends_with (name, ".mcov");
}

/* A file exists before its process has written into it. */
static bool
is_begun (int folder, const char *name)
{
	int fd = openat (folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	uint64_t first = 0;
	ssize_t length = fd < 0 ? -1 : read (fd, &first, sizeof first);
	if (fd >= 0)
		close (fd);
	return is_mapped (name) ? length == (ssize_t) sizeof first && first : length > 0;
}

static bool
is_last_word (const char *name)
{
	return ends_with (name, ".declined") || ends_with (name, ".told") || ends_with (name, ".done");
}

/* Has it come so far that there is something of it to be read, or that it declined? */
static bool
has_told (const monocle__run_folder *folder, pid_t pid, bool *ret_declined)
{
	DIR *directory = monocle__folder_list (folder->fd);
	struct dirent *entry;
	bool is_there = false;
	*ret_declined = false;
	while (directory && (entry = readdir (directory))) {
		const char *name = entry->d_name;
		if (pid_in (name) != pid || !(is_mapped (name) || is_last_word (name)) || !is_begun (folder->fd, name))
			continue;
		is_there = true;
		if (ends_with (name, ".declined"))
			*ret_declined = true;
	}
	if (directory)
		closedir (directory);
	return is_there;
}

/* Whoever declined is taken out. False: some are young, and may be about to tell something. */
static bool
look_for_left (monocle__run_folder *folder, unsigned youth)
{
	size_t count, kept = 0;
	bool is_settled = true;
	free (folder->left);
	folder->left = monocle__run_family_find (folder->path, &count);
	for (size_t i = 0; i < count; i++) {
		bool has_declined;
		if (!has_told (folder, folder->left[i], &has_declined) && monocle__run_family_age (folder->left[i]) < youth)
			is_settled = false;
		if (!has_declined)
			folder->left[kept++] = folder->left[i];
	}
	folder->left_count = kept;
	return is_settled;
}

void
monocle__run_folder_await (monocle__run_folder *folder)
{
	enum { YOUTH_MS = 1000, LOOK_NS = 10000000 };
	unsigned youth = monocle__patience (YOUTH_MS);
	while (!look_for_left (folder, youth))
		nanosleep (&(struct timespec) { .tv_nsec = LOOK_NS }, NULL);
}

bool
monocle__run_folder_has_left (const monocle__run_folder *folder, pid_t pid)
{
	for (size_t i = 0; i < folder->left_count; i++) {
		if (folder->left[i] == pid)
			return true;
	}
	return false;
}

static void
read_spool (monocle__run_folder *folder, pid_t pid, const char *name, const char *path)
{
	const char *error = "unknown error";
	char *final = NULL;
	int result = monocle_kit_spool_collect (folder->path, name, &final, &error);
	if (result == 0)
		profile_add (folder, pid, final);
	else if (result > 0)
		process_of (folder, pid)->early = true;
	if (result >= 0) {
		free (final);
		return;
	}
	folder->unfinished++;
	if (final)
		monocle__say ("process %d is still running; at its end it writes %s (if it is killed: monocle report %s)",
		              (int) pid, final, path);
	else if (monocle__run_folder_has_left (folder, pid))
		monocle__say ("process %d is still running: monocle report %s", (int) pid, path);
	else
		monocle__say ("process %d left a profile that cannot be completed: %s; it stays in %s", (int) pid, error, path);
	free (final);
}

static void
read_entry (monocle__run_folder *folder, const char *name, const char *path)
{
	pid_t pid = pid_in (name);
	struct stat status;
	char *line;
	if (ends_with (name, ".spool")) {
		read_spool (folder, pid, name, path);
	} else if (ends_with (name, ".loaded") && stat (path, &status) == 0) {
		monocle__run_process *process = process_of (folder, pid);
		process->runtime = read_line (path);
		process->loaded = status.st_mtim;
	} else if (ends_with (name, ".declined") && is_begun (folder->fd, name)) {
		process_of (folder, pid)->declined = read_line (path);
	} else if (ends_with (name, ".told")) {
		process_of (folder, pid)->told = true;
	} else if (strstr (name, ".starting.")) {
		monocle__run_process *process = process_of (folder, pid);
		free (process->starting);
		process->starting = monocle__format ("%s", strstr (name, ".starting.") + strlen (".starting."));
	} else if (ends_with (name, ".done")) {
		line = read_line (path);
		if (line && *line == '/')
			add_seen (folder, pid, line);
		free (line);
	} else if (strncmp (name, "output.", strlen ("output.")) == 0) {
		profile_add (folder, pid, path);
	}
}

static int
compare_processes (const void *a, const void *b)
{
	const monocle__run_process *x = a, *y = b;
	if (x->loaded.tv_sec != y->loaded.tv_sec)
		return x->loaded.tv_sec < y->loaded.tv_sec ? -1 : 1;
	if (x->loaded.tv_nsec != y->loaded.tv_nsec)
		return x->loaded.tv_nsec < y->loaded.tv_nsec ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* The place of the process in the order of loading; unknown ones come last. */
static size_t
rank (const monocle__run_folder *folder, pid_t pid)
{
	size_t i = 0;
	while (i < folder->process_count && folder->processes[i].pid != pid)
		i++;
	return i;
}

static int
compare_profiles (const void *a, const void *b, void *context)
{
	const monocle__run_profile *x = a, *y = b;
	size_t rank_x = rank (context, x->pid), rank_y = rank (context, y->pid);
	if (rank_x != rank_y)
		return rank_x < rank_y ? -1 : 1;
	return x->pid != y->pid ? (x->pid < y->pid ? -1 : 1) : strcmp (x->path, y->path);
}

void
monocle__run_folder_read (monocle__run_folder *folder)
{
	struct dirent **entries;
	int count = scandir (folder->path, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		char *path = monocle__format ("%s/%s", folder->path, entries[i]->d_name);
		read_entry (folder, entries[i]->d_name, path);
		free (path);
		free (entries[i]);
	}
	if (count >= 0)
		free (entries);
	if (folder->process_count)
		qsort (folder->processes, folder->process_count, sizeof *folder->processes, compare_processes);
	if (folder->profile_count)
		qsort_r (folder->profiles, folder->profile_count, sizeof *folder->profiles, compare_profiles, folder);
}

const monocle__run_process *
monocle__run_folder_process (const monocle__run_folder *folder, pid_t pid)
{
	size_t i = rank (folder, pid);
	return i < folder->process_count ? &folder->processes[i] : NULL;
}

int
monocle__run_folder_read_back (const monocle__run_folder *folder, const monocle__run_profile *file,
                               monocle__profile **ret_profile, char *error, size_t error_size)
{
	char *held = file->is_held ? monocle__format ("/proc/self/fd/%d", file->fd) : NULL;
	const char *path = held ? held : file->path;
	int fd = open (path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), result = -1;
	struct stat status;
	/* A device or a pipe has taken what there was, and would let us wait for more. */
	if (fd < 0 || fstat (fd, &status) != 0 || !S_ISREG (status.st_mode))
		snprintf (error, error_size, "it is no file");
	else if (!monocle__take_over_is_read (fd, folder->user))
		snprintf (error, error_size, "it is larger than a profile of an attach");
	else
		result = monocle__profile_read (path, ret_profile, error, error_size);
	if (fd >= 0)
		close (fd);
	free (held);
	return result;
}

void
monocle__run_folder_delete (int fd, const char *path)
{
	DIR *directory = monocle__folder_list (fd);
	struct dirent *entry;
	while (directory && (entry = readdir (directory)))
		unlinkat (fd, entry->d_name, 0);
	if (directory)
		closedir (directory);
	rmdir (path);
}

void
monocle__run_folder_remove (const monocle__run_folder *folder)
{
	bool needed = folder->unfinished > 0 || folder->left_count > 0;
	for (size_t i = 0; i < folder->profile_count; i++)
		needed = needed || folder->profiles[i].collected || folder->profiles[i].rescued;
	if (!needed)
		monocle__run_folder_delete (folder->fd, folder->path);
}

void
monocle__run_folder_done (monocle__run_folder *folder)
{
	for (size_t i = 0; i < folder->profile_count; i++) {
		free (folder->profiles[i].path);
		if (folder->profiles[i].is_held)
			close (folder->profiles[i].fd);
		monocle__profile_free (folder->profiles[i].content);
	}
	for (size_t i = 0; i < folder->process_count; i++) {
		free (folder->processes[i].runtime);
		free (folder->processes[i].declined);
		free (folder->processes[i].starting);
	}
	free (folder->processes);
	free (folder->profiles);
	free (folder->left);
	free (folder->seen_path);
	free (folder->path);
	close (folder->fd);
}
