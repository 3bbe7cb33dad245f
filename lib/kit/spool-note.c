/*
 * SPDX-License-Identifier: MIT
 *
 * spool-note.c - what a module says of its profile: the notes in a spool's header, which become comments.
 */
#include "spool.h"

#include <stdio.h>
#include <string.h>

/* Does the note begin with "KEY: "? */
static bool
has_key (const struct monocle__note *note, const char *key)
{
	size_t length = strlen (key);
	return note->length > length && !memcmp (note->text, key, length) && note->text[length] == ':';
}

void
monocle_kit_spool_note (monocle_kit_spool *spool, const char *key, const char *text)
{
	if (!spool || !monocle__spool_is_ours (spool))
		return;
	struct monocle__note *notes = spool->header->notes, *note = NULL;
	pthread_mutex_lock (&spool->lock);
	for (int i = 0; i < MONOCLE__NOTE_COUNT && !note; i++)
		if (!notes[i].length || has_key (&notes[i], key))
			note = &notes[i];
	if (note) {
		__atomic_store_n (&note->length, 0, __ATOMIC_RELEASE);
		int length = snprintf (note->text, sizeof note->text, "%s: %s", key, text);
		if (length >= (int) sizeof note->text)
			length = sizeof note->text - 1;
		__atomic_store_n (&note->length, length > 0 ? (uint32_t) length : 0, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock (&spool->lock);
}
