/*
 * SPDX-License-Identifier: MIT
 *
 * attach-block.h - what `monocle attach` hands to the adapter in the attached process, as the runtime passes it on.
 * In a process that stands by the same comes over its control socket, as words (control-words.h).
 *
 *      4 bytes   "MNCL"
 *      4 bytes   the version of what follows, 1; lowest byte first, as all numbers
 *      4 bytes   milliseconds until the adapter leaves by itself; 0: it waits for the file "stop"
 *      4 bytes   how many texts follow
 *      texts     NAME=VALUE, each with its NUL: what Monocle finds there instead of its variables
 *
 * The two may be of different releases: a block of another version is refused as a whole.
 */
#ifndef MONOCLE_BASE_ATTACH_BLOCK_H
#define MONOCLE_BASE_ATTACH_BLOCK_H

#include <stddef.h>
#include <stdint.h>

enum {
	MONOCLE__ATTACH_BLOCK_MOST = 32 << 10, /* bytes */
	MONOCLE__ATTACH_BLOCK_TEXTS = 32,
};

/* In the folder of the run: who asks the adapter to leave before its time makes this file. */
#define MONOCLE__ATTACH_BLOCK_STOP "stop"
/* There, too: what is said in the process, since its stderr is its own. */
#define MONOCLE__ATTACH_BLOCK_LOG "log"
/* Failures that the runtime hands on as they are, for who has no folder to say them in. HRESULTs of no other. */
#define MONOCLE__ATTACH_BLOCK_VERSION    0xA0040C01u /* it is of another version of Monocle */
#define MONOCLE__ATTACH_BLOCK_NONE       0xA0040C02u /* it is no such block */
#define MONOCLE__ATTACH_BLOCK_PRIVILEGED 0xA0040C03u /* the program has rights that are not its user's */
/* The thread that waits for the end of an attach has this name. */
#define MONOCLE__ATTACH_BLOCK_THREAD "monocle-attach"

typedef struct {
	uint32_t milliseconds;
	uint32_t count;
	const char *texts[MONOCLE__ATTACH_BLOCK_TEXTS + 1]; /* NULL after the last; of the block, or the caller's */
} monocle__attach_block;

/* The size that was written, or 0: it does not fit. */
size_t monocle__attach_block_write (const monocle__attach_block *block, void *bytes, size_t room);
/* 0; -EPROTO: it is of another version; -EINVAL: it is no such block, or not a whole one. `bytes` is referred to. */
int monocle__attach_block_read (monocle__attach_block *ret_block, const void *bytes, size_t size);
/* The value of the text that begins with `name` and an equals sign, or NULL. */
const char *monocle__attach_block_find (const monocle__attach_block *block, const char *name);

#endif
