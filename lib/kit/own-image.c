/*
 * SPDX-License-Identifier: MIT
 *
 * own-image.c - is an image the program's own, or a library that it uses?
 *
 * There are four witnesses, and the first that knows decides: the command line (what it runs is the program, wherever
 * the file is), the path (the shared framework, Mono's own folders, the GAC, the package cache), the .deps.json beside
 * the image (project or package), the name (System.*, Microsoft.* and the base libraries are packages when they are
 * beside a program). Answers are kept for ever: there are as many as images. One lock guards them; callers ask once per
 * image.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <monocle/kit.h>

#include "cmdline.h"
#include "image-origin.h"
#include "json.h"
#include "output-name.h"
#include "read-part.h"

/* File names, without folder. */
struct names {
	size_t count;
	char **texts;
};

/*
 * What the .deps.json files of a folder say: which files come from projects, which from packages, the runtime or a
 * reference. A file may be among both (a reference to a project): then it is a project's.
 */
struct folder {
	struct folder *next;
	bool has_deps;
	struct names own, foreign;
	char path[];
};

struct answer {
	struct answer *next;
	bool own;
	char path[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct folder *folders; /* under lock */
static struct answer *answers; /* under lock */

/* --- .deps.json -------------------------------------------------------------------------------------------------- */

/* Libraries that are projects, by their names. */
struct projects {
	size_t count;
	monocle__json *names;
};

static bool
is_same (monocle__json a, monocle__json b)
{
	return a.end - a.at == b.end - b.at && !memcmp (a.at, b.at, (size_t) (a.end - a.at));
}

static void
find_projects (monocle__json libraries, struct projects *projects)
{
	monocle__json rest = monocle__json_members (libraries), name, library;
	while (monocle__json_next_member (&rest, &name, &library)) {
		if (!monocle__json_equals (monocle__json_member (library, "type"), "project"))
			continue;
		monocle__json *names = realloc (projects->names, (projects->count + 1) * sizeof *names);
		if (!names)
			return;
		projects->names = names;
		names[projects->count++] = name;
	}
}

/* The last part of the path; escapes are left as they are, and compilers write none. */
static void
add_file (struct names *names, monocle__json path)
{
	size_t length = (size_t) (path.end - path.at) - 2;
	const char *start = path.at + 1, *slash = memrchr (start, '/', length), *file = slash ? slash + 1 : start;
	char **texts = realloc (names->texts, (names->count + 1) * sizeof *texts);
	if (!texts)
		return;
	names->texts = texts;
	texts[names->count] = strndup (file, (size_t) (start + length - file));
	names->count += texts[names->count] != NULL;
}

/* A library of a target, and its files. */
static void
add_library (struct folder *folder, const struct projects *projects, monocle__json name, monocle__json library)
{
	monocle__json rest = monocle__json_members (monocle__json_member (library, "runtime")), path, about;
	struct names *names = &folder->foreign;
	for (size_t i = 0; i < projects->count; i++)
		if (is_same (projects->names[i], name))
			names = &folder->own;
	while (monocle__json_next_member (&rest, &path, &about))
		add_file (names, path);
}

/* A damaged file is there all the same, and says nothing. */
static void
read_deps (struct folder *folder, const char *text, size_t size)
{
	monocle__json root, rest, target, libraries, name, library;
	struct projects projects = { 0, NULL };
	size_t offset;
	folder->has_deps = true;
	if (!monocle__json_check (text, size, &root, &offset))
		return;
	find_projects (monocle__json_member (root, "libraries"), &projects);
	rest = monocle__json_members (monocle__json_member (root, "targets"));
	while (monocle__json_next_member (&rest, &name, &target))
		for (libraries = monocle__json_members (target); monocle__json_next_member (&libraries, &name, &library);)
			add_library (folder, &projects, name, library);
	free (projects.names);
}

static char *
read_text (int directory, const char *name, size_t *ret_size)
{
	enum { MOST = 16 << 20 };
	struct stat status;
	char *text = NULL;
	int fd = openat (directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode) && status.st_size < MOST)
		text = monocle__read_part (fd, 0, *ret_size = (size_t) status.st_size);
	close (fd);
	return text;
}

static void
scan_folder (struct folder *folder)
{
	DIR *directory = opendir (folder->path);
	struct dirent *entry;
	while (directory && (entry = readdir (directory)) != NULL) {
		size_t length = strlen (entry->d_name);
		if (length < 10 || strcmp (entry->d_name + length - 10, ".deps.json"))
			continue;
		size_t size;
		char *text = read_text (dirfd (directory), entry->d_name, &size);
		if (text)
			read_deps (folder, text, size);
		free (text);
	}
	if (directory)
		closedir (directory);
}

static struct folder *
find_folder (const char *path, size_t length)
{
	struct folder *folder;
	for (folder = folders; folder; folder = folder->next)
		if (strlen (folder->path) == length && !strncmp (folder->path, path, length))
			return folder;
	folder = calloc (1, sizeof *folder + length + 1);
	if (!folder)
		return NULL;
	memcpy (folder->path, path, length);
	scan_folder (folder);
	folder->next = folders;
	folders = folder;
	return folder;
}

static bool
is_listed (const struct names *names, const char *file)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp (names->texts[i], file))
			return true;
	return false;
}

/*
 * `dotnet test` runs a host that lies beside the tests, with the runner's libraries, which no .deps.json lists: neither
 * is what is tested.
 */
static bool
is_test_host (void)
{
	static const char host[] = "testhost";
	char name[256];
	monocle__program_name (name, sizeof name);
	return !strncmp (name, host, sizeof host - 1);
}

/* The file that the command line runs, by what it is: both names of it may be relative or links. */
static bool
is_main_program (const char *path)
{
	static struct stat program; /* under lock */
	static bool asked;
	struct stat status;
	char name[4096];
	if (!asked && (is_test_host () || !monocle__program_path (name, sizeof name) || stat (name, &program)))
		program.st_ino = 0;
	asked = true;
	return program.st_ino && stat (path, &status) == 0 && status.st_ino == program.st_ino &&
	       status.st_dev == program.st_dev;
}

static bool
judge (const char *path)
{
	const char *slash = strrchr (path, '/');
	if (!slash)
		return !monocle__image_origin_is_foreign_name (path);
	if (is_main_program (path))
		return true;
	if (monocle__image_origin_is_foreign_path (path))
		return false;
	struct folder *folder = find_folder (path, (size_t) (slash - path) + 1);
	if (folder && folder->has_deps)
		return is_listed (&folder->own, slash + 1) || (!is_listed (&folder->foreign, slash + 1) && !is_test_host ());
	return !monocle__image_origin_is_foreign_name (slash + 1);
}

bool
monocle_kit_image_is_own (const char *filename)
{
	if (!filename || !*filename)
		return false;
	int saved_errno = errno;
	struct answer *answer;
	bool own;
	pthread_mutex_lock (&lock);
	for (answer = answers; answer && strcmp (answer->path, filename); answer = answer->next)
		;
	own = answer ? answer->own : judge (filename);
	if (!answer && (answer = malloc (sizeof *answer + strlen (filename) + 1)) != NULL) {
		answer->own = own;
		strcpy (answer->path, filename);
		answer->next = answers;
		answers = answer;
	}
	pthread_mutex_unlock (&lock);
	errno = saved_errno;
	return own;
}
