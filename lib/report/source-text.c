/*
 * SPDX-License-Identifier: MIT
 *
 * source-text.c - reads sources. Their names come from a file that anybody may have made, so that only regular files
 * are read, and nothing is waited for.
 */
#include "source-text.h"

#include "digest.h"
#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TAB = 4 };

static monocle__source_text_state
refuse (monocle__source_text *ret_text, const char *why)
{
	ret_text->why = why;
	return MONOCLE__SOURCE_TEXT_REFUSED;
}

/* As many bytes as there are, at most `size`. -1 with errno. */
static ssize_t
read_all (int fd, uint8_t *bytes, size_t size)
{
	size_t done = 0;
	while (done < size) {
		ssize_t got = read (fd, bytes + done, size - done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t) got;
	}
	return (ssize_t) done;
}

static monocle__source_text_state
read_descriptor (int fd, monocle__source_text *ret_text)
{
	struct stat status;
	ssize_t got;
	if (fstat (fd, &status) != 0)
		return refuse (ret_text, strerror (errno));
	if (!S_ISREG (status.st_mode))
		return refuse (ret_text, "it is not a regular file");
	if (status.st_size > MONOCLE__SOURCE_TEXT_MAX)
		return refuse (ret_text, "it is larger than 8 MiB");
	ret_text->bytes = malloc ((size_t) status.st_size + 1);
	if (!ret_text->bytes)
		return MONOCLE__SOURCE_TEXT_MEMORY;
	got = read_all (fd, ret_text->bytes, (size_t) status.st_size);
	if (got >= 0) {
		ret_text->size = (size_t) got;
		return MONOCLE__SOURCE_TEXT_SAME;
	}
	refuse (ret_text, strerror (errno));
	free (ret_text->bytes);
	ret_text->bytes = NULL;
	return MONOCLE__SOURCE_TEXT_REFUSED;
}

/* --- is it the one? ----------------------------------------------------------------------------------------------- */

static bool
has_hash (const monocle__coverage_file *file, const void *bytes, size_t size)
{
	uint8_t digest[32];
	switch (file->hash_size) {
	case 16: monocle__digest_md5 (bytes, size, digest); break;
	case 20: monocle__digest_sha1 (bytes, size, digest); break;
	case 32: monocle__digest_sha256 (bytes, size, digest); break;
	default: return true;
	}
	return memcmp (digest, file->hash, file->hash_size) == 0;
}

/* The text with all its line ends as \n, or as \r\n. NULL: out of memory. The caller frees. */
static char *
with_line_ends (const monocle__source_text *text, bool both, size_t *ret_size)
{
	char *other = malloc (2 * text->size + 1), *to = other;
	for (size_t i = 0; other && i < text->size; i++) {
		if (text->bytes[i] == '\r' && i + 1 < text->size && text->bytes[i + 1] == '\n')
			continue;
		if (text->bytes[i] == '\n' && both)
			*to++ = '\r';
		*to++ = (char) text->bytes[i];
	}
	*ret_size = other ? (size_t) (to - other) : 0;
	return other;
}

/* Version control may have changed line ends since, which moves no line. Without memory for that it is another text. */
static bool
is_changed (const monocle__coverage_file *file, const monocle__source_text *text)
{
	static const uint8_t none[sizeof file->hash];
	bool is_same = memcmp (file->hash, none, sizeof none) == 0 || has_hash (file, text->bytes, text->size);
	for (int both = 0; !is_same && both < 2; both++) {
		size_t size;
		char *other = with_line_ends (text, both, &size);
		is_same = other && has_hash (file, other, size);
		free (other);
	}
	return !is_same;
}

monocle__source_text_state
monocle__source_text_read (const monocle__coverage_file *file, monocle__source_text *ret_text)
{
	monocle__source_text_state state;
	int fd;
	*ret_text = (monocle__source_text) { 0 };
	if (!file->local)
		return MONOCLE__SOURCE_TEXT_MISSING;
	fd = open (file->local, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return errno == ENOENT ? MONOCLE__SOURCE_TEXT_MISSING : refuse (ret_text, strerror (errno));
	state = read_descriptor (fd, ret_text);
	close (fd);
	return state == MONOCLE__SOURCE_TEXT_SAME && is_changed (file, ret_text) ? MONOCLE__SOURCE_TEXT_CHANGED : state;
}

/* --- its lines ---------------------------------------------------------------------------------------------------- */

monocle__source_rest
monocle__source_text_lines (const monocle__source_text *text)
{
	monocle__source_rest rest = { (const char *) text->bytes, text->size };
	if (rest.size >= 3 && memcmp (rest.at, "\xef\xbb\xbf", 3) == 0)
		rest = (monocle__source_rest) { rest.at + 3, rest.size - 3 };
	return rest;
}

bool
monocle__source_text_try_next (monocle__source_rest *source, const char **ret_line, size_t *ret_length)
{
	const char *end;
	size_t length;
	if (source->size == 0)
		return false;
	end = memchr (source->at, '\n', source->size);
	length = end ? (size_t) (end - source->at) : source->size;
	*ret_line = source->at;
	*ret_length = length > 0 && source->at[length - 1] == '\r' ? length - 1 : length;
	length += end != NULL;
	source->at += length;
	source->size -= length;
	return true;
}

void
monocle__source_text_print (FILE *out, const char *text, size_t length)
{
	size_t column = 0;
	uint32_t code;
	while (length > 0) {
		size_t size = monocle__utf8_decode (text, length, &code);
		if (code == '\t') {
			size_t blanks = TAB - column % TAB;
			fprintf (out, "%*s", (int) blanks, "");
			column += blanks - 1;
		} else if (monocle__utf8_is_unsafe (code)) {
			putc ('?', out);
		} else if (code == MONOCLE__UTF8_INVALID) {
			fputs ("\xef\xbf\xbd", out);
		} else {
			fwrite (text, 1, size, out);
		}
		column++;
		text += size;
		length -= size;
	}
	putc ('\n', out);
}
