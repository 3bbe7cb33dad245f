/*
 * SPDX-License-Identifier: MIT
 *
 * process.c - one process, out of the files of its folder in /proc.
 *
 * The folder is opened once, and its files are opened in it: when the process ends meanwhile, they answer nothing, even
 * if its number is given to another. The kernel lets read maps, environ and root whoever may trace the process: its
 * user and root. Others see its words and its threads.
 */
#include "process.h"

#include "attach-block.h"
#include "live-text.h"
#include "path.h"
#include "process-settings.h"
#include "process-start.h"
#include "read-file.h"
#include "utf8.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MOST = 16 << 20, STOPPED_FIELD = 3, START_FIELD = 22 };

/* --- files of /proc ----------------------------------------------------------------------------------------------- */

/* All of it with a NUL behind it, NULL: it cannot be read. The caller frees. */
static char *
read_file (int folder, const char *name, size_t *ret_length)
{
	int fd = openat (folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char *text = fd < 0 ? NULL : monocle__read_file (fd, FILE_MOST, ret_length);
	if (fd >= 0)
		close (fd);
	return text;
}

/* --- what it is --------------------------------------------------------------------------------------------------- */

/* The name in parentheses may hold anything; the state, field 3, follows the last one. False: it has ended. */
static bool
read_stat (int folder, monocle__live_process *process)
{
	size_t length;
	char *text = read_file (folder, "stat", &length), *field = text ? strrchr (text, ')') : NULL;
	bool is_alive = field && field[1] == ' ' && !strchr ("ZXx", field[2]);
	if (is_alive) {
		process->is_stopped = field[2] == 'T' || field[2] == 't';
		for (int number = STOPPED_FIELD - 1; field && number < START_FIELD; number++)
			field = strchr (field + 1, ' ');
		process->start = field ? strtoull (field + 1, NULL, 10) : 0;
	}
	free (text);
	return is_alive && process->start;
}

/* The number after the last blank of a line. */
static long
last_number (const char *line)
{
	long number = 0;
	while (*line && *line != '\n') {
		if (isdigit ((unsigned char) *line))
			number = strtol (line, (char **) &line, 10);
		else
			line++;
	}
	return number;
}

static void
read_status (int folder, monocle__live_process *process)
{
	size_t length;
	char *text = read_file (folder, "status", &length), *line;
	if (text && (line = strstr (text, "\nUid:"))) {
		strtoul (line + 5, &line, 10);
		process->user = (uid_t) strtoul (line, NULL, 10); /* the effective one, which owns what it makes */
	}
	if (text && (line = strstr (text, "\nNSpid:")))
		process->inner_pid = (pid_t) last_number (line + 1);
	free (text);
}

static bool
has_ending (const char *name, const char *ending)
{
	size_t length = strlen (name), end = strlen (ending);
	return length > end && strcasecmp (name + length - end, ending) == 0;
}

/* Programs that run others: the first word after them that is a program's file is what people call the process. */
static bool
is_host (const char *name)
{
	return strcmp (name, "dotnet") == 0 || strcmp (name, "mono") == 0 || strcmp (name, "mono-sgen") == 0;
}

static const char *
program_of (const char *words, size_t length)
{
	const char *first = monocle__path_base_name (words);
	if (!is_host (first))
		return first;
	for (const char *word = words; word < words + length; word += strlen (word) + 1) {
		if (has_ending (word, ".dll") || has_ending (word, ".exe"))
			return monocle__path_base_name (word);
	}
	return first;
}

static int
read_command (int folder, monocle__live_process *process)
{
	size_t length = 0;
	char *words = read_file (folder, "cmdline", &length);
	while (words && length > 0 && !words[length - 1])
		length--;
	if (words && length > 0) {
		monocle__live_text_copy (process->program, sizeof process->program, program_of (words, length));
		for (size_t i = 0; i < length; i++)
			words[i] = words[i] ? words[i] : ' ';
		length = monocle__utf8_clean (words, length);
		words[length] = '\0';
		process->command = words;
		return 0;
	}
	free (words);
	process->command = strdup ("");
	return process->command ? 0 : -ENOMEM;
}

/* --- what is in it ------------------------------------------------------------------------------------------------ */

/* shared/Microsoft.NETCore.App/10.0.1/libcoreclr.so names its version; a program's own folder does not. */
static void
version_of_path (const char *path, char *version, size_t size)
{
	const char *end = strrchr (path, '/'), *begin = end;
	while (begin > path && begin[-1] != '/')
		begin--;
	if (end && end > begin && isdigit ((unsigned char) *begin))
		snprintf (version, size, "%.*s", (int) (end - begin), begin);
}

static void
add_module (char *list, size_t size, const char *name, size_t length)
{
	size_t used = strlen (list);
	const char *at = list;
	while ((at = strstr (at, name))) {
		if (strncmp (at, name, length) == 0 && (at[length] == ',' || !at[length]) && (at == list || at[-1] == ','))
			return;
		at++;
	}
	if (used + length + 2 < size)
		snprintf (list + used, size - used, "%s%.*s", used ? "," : "", (int) length, name);
}

static bool
begins (const char *text, const char *start)
{
	return strncmp (text, start, strlen (start)) == 0;
}

/* One mapped file. Several runtimes may be in one process: CoreCLR's own library says most. */
static void
add_mapping (monocle__live_process *process, const char *path)
{
	static const char module[] = "libmono-profiler-";
	const char *name = monocle__path_base_name (path), *end;
	if (monocle__live_process_elf_is_musl (path)) {
		process->system = MONOCLE__LIVE_SYSTEM_MUSL;
	} else if (strcmp (name, "libcoreclr.so") == 0) {
		process->kind = MONOCLE__LIVE_CORECLR;
		version_of_path (path, process->version, sizeof process->version);
	} else if (begins (name, "libmonosgen-2.0.so") || begins (name, "libmono-2.0.so") ||
	           strcmp (name, "mono-sgen") == 0 || strcmp (name, "mono-boehm") == 0) {
		if (process->kind == MONOCLE__LIVE_FOREIGN)
			process->kind = MONOCLE__LIVE_MONO;
	} else if (begins (path, "/memfd:doublemapper") && process->kind == MONOCLE__LIVE_FOREIGN) {
		process->kind = MONOCLE__LIVE_SINGLE_FILE; /* How CoreCLR makes memory for code; its library may follow. */
	} else if (strcmp (name, "libmonocle-clr.so") == 0) {
		process->has_adapter = true;
	} else if (begins (name, module) && (end = strstr (name, ".so"))) {
		char word[64];
		snprintf (word, sizeof word, "%.*s", (int) (end - name - (int) strlen (module)), name + strlen (module));
		if (strcmp (word, "monocle") == 0)
			process->has_umbrella = true;
		else
			add_module (process->modules, sizeof process->modules, word, strlen (word));
	}
}

/* "7f12c000-7f12d000 r-xp ...": what is not executed is only read, as a debugger does with the files of a runtime. */
static bool
is_executed (const char *line)
{
	const char *rights = strchr (line, ' ');
	return rights && strnlen (rights, 5) == 5 && rights[3] == 'x';
}

static void
read_maps (int folder, monocle__live_process *process)
{
	size_t length;
	char *text = read_file (folder, "maps", &length), *rest = text, *line;
	const char *last = "";
	process->is_visible = text != NULL;
	while (text && (line = strsep (&rest, "\n"))) {
		char *path = is_executed (line) ? strchr (line, '/') : NULL;
		if (path && strcmp (path, last) != 0)
			add_mapping (process, path);
		last = path ? path : last;
	}
	monocle__live_text_clean (process->modules);
	monocle__live_text_clean (process->version);
	free (text);
}

/* CoreCLR inside a program's file, whose code may be mapped otherwise, and programs without a JIT: their file tells. */
static void
read_host (int fd, monocle__live_process *process)
{
	switch (monocle__live_process_elf_host (fd)) {
	case MONOCLE__LIVE_HOST_CORECLR: process->kind = MONOCLE__LIVE_SINGLE_FILE; break;
	case MONOCLE__LIVE_HOST_NATIVE_AOT: process->kind = MONOCLE__LIVE_NATIVE_AOT; break;
	case MONOCLE__LIVE_HOST_NONE: break;
	}
}

/* A linker that was called by hand, as a program, has no other: the maps tell what it is. */
static void
read_program_file (int folder, monocle__live_process *process)
{
	int fd = process->is_visible ? openat (folder, "exe", O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd < 0)
		return;
	if (process->kind == MONOCLE__LIVE_FOREIGN)
		read_host (fd, process);
	if (process->system == MONOCLE__LIVE_SYSTEM_OURS)
		process->system = monocle__live_process_elf_system (fd);
	close (fd);
}

/*
 * Threads have their names for everybody. Those of a process whose maps are its user's alone tell what it is, and one
 * of ours tells that an attach is under way.
 */
static void
know_thread (monocle__live_process *process, const char *name)
{
	enum { NOTHING = -1, OF_NET = MONOCLE__LIVE_CORECLR, OF_MONO = MONOCLE__LIVE_MONO };
	static const struct {
		const char *name;
		int kind;
	} known[] = {
#define MONOCLE__THREAD(does, tells, seen, name, whole) { name, tells },
#include "private-names.def"
	};
	for (size_t i = 0; !process->is_visible && i < sizeof known / sizeof *known; i++) {
		if (known[i].kind != NOTHING && strcmp (name, known[i].name) == 0)
			process->kind = (monocle__live_kind) known[i].kind;
	}
	if (strcmp (name, MONOCLE__ATTACH_BLOCK_THREAD) == 0)
		process->is_at_work = true;
}

static void
read_threads (int folder, monocle__live_process *process)
{
	int fd =
	    process->is_visible && !process->has_adapter ? -1 : openat (folder, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *tasks = fd < 0 ? NULL : fdopendir (fd);
	struct dirent *entry;
	while (tasks && (entry = readdir (tasks))) {
		char path[64], name[32];
		snprintf (path, sizeof path, "%.20s/comm", entry->d_name);
		size_t length = monocle__read_file_text (dirfd (tasks), path, name, sizeof name);
		if (length)
			name[length - 1] = '\0';
		know_thread (process, name);
	}
	if (tasks)
		closedir (tasks);
	else if (fd >= 0)
		close (fd);
}

/* --- what it was started with ------------------------------------------------------------------------------------- */

static int
read_environment (int folder, monocle__live_process *process)
{
	size_t length = 0;
	char *variables = read_file (folder, "environ", &length);
	int error = monocle__live_process_settings_take (process, variables ? variables : "", variables ? length : 0);
	if (process->is_told)
		process->is_at_work |= process->has_adapter && process->modules[0]; /* one that declined has none */
	free (variables);
	return error;
}

/* --- where it is -------------------------------------------------------------------------------------------------- */

/* Engines name a group of processes by the container's 64 digits; people use the first twelve. */
static bool
container_of_group (const char *text, char *container, size_t size)
{
	size_t digits = 0;
	for (; *text; text++) {
		digits = isdigit ((unsigned char) *text) || (*text >= 'a' && *text <= 'f') ? digits + 1 : 0;
		if (digits == 64) {
			snprintf (container, size, "%.12s", text - 63);
			return true;
		}
	}
	return false;
}

static void
read_container (int folder, monocle__live_process *process)
{
	struct stat own, other;
	size_t length;
	char *groups;
	bool is_same = fstatat (folder, "ns/pid", &other, 0) != 0 || stat ("/proc/self/ns/pid", &own) != 0 ||
	               (own.st_ino == other.st_ino && own.st_dev == other.st_dev);
	if (is_same && process->inner_pid == process->pid)
		return;
	groups = read_file (folder, "cgroup", &length);
	if (!groups || !container_of_group (groups, process->container, sizeof process->container))
		snprintf (process->container, sizeof process->container, is_same ? "other" : "pid:[%llu]",
		          (unsigned long long) other.st_ino);
	free (groups);
}

/* --- one ---------------------------------------------------------------------------------------------------------- */

void
monocle__live_process_done (monocle__live_process *process)
{
	free (process->folder);
	free (process->run);
	free (process->command);
	*process = (monocle__live_process) { 0 };
}

static int
read_process (int folder, pid_t pid, monocle__live_process *process)
{
	int error;
	*process = (monocle__live_process) { .pid = pid, .inner_pid = pid };
	if (!read_stat (folder, process))
		return -ESRCH;
	read_status (folder, process);
	error = read_command (folder, process);
	read_maps (folder, process);
	read_program_file (folder, process);
	read_threads (folder, process);
	read_container (folder, process);
	if (!error)
		error = read_environment (folder, process);
	return error;
}

int
monocle__live_process_read (pid_t pid, monocle__live_process *ret_process)
{
	char path[32];
	monocle__live_process process;
	int folder, error;
	snprintf (path, sizeof path, "/proc/%d", (int) pid);
	folder = pid > 0 ? open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (folder < 0)
		return -ESRCH;
	error = read_process (folder, pid, &process);
	close (folder);
	if (error)
		monocle__live_process_done (&process);
	else
		*ret_process = process;
	return error;
}

bool
monocle__live_process_is_there (const monocle__live_process *process)
{
	return monocle__process_start (process->pid) == process->start;
}

const char *
monocle__live_process_kind_name (monocle__live_kind kind)
{
	static const char *const names[] = {
		[MONOCLE__LIVE_FOREIGN] = "-",
		[MONOCLE__LIVE_CORECLR] = "CoreCLR",
		[MONOCLE__LIVE_SINGLE_FILE] = "single file",
		[MONOCLE__LIVE_NATIVE_AOT] = "NativeAOT",
		[MONOCLE__LIVE_MONO] = "Mono",
	};
	return names[kind];
}
