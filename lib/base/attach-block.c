/*
 * SPDX-License-Identifier: MIT
 *
 * attach-block.c - see attach-block.h. Nothing that comes in is trusted.
 */
#include "attach-block.h"

#include <errno.h>
#include <string.h>

enum { VERSION = 1, HEADER = 16 };

static const char magic[4] = { 'M', 'N', 'C', 'L' };

static void
put_u32 (uint8_t *at, uint32_t number)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t) (number >> 8 * i);
}

static uint32_t
get_u32 (const uint8_t *at)
{
	return (uint32_t) at[0] | (uint32_t) at[1] << 8 | (uint32_t) at[2] << 16 | (uint32_t) at[3] << 24;
}

size_t
monocle__attach_block_write (const monocle__attach_block *block, void *bytes, size_t room)
{
	uint8_t *at = bytes;
	size_t used = HEADER;
	if (room < HEADER || block->count > MONOCLE__ATTACH_BLOCK_TEXTS)
		return 0;
	memcpy (at, magic, sizeof magic);
	put_u32 (at + 4, VERSION);
	put_u32 (at + 8, block->milliseconds);
	put_u32 (at + 12, block->count);
	for (uint32_t i = 0; i < block->count; i++) {
		size_t size = strlen (block->texts[i]) + 1;
		if (size > room - used)
			return 0;
		memcpy (at + used, block->texts[i], size);
		used += size;
	}
	return used;
}

int
monocle__attach_block_read (monocle__attach_block *ret_block, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	monocle__attach_block block = { .milliseconds = 0 };
	size_t used = HEADER;
	if (!bytes || size < HEADER || size > MONOCLE__ATTACH_BLOCK_MOST || memcmp (at, magic, sizeof magic))
		return -EINVAL;
	if (get_u32 (at + 4) != VERSION)
		return -EPROTO;
	block.milliseconds = get_u32 (at + 8);
	block.count = get_u32 (at + 12);
	if (block.count > MONOCLE__ATTACH_BLOCK_TEXTS)
		return -EINVAL;
	for (uint32_t i = 0; i < block.count; i++) {
		const char *text = (const char *) at + used, *end = memchr (text, 0, size - used);
		if (!end || !memchr (text, '=', (size_t) (end - text)))
			return -EINVAL;
		block.texts[i] = text;
		used += (size_t) (end - text) + 1;
	}
	if (used != size)
		return -EINVAL;
	*ret_block = block;
	return 0;
}

const char *
monocle__attach_block_find (const monocle__attach_block *block, const char *name)
{
	size_t length = strlen (name);
	for (uint32_t i = 0; i < block->count; i++)
		if (!strncmp (block->texts[i], name, length) && block->texts[i][length] == '=')
			return block->texts[i] + length + 1;
	return NULL;
}
