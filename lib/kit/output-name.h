/*
 * SPDX-License-Identifier: MIT
 *
 * output-name.h - what `output=` means, and opening it.
 */
#ifndef MONOCLE_KIT_OUTPUT_NAME_H
#define MONOCLE_KIT_OUTPUT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum monocle__output_kind {
	MONOCLE__OUTPUT_FILE,    /* a name the user gave: overwritten */
	MONOCLE__OUTPUT_NEW,     /* a default name, or one with %n: never overwritten */
	MONOCLE__OUTPUT_COMMAND, /* |CMD */
	MONOCLE__OUTPUT_FD,      /* #FD */
};

enum { MONOCLE__OUTPUT_MODE = 0600 }; /* of a file that was not there */

/* What the percent signs are replaced by. */
struct monocle__output_words {
	const char *program;
	const char *module;
	uint32_t pid;
	time_t time;
	const char *ending; /* of a default name: "pb.gz" */
};

/*
 * Expands `output` into `path`: absolute for files, the command or the number else. NULL is the default name in the
 * current folder; what ends with a slash is a folder, for the default name as well. 0 or -ENAMETOOLONG.
 */
int monocle__output_expand (const char *output, const struct monocle__output_words *words, char *path, size_t size,
                            enum monocle__output_kind *ret_kind);

/* This process, as monocle__cmdline_program () and monocle__cmdline_subject () name it. */
void monocle__program_name (char *name, size_t size);
void monocle__output_name_subject (char *name, size_t size);
/* The argument of this process that is a .dll or .exe, as it was given. False: there is none. */
bool monocle__program_path (char *path, size_t size);

/*
 * "DIR/NAME.calls.pb.gz", 2 -> "DIR/NAME-2.calls.pb.gz": a name for a NEW file whose own is taken. 0 or -ENAMETOOLONG.
 */
int monocle__output_number_name (const char *path, unsigned number, char *numbered, size_t size);
/* Every number up to this one is tried. */
enum { MONOCLE__OUTPUT_NUMBER_MOST = 100000 };
/* The descriptor that a #FD names, or -EBADF. */
int monocle__output_descriptor (const char *number);
/*
 * Starts `sh -c COMMAND`, without the variables that would have it profiled. Returns what to write to, or -errno: a
 * socket, because send (MSG_NOSIGNAL) raises no SIGPIPE when the command ends early. *ret_child: the process to give to
 * monocle__output_await () once that is closed.
 */
int monocle__output_spawn (const char *command, pid_t *ret_child);
void monocle__output_await (pid_t child);
/*
 * May `length` bytes be written from `begin` on? 0 or -EFBIG: a file larger than the limit would bring SIGXFSZ into a
 * program that never asked for it.
 */
int monocle__output_check_limit (uint64_t begin, size_t length);
/*
 * Opens what is there to write to it, or makes it with O_CREAT among the flags. Nothing is waited for: a pipe that
 * nobody reads is -ENXIO. -errno.
 */
int monocle__output_name_open (const char *path, int flags);
/* What is wrong with an output, in words; `error` is -errno. */
const char *monocle__output_name_problem (const char *path, int error);
/*
 * Writes all of it to a file, sends all of it to a command. 0 or -errno; -ETIMEDOUT: the reader of a pipe that was
 * opened without waiting reads no more. A reader that has gone raises no SIGPIPE.
 */
int monocle__output_write_all (int fd, const char *data, size_t length);
int monocle__output_send (int fd, const char *data, size_t length);

/*
 * Writes `data` where `path` and `kind` say. A regular file appears whole or not at all. `path` holds `size` bytes; a
 * NEW name that is taken meanwhile gets a number, and `path` then holds what was written. 0 or -errno.
 */
int monocle__output_write (char *path, size_t size, enum monocle__output_kind kind, const void *data, size_t length);

#endif
