/*
 * SPDX-License-Identifier: MIT
 *
 * module-file.c - finds the file of a module and looks which functions of the toolkit it names.
 *
 * Options are a module's own business, and one that checks them refuses to start with one that it does not know. The
 * toolkit's modules open what they write by one of a few functions, under the option `output`: a file that names one is
 * given a file name, any other is left alone. The name of a function that a library needs is a string between two
 * zeros in its table of dynamic symbols, so nothing has to be loaded or understood to find it.
 */
#include "module-file.h"

#include "command/command.h"
#include "elf-file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* clang-format off */
static const struct {
	const char *name; /* with the zeros on both sides */
	size_t size;
	monocle__module_writes writes;
} functions[] = {
#define FUNCTION(name, writes) { "\0" name, sizeof name + 1, writes }
	FUNCTION ("monocle_kit_spool_open",  MONOCLE__WRITES_PROFILE),
	FUNCTION ("monocle_kit_stacks_open", MONOCLE__WRITES_PROFILE),
	FUNCTION ("monocle_kit_text_open",   MONOCLE__WRITES_TEXT),
	FUNCTION ("monocle_kit_output_open", MONOCLE__WRITES_COVERAGE),
};
/* Mono's own, which are not files of ours and also take output=. */
static const struct {
	const char *name, *file, *summary; /* the file is what they write where nobody names another */
} monos[] = {
	{ "log",      "output.mlpd",       "all events into one .mlpd file" },
	{ "coverage", "coverage.xml",      "which lines ran, as XML" },
	{ "aot",      "output.aotprofile", "which methods to compile ahead" },
};
/* clang-format on */

typedef struct {
	char *bytes;
	size_t size;
} contents;

static bool
contents_map (const char *path, contents *ret_contents)
{
	/* What has the name of a module may be a pipe, whose opening would wait for a writer. */
	int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	void *bytes = MAP_FAILED;

	if (fd >= 0 && fstat (fd, &status) == 0 && S_ISREG (status.st_mode) && status.st_size > 0)
		bytes = mmap (NULL, (size_t) status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close (fd);
	if (bytes == MAP_FAILED)
		return false;
	*ret_contents = (contents) { bytes, (size_t) status.st_size };
	return true;
}

/* The first file of the module in one of the folders, which are separated by colons; NULL: none has it. */
static char *
find_in (const char *folders, const char *name, size_t length)
{
	static const char *const forms[] = { "libmono-profiler-", "mono-profiler-" };
	for (; folders && *folders; folders += *folders == ':') {
		size_t size = strcspn (folders, ":");
		for (size_t i = 0; size > 0 && i < sizeof forms / sizeof *forms; i++) {
			char *path = monocle__format ("%.*s/%s%.*s.so", (int) size, folders, forms[i], (int) length, name);
			if (access (path, R_OK) == 0)
				return path;
			free (path);
		}
		folders += size;
	}
	return NULL;
}

/* The linker's cache holds the paths of its libraries, each with a zero behind it. The caller frees. */
static char *
find_in_cache (const char *name, size_t length)
{
	char *end = monocle__format ("/libmono-profiler-%.*s.so", (int) length, name), *path = NULL;
	contents cache;
	if (contents_map ("/etc/ld.so.cache", &cache)) {
		const char *found = memmem (cache.bytes, cache.size, end, strlen (end) + 1), *begin = found;
		while (begin > cache.bytes && begin[-1])
			begin--;
		if (found && access (begin, R_OK) == 0)
			path = monocle__format ("%s", begin);
		munmap (cache.bytes, cache.size);
	}
	free (end);
	return path;
}

char *
monocle__module_file_find (const monocle__layout *layout, const char *desc)
{
	const char *const places[] = {
		getenv ("MONOCLE_MODULE_PATH"),
		layout->module_path,
		getenv ("LD_LIBRARY_PATH"),
		"/usr/local/lib:/usr/lib",
	};
	size_t length = strcspn (desc, ":");
	char *path = NULL;
	for (size_t i = 0; i < sizeof places / sizeof *places && !path; i++)
		path = find_in (places[i], desc, length);
	return path ? path : find_in_cache (desc, length);
}

/* Owned: `folders`, with those of `more` behind them that are there, made absolute. */
static char *
append_real (char *folders, const char *more)
{
	for (; more && *more; more += *more == ':') {
		size_t size = strcspn (more, ":");
		char *folder = monocle__format ("%.*s", (int) size, more), *real = size ? realpath (folder, NULL) : NULL;
		if (real) {
			char *longer = monocle__format ("%s%s%s", folders, *folders ? ":" : "", real);
			free (folders);
			folders = longer;
		}
		free (folder);
		free (real);
		more += size;
	}
	return folders;
}

char *
monocle__module_file_folders (const monocle__layout *layout)
{
	char *folders = append_real (monocle__format ("%s", ""), getenv ("MONOCLE_MODULE_PATH"));
	folders = append_real (folders, layout->module_path);
	return append_real (folders, getenv ("LD_LIBRARY_PATH"));
}

const char *
monocle__module_file_of_monos (const char *desc)
{
	size_t length = strcspn (desc, ":");
	for (size_t i = 0; i < sizeof monos / sizeof *monos; i++) {
		if (strlen (monos[i].name) == length && memcmp (desc, monos[i].name, length) == 0)
			return monos[i].file;
	}
	return NULL;
}

bool
monocle__module_file_is_there (const monocle__layout *layout, const char *desc)
{
	char *path = monocle__module_file_find (layout, desc);
	bool is_there = path || monocle__module_file_of_monos (desc);
	free (path);
	return is_there;
}

char *
monocle__module_file_trouble (const char *path, const char *desc)
{
	static const char old[] = "mono_profiler_startup";
	char *entry = monocle__format ("mono_profiler_init_%.*s", (int) strcspn (desc, ":"), desc), *trouble = NULL;
	int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	monocle__elf_file elf;
	bool is_elf = fd >= 0 && monocle__elf_file_open (&elf, fd);
	if (!is_elf || elf.header.e_type != ET_DYN)
		trouble = monocle__format ("%s is no shared library of this machine", path);
	else if (!monocle__elf_file_names (&elf, entry))
		trouble =
		    monocle__elf_file_names (&elf, old)
		        ? monocle__format ("%s is written for Mono's old profiler API (%s); %s is expected", path, old, entry)
		        : monocle__format ("%s has no entry point %s that is exported", path, entry);
	if (is_elf)
		monocle__elf_file_close (&elf);
	if (fd >= 0)
		close (fd);
	free (entry);
	return trouble;
}

static monocle__module_writes
look_into (const char *path)
{
	monocle__module_writes found = MONOCLE__WRITES_NOTHING;
	contents file;
	if (!contents_map (path, &file))
		return MONOCLE__WRITES_UNKNOWN;
	for (size_t i = 0; i < sizeof functions / sizeof *functions && found == MONOCLE__WRITES_NOTHING; i++) {
		if (memmem (file.bytes, file.size, functions[i].name, functions[i].size))
			found = functions[i].writes;
	}
	munmap (file.bytes, file.size);
	return found;
}

monocle__module_writes
monocle__module_file_look (const monocle__layout *layout, const char *desc)
{
	static const char alias[] = "coverage"; /* ours takes the name where Mono's own is not installed */
	char *path = monocle__module_file_find (layout, desc);
	bool is_alias = !path && strcspn (desc, ":") == strlen (alias) && strncmp (desc, alias, strlen (alias)) == 0;
	monocle__module_writes writes = MONOCLE__WRITES_MONOS;
	if (is_alias)
		path = monocle__module_file_find (layout, "cover");
	if (is_alias || !monocle__module_file_of_monos (desc))
		writes = path ? look_into (path) : MONOCLE__WRITES_UNKNOWN;
	free (path);
	return writes;
}

/* What follows the key, which has a zero before it, up to the next zero. NULL: it is not there. The caller frees. */
static char *
text_in (const char *path, const char *key, size_t key_size)
{
	char *text = NULL;
	contents file;
	if (contents_map (path, &file)) {
		const char *found = memmem (file.bytes, file.size, key, key_size);
		if (found) {
			found += key_size;
			text = monocle__format ("%.*s", (int) strnlen (found, (size_t) (file.bytes + file.size - found)), found);
		}
		munmap (file.bytes, file.size);
	}
	return text;
}

char *
monocle__module_file_when_empty (const monocle__layout *layout, const char *desc)
{
	static const char key[] = "\0monocle_kit_when_empty=";
	char *path = monocle__module_file_find (layout, desc);
	char *text = path ? text_in (path, key, sizeof key - 1) : NULL;
	free (path);
	return text;
}

char *
monocle__module_file_summary (const char *name, const char *path)
{
	static const char key[] = "\0monocle_kit_summary=";
	for (size_t i = 0; i < sizeof monos / sizeof *monos; i++) {
		if (strcmp (monos[i].name, name) == 0)
			return monocle__format ("%s", monos[i].summary);
	}
	char *text = text_in (path, key, sizeof key - 1);
	return text ? text : monocle__format ("%s", "");
}
