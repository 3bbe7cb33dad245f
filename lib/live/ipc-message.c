/*
 * SPDX-License-Identifier: MIT
 *
 * ipc-message.c - see ipc-message.h. Nothing that came from the other side is trusted.
 */
#include "ipc-message.h"

#include "attach-block.h"
#include "live-text.h"
#include "utf8.h"

#include <string.h>

static const char magic[14] = "DOTNET_IPC_V1";

enum { SIZE_AT = 14, SET_AT = 16, COMMAND_AT = 17 };

/* --- writing ------------------------------------------------------------------------------------------------------ */

void
monocle__live_ipc_message_begin (monocle__live_ipc_message *message, uint8_t set, uint8_t command)
{
	memset (message->bytes, 0, MONOCLE__LIVE_IPC_HEADER);
	memcpy (message->bytes, magic, sizeof magic);
	message->bytes[SET_AT] = set;
	message->bytes[COMMAND_AT] = command;
	message->size = MONOCLE__LIVE_IPC_HEADER;
	message->is_too_long = false;
}

void
monocle__live_ipc_message_bytes (monocle__live_ipc_message *message, const void *bytes, size_t size)
{
	if (message->is_too_long || size > sizeof message->bytes - message->size) {
		message->is_too_long = true;
		return;
	}
	if (size)
		memcpy (message->bytes + message->size, bytes, size);
	message->size += size;
}

void
monocle__live_ipc_message_u32 (monocle__live_ipc_message *message, uint32_t number)
{
	uint8_t bytes[4];
	monocle__put_le32 (bytes, number);
	monocle__live_ipc_message_bytes (message, bytes, sizeof bytes);
}

void
monocle__live_ipc_message_u64 (monocle__live_ipc_message *message, uint64_t number)
{
	uint8_t bytes[8];
	monocle__put_le64 (bytes, number);
	monocle__live_ipc_message_bytes (message, bytes, sizeof bytes);
}

static void
put_unit (monocle__live_ipc_message *message, uint32_t unit)
{
	uint8_t bytes[2];
	monocle__put_le16 (bytes, (uint16_t) unit);
	monocle__live_ipc_message_bytes (message, bytes, sizeof bytes);
}

/* The count is written when it is known: it stands before the units. */
void
monocle__live_ipc_message_text (monocle__live_ipc_message *message, const char *text)
{
	size_t count_at = message->size, length = text ? strlen (text) : 0;
	monocle__live_ipc_message_u32 (message, 0);
	for (size_t i = 0; i < length;) {
		uint32_t code;
		i += monocle__utf8_decode (text + i, length - i, &code);
		if (code > 0xffff)
			put_unit (message, 0xd800 + ((code - 0x10000) >> 10));
		put_unit (message, code > 0xffff ? 0xdc00 + ((code - 0x10000) & 0x3ff) : code);
	}
	if (text)
		put_unit (message, 0);
	if (!message->is_too_long)
		monocle__put_le32 (message->bytes + count_at, (uint32_t) ((message->size - count_at - 4) / 2));
}

bool
monocle__live_ipc_message_end (monocle__live_ipc_message *message)
{
	monocle__put_le16 (message->bytes + SIZE_AT, (uint16_t) message->size);
	return !message->is_too_long;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* What has come is compared at once, so that one who speaks another language is not waited for. */
monocle__live_reply
monocle__live_ipc_message_reply (const uint8_t *bytes, size_t size)
{
	monocle__live_reply reply = { .kind = MONOCLE__LIVE_REPLY_NONSENSE };
	if (memcmp (bytes, magic, size < sizeof magic ? size : sizeof magic) != 0)
		return reply;
	if (size < MONOCLE__LIVE_IPC_HEADER) {
		reply.kind = MONOCLE__LIVE_REPLY_PART;
		return reply;
	}
	reply.size = monocle__le16 (bytes + SIZE_AT);
	if (reply.size < MONOCLE__LIVE_IPC_HEADER || bytes[SET_AT] != MONOCLE__LIVE_IPC_SERVER ||
	    (bytes[COMMAND_AT] != MONOCLE__LIVE_IPC_OK && bytes[COMMAND_AT] != MONOCLE__LIVE_IPC_ERROR))
		return reply;
	reply.payload = (monocle__span) { bytes + MONOCLE__LIVE_IPC_HEADER, reply.size - MONOCLE__LIVE_IPC_HEADER };
	if (size < reply.size) {
		reply.kind = MONOCLE__LIVE_REPLY_PART;
	} else if (bytes[COMMAND_AT] == MONOCLE__LIVE_IPC_OK) {
		reply.kind = MONOCLE__LIVE_REPLY_OK;
	} else if (reply.payload.size >= 4) {
		reply.kind = MONOCLE__LIVE_REPLY_ERROR;
		reply.hresult = (int32_t) monocle__le32 (reply.payload.data);
	}
	return reply;
}

bool
monocle__live_ipc_message_take_text (monocle__span *rest, char *buffer, size_t size)
{
	monocle__span units;
	uint32_t count = rest->size >= 4 ? monocle__le32 (rest->data) : 0;
	if (rest->size < 4 || !monocle__span_part (*rest, 4, (uint64_t) count * 2, &units))
		return false;
	monocle__live_text (units.data, count, buffer, size);
	return monocle__span_rest (*rest, 4 + (uint64_t) count * 2, rest);
}

/* --- codes -------------------------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
	uint32_t hresult;
	const char *words;
} answers[] = {
	{ 0x8013135b, "has not started far enough" },
	{ 0x80131368, "refused the profiler: it cannot be attached" },
	{ 0x8013136a, "has a profiler already" },
	{ 0x8013136f, "refused what the profiler asks for: it is not to be had once a program runs" },
	{ 0x80131371, "has not started far enough" },
	{ 0x80131375, "was told by the profiler to do without it" },
	{ 0x80131376, "collects in the background: collections cannot be followed" },
	{ 0x80131379, "was busy with a background collection for too long" },
	{ 0x80131384, "did not understand the question" },
	{ MONOCLE__LIVE_IPC_UNKNOWN_COMMAND, "does not know this question: its runtime is too old, or has no such part" },
	{ 0x80131386, "speaks another version of the protocol" },
	{ 0x80131387, "failed to answer, and does not say why" },
	{ 0x80070002, "cannot find the library" },
	{ 0x8007007e, "cannot load the library" },
	{ 0x80070005, "was refused access to the library" },
	{ 0x80004005, "failed, and does not say why" },
	{ 0x8007000e, "has no memory left" },
	{ MONOCLE__ATTACH_BLOCK_VERSION, "was given a library of another version than this command" },
	{ MONOCLE__ATTACH_BLOCK_NONE, "did not hand on what the library was given" },
	{ MONOCLE__ATTACH_BLOCK_PRIVILEGED, "has rights that are not its user's: nothing is loaded there" },
};
/* clang-format on */

const char *
monocle__live_ipc_message_hresult (int32_t hresult)
{
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
		if (answers[i].hresult == (uint32_t) hresult)
			return answers[i].words;
	}
	return NULL;
}
