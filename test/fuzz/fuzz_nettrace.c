/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_nettrace.c - any bytes as what a runtime answers: first as messages of the diagnostics protocol, then as a
 * stream of events, in pieces whose size the first byte says.
 */
#include "figures.h"
#include "ipc-message.h"
#include "nettrace.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size);

static void
read_message (const uint8_t *bytes, size_t size)
{
	monocle__live_reply reply = monocle__live_ipc_message_reply (bytes, size);
	char text[16];
	if (reply.kind == MONOCLE__LIVE_REPLY_OK && reply.payload.size > size)
		abort ();
	while (reply.kind == MONOCLE__LIVE_REPLY_OK &&
	       monocle__live_ipc_message_take_text (&reply.payload, text, sizeof text))
		continue;
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
	monocle__live_figures figures;
	monocle__live_nettrace *trace = monocle__live_nettrace_new (monocle__live_figures_event, &figures);
	size_t piece = size ? (size_t) bytes[0] * 7 + 1 : 1;
	const char *error;
	read_message (bytes, size);
	monocle__live_figures_init (&figures);
	for (size_t i = 1; trace && i < size; i += piece) {
		if (monocle__live_nettrace_feed (trace, bytes + i, size - i < piece ? size - i : piece, &error) != 0)
			break;
	}
	monocle__live_figures_settle (&figures);
	monocle__live_nettrace_free (trace);
	return 0;
}
