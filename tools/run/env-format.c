/*
 * SPDX-License-Identifier: MIT
 *
 * env-format.c - see env-format.h.
 *
 * A value may hold anything that a user has put into a variable or an option, and is read by a program that takes some
 * signs for orders: each is spelled so that the reader has the value back, byte for byte. What a format has no spelling
 * for is refused.
 */
#include "env-format.h"

#include "utf8.h"

#include <string.h>

static const char *
spell_by_backslash (uint32_t code, char spelled[16])
{
	spelled[0] = '\\';
	spelled[1] = (char) code;
	spelled[2] = '\0';
	return spelled;
}

/* POSIX: nothing is special between single quotes but the next one. */
static const char *
spell_shell (uint32_t code, char spelled[16])
{
	return code == '\'' ? "'\\''" : NULL;
}

/* systemd.syntax(7): escapes of C between quotes; what they make is searched for specifiers. */
static const char *
spell_systemd (uint32_t code, char spelled[16])
{
	if (code == '%')
		return "%%";
	if (code == '"' || code == '\\')
		return spell_by_backslash (code, spelled);
	if (!monocle__utf8_is_unsafe (code))
		return NULL;
	snprintf (spelled, 16, code < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned) code);
	return spelled;
}

/* Between double quotes the escape character keeps three signs from being special, and does nothing else. */
static const char *
spell_docker (uint32_t code, char spelled[16])
{
	return code == '"' || code == '\\' || code == '$' ? spell_by_backslash (code, spelled) : NULL;
}

/* YAML 1.2, 5.7 and 7.3.1. Both readers replace variables afterwards, and take two dollars for one. */
static const char *
spell_yaml (uint32_t code, char spelled[16])
{
	if (code == '$')
		return "$$";
	if (code == '"' || code == '\\')
		return spell_by_backslash (code, spelled);
	if (!monocle__utf8_is_unsafe (code) && code != 0xfeff && monocle__utf8_is_xml (code))
		return NULL;
	snprintf (spelled, 16, code < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned) code);
	return spelled;
}

#define IMAGE_ADVICE "%s must be a volume that the program's user may write to"

/* clang-format off */
static const monocle__env_format formats[] = {
	{ .name = "shell", .before = "export ", .equals = "='", .after = "'", .spell = spell_shell, .refused = "",
	  .is_script = true },
	{ .name = "systemd", .begin = "[Service]", .before = "Environment=\"", .equals = "=", .after = "\"",
	  .spell = spell_systemd, .refused = "", .is_utf8 = true, .base = "/var/lib/", .maker = "StateDirectory=",
	  .advice = "%s must be there, and the service's user must be able to write to it (ReadWritePaths= may be needed)" },
	{ .name = "docker", .before = "ENV ", .equals = "=\"", .after = "\"", .spell = spell_docker, .refused = "\n\r",
	  .is_utf8 = true, .advice = IMAGE_ADVICE },
	{ .name = "compose", .begin = "environment:", .before = "  ", .equals = ": \"", .after = "\"",
	  .spell = spell_yaml, .refused = "", .is_utf8 = true, .advice = IMAGE_ADVICE },
	{ .name = "kubernetes", .begin = "env:", .before = "- name: ", .equals = "\n  value: \"", .after = "\"",
	  .spell = spell_yaml, .refused = "", .is_utf8 = true, .advice = IMAGE_ADVICE },
};
/* clang-format on */

enum { COUNT = sizeof formats / sizeof *formats };

monocle__choice
monocle__env_format_choice (size_t index)
{
	return (monocle__choice) { index < COUNT ? formats[index].name : NULL, NULL };
}

const monocle__env_format *
monocle__env_format_get (size_t index)
{
	return &formats[index];
}

const char *
monocle__env_format_refuse (const monocle__env_format *format, const char *value)
{
	if (value[strcspn (value, format->refused)] != '\0')
		return "holds a line feed or a carriage return";
	if (format->is_utf8 && monocle__utf8_valid (value, strlen (value)) != strlen (value))
		return "is not UTF-8";
	return NULL;
}

void
monocle__env_format_write (FILE *out, const monocle__env_format *format, const char *name, const char *value)
{
	size_t length = strlen (value), step;
	fprintf (out, "%s%s%s", format->before, name, format->equals);
	for (size_t at = 0; at < length; at += step) {
		char spelled[16];
		uint32_t code;
		step = monocle__utf8_decode (value + at, length - at, &code);
		const char *spelling = format->spell (code, spelled);
		if (spelling)
			fputs (spelling, out);
		else
			fwrite (value + at, 1, step, out);
	}
	fprintf (out, "%s\n", format->after);
}

/* Words that need no quotes and name nothing above them. */
static bool
is_plain (const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
	return *path && *path != '/' && path[strspn (path, plain)] == '\0' && !strstr (path, "..") &&
	       !strstr (path, "//") && !strstr (path, "./");
}

bool
monocle__env_format_make_folder (FILE *out, const monocle__env_format *format, const char *folder)
{
	size_t length = format->base ? strlen (format->base) : 0;
	if (!format->base || strncmp (folder, format->base, length) != 0 || !is_plain (folder + length))
		return false;
	fprintf (out, "%s%s\n", format->maker, folder + length);
	return true;
}
