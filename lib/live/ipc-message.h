/*
 * SPDX-License-Identifier: MIT
 *
 * ipc-message.h - messages of the diagnostics protocol as bytes (DOTNET_IPC_V1).
 *
 * Twenty bytes come first: the magic with its NUL, the size of all of it (16 bits), a set of commands, a command, and
 * 16 bits that are 0. Numbers have their lowest byte first. A string is its count of UTF-16 units with the NUL, then
 * those.
 */
#ifndef MONOCLE_LIVE_IPC_MESSAGE_H
#define MONOCLE_LIVE_IPC_MESSAGE_H

#include "bytes.h"

enum {
	MONOCLE__LIVE_IPC_HEADER = 20,
	MONOCLE__LIVE_IPC_MOST = 0xffff,

	MONOCLE__LIVE_IPC_EVENT_PIPE = 2, /* sets */
	MONOCLE__LIVE_IPC_PROFILER = 3,
	MONOCLE__LIVE_IPC_PROCESS = 4,
	MONOCLE__LIVE_IPC_SERVER = 0xff,

	MONOCLE__LIVE_IPC_STOP_TRACING = 1, /* commands of EventPipe */
	MONOCLE__LIVE_IPC_COLLECT_TRACING_2 = 3,
	MONOCLE__LIVE_IPC_COLLECT_TRACING_3 = 4, /* .NET 9 */
	MONOCLE__LIVE_IPC_ATTACH = 1,            /* of the profiler */
	MONOCLE__LIVE_IPC_INFO_2 = 4,
	MONOCLE__LIVE_IPC_OK = 0, /* of the server */
	MONOCLE__LIVE_IPC_ERROR = 0xff,
};

/* A message that grows. What does not fit marks it as too long, and nothing more is added. */
typedef struct {
	uint8_t bytes[MONOCLE__LIVE_IPC_MOST];
	size_t size;
	bool is_too_long;
} monocle__live_ipc_message;

void monocle__live_ipc_message_begin (monocle__live_ipc_message *message, uint8_t set, uint8_t command);
void monocle__live_ipc_message_bytes (monocle__live_ipc_message *message, const void *bytes, size_t size);
void monocle__live_ipc_message_u32 (monocle__live_ipc_message *message, uint32_t number);
void monocle__live_ipc_message_u64 (monocle__live_ipc_message *message, uint64_t number);
/* UTF-8; NULL is a string without a unit. */
void monocle__live_ipc_message_text (monocle__live_ipc_message *message, const char *text);
/* Writes the size into the header. False: it was too long. */
bool monocle__live_ipc_message_end (monocle__live_ipc_message *message);

typedef enum {
	MONOCLE__LIVE_REPLY_PART, /* more bytes are needed */
	MONOCLE__LIVE_REPLY_OK,
	MONOCLE__LIVE_REPLY_ERROR, /* the runtime's HRESULT */
	MONOCLE__LIVE_REPLY_NONSENSE,
} monocle__live_reply_kind;

typedef struct {
	monocle__live_reply_kind kind;
	monocle__span payload; /* OK: what follows the header, borrowed */
	size_t size;           /* with the header */
	int32_t hresult;
} monocle__live_reply;

/* Looks at the bytes that have come so far. */
monocle__live_reply monocle__live_ipc_message_reply (const uint8_t *bytes, size_t size);

/* Takes a string off the front of `rest` into the buffer, as UTF-8 that is fit to be printed. */
bool monocle__live_ipc_message_take_text (monocle__span *rest, char *buffer, size_t size);

/* The answer to a command that the runtime does not know. */
#define MONOCLE__LIVE_IPC_UNKNOWN_COMMAND 0x80131385

/* What a code means: the end of a sentence, or NULL when it is none of those that are known. */
const char *monocle__live_ipc_message_hresult (int32_t hresult);

#endif
