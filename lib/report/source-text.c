/*
 * SPDX-License-Identifier: MIT
 *
 * source-text.c - reads sources. Their names come from a file that anybody may have made, so that only regular files
 * are read, and nothing is waited for.
 */
#include "source-text.h"

#include "digest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static bool
is_changed (const monocle__coverage_file *file, const monocle__source_text *text)
{
	uint8_t digest[32];
	switch (file->hash_size) {
	case 16: monocle__digest_md5 (text->bytes, text->size, digest); break;
	case 20: monocle__digest_sha1 (text->bytes, text->size, digest); break;
	case 32: monocle__digest_sha256 (text->bytes, text->size, digest); break;
	default: return false;
	}
	return memcmp (digest, file->hash, file->hash_size) != 0;
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
