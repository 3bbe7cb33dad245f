/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_new.c - `monocle new`: a module to begin with, which builds, and a test that runs it.
 *
 * What is written is examples/tally with another name: the tests build that and run it, so it works. A project goes
 * into a folder that was not there before, and one that cannot be written to the end is taken away again.
 */
#include "command/output.h"
#include "command/shell-word.h"
#include "commands.h"
#include "module/layout.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h> /* optind */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_MAX_LENGTH = 40 };

typedef struct {
	size_t language; /* index into languages[] */
} arguments;

static const struct {
	const char *name;
	bool has_headers; /* the first step looks for ours */
	const char *build, *test;
} languages[] = {
#define LANGUAGE(name, has_headers, build, test) { name, has_headers, build, test },
#include "languages.def"
#undef LANGUAGE
};

/* `language` is "" for what all have. The name of the module goes where the sign \1 is. */
typedef struct {
	const char *language, *path;
	bool executable;
	const char *text;
} template_row;

static const template_row templates[] = {
#define TEMPLATE(language, path, executable, text) { language, path, executable, text },
#include "templates.def"
#undef TEMPLATE
};
enum { TEMPLATES = sizeof templates / sizeof *templates };

static monocle__choice
choice (size_t index)
{
	return (monocle__choice) { index < sizeof languages / sizeof *languages ? languages[index].name : NULL, NULL };
}

/* Replaces every `sign` in a text, which is freed. */
static char *
replace (char *text, const char *sign, const char *by)
{
	char *found, *result = monocle__format ("%s", ""), *rest = text;
	for (; (found = strstr (rest, sign)); rest = found + strlen (sign)) {
		char *longer = monocle__format ("%s%.*s%s", result, (int) (found - rest), rest, by);
		free (result);
		result = longer;
	}
	found = monocle__format ("%s%s", result, rest);
	free (result);
	free (text);
	return found;
}

/* --- the name ----------------------------------------------------------------------------------------------------- */

/* It becomes a part of a C function, of file names and of --profile=. */
static bool
is_name (const char *name)
{
	size_t length = strlen (name);
	bool good = length > 0 && length <= NAME_MAX_LENGTH && isascii (*name) && isalpha ((unsigned char) *name);
	for (; good && *name; name++)
		good = isascii (*name) && (isalnum ((unsigned char) *name) || *name == '_');
	return good;
}

typedef struct {
	const char *name;
	bool is_there;
} search;

static void
compare_module (const char *name, const char *path, void *context)
{
	search *wanted = context;
	wanted->is_there |= strcmp (name, wanted->name) == 0;
}

/* Would the module hide one of Mono's or ours, or be hidden? */
static bool
is_taken (const char *name, const monocle__layout *layout)
{
	static const char *const monos[] = { "aot", "coverage", "log", "monocle" };
	search wanted = { name, false };
	for (const char *folder = layout->module_path; *folder;) {
		size_t length = strcspn (folder, ":");
		char *path = monocle__format ("%.*s", (int) length, folder);
		monocle__layout_each_module (path, compare_module, &wanted);
		free (path);
		folder += length + (folder[length] == ':');
	}
	for (size_t i = 0; i < sizeof monos / sizeof *monos; i++)
		wanted.is_there |= strcmp (name, monos[i]) == 0;
	return wanted.is_there;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

typedef struct {
	const char *name, *language;
	char *made[TEMPLATES]; /* the files that were written */
	size_t made_count;
} project;

static bool
is_part (const project *new, const template_row *row)
{
	return !*row->language || strcmp (row->language, new->language) == 0;
}

static bool
write_all (int fd, const char *text)
{
	for (size_t left = strlen (text); left > 0;) {
		ssize_t written = write (fd, text, left);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		text += written;
		left -= (size_t) written;
	}
	return true;
}

/* The folder of a file, when it is not the project's own. */
static bool
make_folder (char *path)
{
	char *slash = strrchr (path, '/');
	bool good;
	*slash = '\0';
	good = mkdir (path, 0777) == 0 || errno == EEXIST;
	*slash = '/';
	return good;
}

static bool
write_file (project *new, const template_row *row)
{
	char *path = replace (monocle__format ("%s/%s", new->name, row->path), "\1", new->name);
	char *text = replace (monocle__format ("%s", row->text), "\1", new->name);
	int fd =
	    make_folder (path) ? open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, row->executable ? 0777 : 0666) : -1;
	bool good = fd >= 0 && write_all (fd, text);
	if (fd >= 0) {
		new->made[new->made_count++] = path;
		good &= close (fd) == 0;
	}
	if (!good)
		monocle__say ("%s: %s", path, strerror (errno));
	if (fd < 0)
		free (path);
	free (text);
	return good;
}

/* Only what this command made: a folder that holds anything else stays. */
static void
take_away (project *new)
{
	for (size_t i = new->made_count; i-- > 0;) {
		char *slash = strrchr (new->made[i], '/');
		unlink (new->made[i]);
		*slash = '\0';
		rmdir (new->made[i]);
	}
	rmdir (new->name);
}

static bool
write_project (project *new)
{
	if (mkdir (new->name, 0777) != 0) {
		if (errno == EEXIST)
			monocle__say ("%s is there already, and nothing in it was changed", new->name);
		else
			monocle__say ("%s: %s", new->name, strerror (errno));
		return false;
	}
	for (const template_row *row = templates; row < templates + TEMPLATES; row++) {
		if (is_part (new, row) && !write_file (new, row)) {
			take_away (new);
			return false;
		}
	}
	return true;
}

/* --- what to do next ---------------------------------------------------------------------------------------------- */

/* Does one of the folders, which colons separate, satisfy? */
static bool
any_folder (const char *folders, bool (*satisfies) (const char *folder, const char *wanted), const char *wanted)
{
	bool found = false;
	while (folders && *folders && !found) {
		size_t length = strcspn (folders, ":");
		char *folder = monocle__format ("%.*s", (int) length, folders);
		found = satisfies (folder, wanted);
		free (folder);
		folders += length + (folders[length] == ':');
	}
	return found;
}

static bool
is_same (const char *folder, const char *wanted)
{
	char *real = realpath (folder, NULL);
	bool same = real && strcmp (real, wanted) == 0;
	free (real);
	return same;
}

static bool
has_program (const char *folder, const char *program)
{
	char *path = monocle__format ("%s/monocle", folder);
	bool same = is_same (path, program);
	free (path);
	return same;
}

/* "PKG_CONFIG_PATH=FOLDER ", or "" where pkg-config looks there anyway. */
static char *
headers_variable (const monocle__layout *layout)
{
	const char *folder = layout->pkgconfig;
	char *quoted, *variable;
	if (!folder || strncmp (folder, "/usr/", 5) == 0 || any_folder (getenv ("PKG_CONFIG_PATH"), is_same, folder))
		return monocle__format ("%s", "");
	quoted = monocle__shell_word (folder);
	variable = monocle__format ("PKG_CONFIG_PATH=%s ", quoted);
	free (quoted);
	return variable;
}

/* "MONOCLE=FILE ", or "" where the shell finds this program by its name. */
static char *
program_variable (void)
{
	char *program = realpath ("/proc/self/exe", NULL), *quoted, *variable;
	if (!program || any_folder (getenv ("PATH"), has_program, program)) {
		free (program);
		return monocle__format ("%s", "");
	}
	quoted = monocle__shell_word (program);
	variable = monocle__format ("MONOCLE=%s ", quoted);
	free (quoted);
	free (program);
	return variable;
}

static void
print_step (char *variable, const char *step, const char *name)
{
	char *line = replace (monocle__format ("%s", step), "NAME", name);
	monocle__print_line ("  %s%s", variable, line);
	free (line);
	free (variable);
}

static int
create (const char *name, size_t language, const monocle__layout *layout)
{
	project new = { .name = name, .language = languages[language].name };
	bool good = write_project (&new);
	for (size_t i = 0; i < new.made_count; i++) {
		if (good)
			monocle__print_line ("%s", new.made[i]);
		free (new.made[i]);
	}
	if (!good)
		return MONOCLE__EXIT_FAILED;
	puts ("\nBuild it, then test it on the runtimes that are here:");
	print_step (languages[language].has_headers ? headers_variable (layout) : monocle__format ("%s", ""),
	            languages[language].build, name);
	print_step (program_variable (), languages[language].test, name);
	return monocle__output_finish (stdout, NULL);
}

static int
run (int argc, char **argv)
{
	arguments args = { 0 };
	monocle__layout layout;
	const char *name;
	int code;
	monocle__output_begin ();
	if (!monocle__options_read (&monocle__command_new, argc, argv, &args, &code))
		return code;
	if (argc - optind != 1)
		return monocle__usage_error (&monocle__command_new, "new takes one NAME");
	name = argv[optind];
	if (!is_name (name))
		return monocle__usage_error (
		    &monocle__command_new,
		    "'%.80s' cannot be a module's name: letters, digits and _, at most %d, a letter first", name,
		    NAME_MAX_LENGTH);
	monocle__layout_find (&layout);
	if (is_taken (name, &layout))
		code = monocle__usage_error (&monocle__command_new, "there is a module %s already", name);
	else
		code = create (name, args.language, &layout);
	monocle__layout_done (&layout);
	return code;
}

/* clang-format off */
static const monocle__option options[] = {
	{ "lang", 0, MONOCLE__OPTION_CHOICE, offsetof (arguments, language), NULL,
	  "the language (default: c). C# is compiled ahead of time, Rust needs no crates",
	  .choice = choice },
	{ 0 },
};
/* clang-format on */

const monocle__command monocle__command_new = {
	.name = "new",
	.summary = "begin a module of your own",
	.operands = "NAME",
	.options = options,
	.about = "Makes the folder NAME with a module that builds as it is: it counts the calls of the program's methods "
	         "and its\n"
	         "assemblies. There is a README, a build file, and a test that runs the module on Mono and on .NET. A "
	         "folder that\n"
	         "is there already is never touched. doc/languages.md says what each language is good for.\n",
	.examples = "  monocle new tally\n"
	            "  monocle new tally --lang=rust\n",
	.run = run,
};
