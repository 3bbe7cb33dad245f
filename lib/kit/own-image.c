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
#include "output-name.h"

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

static const char *const foreign_paths[] = {
	"/shared/Microsoft.NETCore.App/",
	"/shared/Microsoft.AspNetCore.App/",
	"/shared/Microsoft.WindowsDesktop.App/",
	"/.nuget/packages/",
	"/lib/mono/",
	"/mono/gac/",
	NULL,
};

/* Names without ".dll" of what runtimes bring along; a trailing "*" is a prefix. */
static const char *const foreign_names[] = {
	"mscorlib", "netstandard", "System", "System.*", "Microsoft.*", "WindowsBase", "PresentationCore", "Mono.*", NULL,
};

static bool
is_foreign_path (const char *path)
{
	for (size_t i = 0; foreign_paths[i]; i++)
		if (strstr (path, foreign_paths[i]))
			return true;
	return false;
}

static bool
is_foreign_name (const char *file)
{
	size_t length = strlen (file);
	if (monocle__cmdline_is_assembly (file))
		length -= 4;
	for (size_t i = 0; foreign_names[i]; i++) {
		size_t n = strlen (foreign_names[i]);
		bool prefix = foreign_names[i][n - 1] == '*';
		if (prefix ? length >= n - 1 && !strncmp (file, foreign_names[i], n - 1)
		           : length == n && !strncmp (file, foreign_names[i], n))
			return true;
	}
	return false;
}

/* --- .deps.json: a reader for just enough JSON -------------------------------------------------------------------- */

struct json {
	const char *at; /* NUL-terminated text; stays on the NUL when it is damaged */
};

static void
json_space (struct json *json)
{
	json->at += strspn (json->at, " \t\r\n");
}

/* Takes one punctuation mark. */
static bool
json_mark (struct json *json, char mark)
{
	json_space (json);
	if (*json->at != mark)
		return false;
	json->at++;
	return true;
}

/* Takes a string, as a slice of the text, escapes left as they are: paths in deps.json need none. */
static bool
json_string (struct json *json, const char **ret_text, size_t *ret_length)
{
	if (!json_mark (json, '"'))
		return false;
	const char *start = json->at;
	while (*json->at && *json->at != '"')
		json->at += json->at[0] == '\\' && json->at[1] ? 2 : 1;
	*ret_text = start;
	*ret_length = (size_t) (json->at - start);
	return json_mark (json, '"');
}

/* Steps over any value; nesting is counted, not recursed into. */
static void
json_skip (struct json *json)
{
	const char *text;
	size_t length, depth = 0;
	do {
		json_space (json);
		if (*json->at == '"')
			json_string (json, &text, &length);
		else if (*json->at) {
			depth += *json->at == '{' || *json->at == '[';
			depth -= depth && (*json->at == '}' || *json->at == ']');
			json->at++;
			if (!depth)
				json->at += strspn (json->at, "truefalsn0123456789.eE+-");
		}
	} while (depth && *json->at);
}

typedef void (*json_member) (struct json *json, const char *key, size_t length, void *data);

/* Calls `member` with each key of an object; the callee takes the value. */
static void
json_object (struct json *json, json_member member, void *data)
{
	const char *key;
	size_t length;
	if (!json_mark (json, '{')) {
		json_skip (json);
		return;
	}
	while (json_string (json, &key, &length) && json_mark (json, ':')) {
		const char *before = json->at;
		member (json, key, length, data);
		if (json->at == before)
			json->at += strlen (json->at);
		if (!json_mark (json, ','))
			break;
	}
	json_mark (json, '}');
}

static bool
key_is (const char *key, size_t length, const char *word)
{
	return length == strlen (word) && !strncmp (key, word, length);
}

/* What is collected: pass 1 the project libraries, pass 2 everybody's files. */
struct deps {
	struct folder *folder;
	struct names *names; /* pass 2: where the files of the library at hand go */
	size_t project_count;
	struct slice {
		const char *text;
		size_t length;
	} * projects;
	struct slice library;
};

static void
on_library_field (struct json *json, const char *key, size_t length, void *data)
{
	struct deps *deps = data;
	const char *type;
	size_t type_length;
	if (!key_is (key, length, "type")) {
		json_skip (json);
		return;
	}
	if (!json_string (json, &type, &type_length) || !key_is (type, type_length, "project"))
		return;
	struct slice *projects = realloc (deps->projects, (deps->project_count + 1) * sizeof *projects);
	if (!projects)
		return;
	deps->projects = projects;
	projects[deps->project_count++] = deps->library;
}

static void
on_library (struct json *json, const char *key, size_t length, void *data)
{
	((struct deps *) data)->library = (struct slice) { key, length };
	json_object (json, on_library_field, data);
}

static void
on_file (struct json *json, const char *key, size_t length, void *data)
{
	struct names *names = ((struct deps *) data)->names;
	const char *slash = memrchr (key, '/', length), *file = slash ? slash + 1 : key;
	char **texts = realloc (names->texts, (names->count + 1) * sizeof *texts);
	if (texts) {
		names->texts = texts;
		texts[names->count] = strndup (file, (size_t) (key + length - file));
		names->count += texts[names->count] != NULL;
	}
	json_skip (json);
}

static void
on_target_field (struct json *json, const char *key, size_t length, void *data)
{
	if (key_is (key, length, "runtime"))
		json_object (json, on_file, data);
	else
		json_skip (json);
}

static void
on_target_library (struct json *json, const char *key, size_t length, void *data)
{
	struct deps *deps = data;
	deps->names = &deps->folder->foreign;
	for (size_t i = 0; i < deps->project_count; i++)
		if (deps->projects[i].length == length && !strncmp (deps->projects[i].text, key, length))
			deps->names = &deps->folder->own;
	json_object (json, on_target_field, data);
}

static void
on_target (struct json *json, const char *key, size_t length, void *data)
{
	json_object (json, on_target_library, data);
}

static void
on_root_libraries (struct json *json, const char *key, size_t length, void *data)
{
	if (key_is (key, length, "libraries"))
		json_object (json, on_library, data);
	else
		json_skip (json);
}

static void
on_root_targets (struct json *json, const char *key, size_t length, void *data)
{
	if (key_is (key, length, "targets"))
		json_object (json, on_target, data);
	else
		json_skip (json);
}

static void
read_deps (struct folder *folder, const char *text)
{
	struct deps deps = { .folder = folder };
	struct json json = { text };
	folder->has_deps = true;
	json_object (&json, on_root_libraries, &deps);
	json.at = text;
	json_object (&json, on_root_targets, &deps);
	free (deps.projects);
}

static char *
read_text (int directory, const char *name)
{
	enum { MOST = 16 << 20 };
	struct stat status;
	char *text = NULL;
	int fd = openat (directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode) && status.st_size < MOST)
		text = malloc ((size_t) status.st_size + 1);
	if (text) {
		ssize_t length = read (fd, text, (size_t) status.st_size);
		text[length > 0 ? length : 0] = '\0';
	}
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
		char *text = read_text (dirfd (directory), entry->d_name);
		if (text)
			read_deps (folder, text);
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

/* The file that the command line runs, by what it is: both names of it may be relative or links. */
static bool
is_main_program (const char *path)
{
	static struct stat program; /* under lock */
	static bool asked;
	struct stat status;
	char name[4096];
	if (!asked && (!monocle__program_path (name, sizeof name) || stat (name, &program)))
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
		return !is_foreign_name (path);
	if (is_main_program (path))
		return true;
	if (is_foreign_path (path))
		return false;
	struct folder *folder = find_folder (path, (size_t) (slash - path) + 1);
	if (folder && folder->has_deps)
		return is_listed (&folder->own, slash + 1) || !is_listed (&folder->foreign, slash + 1);
	return !is_foreign_name (slash + 1);
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
