/*
 * SPDX-License-Identifier: MIT
 *
 * settings.c - what stands for the variables of Monocle in a process that it was attached to.
 *
 * A list is published as a whole. Who has a text of the list before may still hold it, so that one is freed only when
 * yet another one comes: attaches are seconds apart.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <monocle/host.h>
#include "log.h"

typedef struct {
	size_t count;
	char *texts[]; /* NAME=VALUE */
} list;

static list *_Atomic current;
static list *before; /* the host's thread */
static atomic_bool was_attached;

static void
list_free (list *l)
{
	for (size_t i = 0; l && i < l->count; i++)
		free (l->texts[i]);
	free (l);
}

/* NULL: no memory. */
static list *
list_new (const char *const *settings)
{
	size_t count = 0;
	while (settings[count])
		count++;
	list *l = calloc (1, sizeof *l + count * sizeof *l->texts);
	for (; l && l->count < count; l->count++)
		if (!(l->texts[l->count] = strdup (settings[l->count]))) {
			list_free (l);
			return NULL;
		}
	return l;
}

int
monocle_host_settings (const char *const *settings)
{
	list *fresh = settings ? list_new (settings) : NULL;
	if (settings && !fresh)
		return MONOCLE_E_NO_MEMORY;
	if (settings)
		atomic_store_explicit (&was_attached, true, memory_order_relaxed);
	list_free (before);
	before = atomic_exchange_explicit (&current, fresh, memory_order_acq_rel);
	monocle__log_reset ();
	return MONOCLE_OK;
}

static bool
is_of_monocle (const char *name)
{
	return strncmp (name, "MONOCLE_", 8) == 0 || strncmp (name, "MONO_", 5) == 0;
}

int
monocle_host_setting (const char *name, const char **ret_value)
{
	const list *l = atomic_load_explicit (&current, memory_order_acquire);
	size_t length = strlen (name);
	bool is_asked = !strcmp (name, "attached"); /* no setting: what became of this process */
	if (is_asked && atomic_load_explicit (&was_attached, memory_order_relaxed)) {
		*ret_value = "1";
		return 1;
	}
	if (is_asked || !l || !is_of_monocle (name))
		return 0;
	*ret_value = NULL;
	for (size_t i = 0; i < l->count && !*ret_value; i++)
		if (strncmp (l->texts[i], name, length) == 0 && l->texts[i][length] == '=')
			*ret_value = l->texts[i] + length + 1;
	return 1;
}
