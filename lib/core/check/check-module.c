/*
 * SPDX-License-Identifier: MIT
 *
 * check-module.c - puts thunks between a module and the functions that it calls. See check.h.
 *
 * Each word of the module that holds the address of a mono_* function with a contract (slots.h) gets the address of a
 * thunk instead. Normal context; what is patched stays so.
 */
#include "check.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "arch/arch.h"
#include "environment.h"
#include "log.h"
#include "slots.h"

/* A word of the module, and what it is to lead to. Slots of one function share its import. */
typedef struct {
	void **word;
	monocle__import *import;
	uint8_t *thunk;
} slot;

typedef struct {
	const char *name; /* owned, for ever */
	monocle__slots object;
	uint8_t *thunks; /* for ever */
	slot *slots;
	size_t wanted, count, room;
} patch;

bool
monocle__check_lies_in (const void *map, void *address)
{
	struct link_map *owner;
	Dl_info info;
	return dladdr1 (address, &info, (void **) &owner, RTLD_DL_LINKMAP) && owner == map;
}

/* --- one slot ----------------------------------------------------------------------------------------------------- */

/* The function that the slot leads to; one that is not bound yet points back into its own module. */
static void *
target_of (const monocle__slots *o, void *value, const char *name)
{
	return value && !monocle__check_lies_in (o->map, value) ? value : dlsym (RTLD_DEFAULT, name);
}

static monocle__import *
new_import (const patch *p, const char *function, void *target)
{
	monocle__import *import = calloc (1, sizeof *import);
	if (!import)
		return NULL;
	import->module = p->name;
	import->map = p->object.map;
	import->function = function;
	import->target = target;
	import->contract = monocle__check_contract_of (function);
	import->replacement = monocle__check_callback_replacement (function);
	if (!import->replacement)
		import->replacement = monocle__check_signal_replacement (function);
	return import;
}

static const slot *
slot_of (const patch *p, const char *function)
{
	for (size_t i = 0; i < p->count; i++)
		if (!strcmp (p->slots[i].import->function, function))
			return &p->slots[i];
	return NULL;
}

static void
make_slot (patch *p, void **word, const char *function)
{
	const slot *like = slot_of (p, function);
	void *target = like ? NULL : target_of (&p->object, *word, function);
	slot made = { .word = word };
	if (p->count == p->room)
		return;
	if (like) {
		made.import = like->import;
		made.thunk = like->thunk;
	} else if (target && (made.import = new_import (p, function, target))) {
		made.thunk = p->thunks + p->count * MONOCLE__THUNK_SIZE;
		made.import->gate = monocle__arch_write_thunk (made.thunk, made.import);
	} else {
		return;
	}
	p->slots[p->count++] = made;
}

/* --- all slots ---------------------------------------------------------------------------------------------------- */

static bool
is_wanted (const char *name)
{
	return monocle__check_contract_of (name) || monocle__check_callback_replacement (name) ||
	       monocle__check_signal_replacement (name);
}

/* A module's word, of which a slot is made where it is wanted and there is room. */
static void
see_slot (void *data, const char *name, void **word)
{
	patch *p = data;
	if (!is_wanted (name))
		return;
	p->wanted++;
	if (p->room)
		make_slot (p, word, name);
}

/* Thunks are written, made executable, and only then led to: the module may be running already. */
static bool
link_thunks (patch *p)
{
	bool done = true;
	if (mprotect (p->thunks, p->room * MONOCLE__THUNK_SIZE, PROT_READ | PROT_EXEC) != 0)
		return false;
	for (size_t i = 0; i < p->count; i++)
		done = monocle__slots_write (p->slots[i].word, p->slots[i].thunk) && done;
	monocle__slots_protect (&p->object);
	return done;
}

static bool
patch_object (patch *p)
{
	monocle__slots_each (&p->object, see_slot, p);
	size_t wanted = p->wanted;
	if (!wanted)
		return true;
	void *memory =
	    mmap (NULL, wanted * MONOCLE__THUNK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	p->slots = calloc (wanted, sizeof *p->slots);
	p->thunks = memory;
	p->room = p->slots ? wanted : 0;
	monocle__slots_each (&p->object, see_slot, p);
	bool done = p->slots && link_thunks (p);
	free (p->slots);
	return done;
}

/* --- a module ----------------------------------------------------------------------------------------------------- */

/* A module that is started twice is patched once. */
static bool
is_first (const struct link_map *map)
{
	static struct seen {
		struct seen *next;
		const struct link_map *map;
	} * all;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct seen *mine = calloc (1, sizeof *mine);
	if (!mine)
		return false;
	mine->map = map;
	pthread_mutex_lock (&lock);
	const struct seen *twin = all;
	while (twin && twin->map != map)
		twin = twin->next;
	if (!twin) {
		mine->next = all;
		all = mine;
	}
	pthread_mutex_unlock (&lock);
	if (twin)
		free (mine);
	return !twin;
}

static void
patch_module (const char *name, void *address)
{
	struct link_map *map;
	Dl_info info;
	patch p = { .name = NULL };
	if (!dladdr1 (address, &info, (void **) &map, RTLD_DL_LINKMAP) || !is_first (map))
		return;
	p.name = strdup (name);
	if (!p.name || !monocle__slots_read (map, &p.object) || !patch_object (&p))
		monocle_log ("MONOCLE_CHECK: the calls of module %s are not checked", name);
}

static atomic_uint starting; /* modules whose init function runs */

bool
monocle__check_starting (void)
{
	return atomic_load_explicit (&starting, memory_order_acquire) != 0;
}

static bool
is_wanted_here (void)
{
	const char *value = monocle__variable ("MONOCLE_CHECK");
	if (!value || !value[0] || !strcmp (value, "0"))
		return false;
	if (monocle__arch_has_thunks () && monocle__check_init ())
		return true;
	MONOCLE__LOG_ONCE ("MONOCLE_CHECK: modules cannot be checked on this machine");
	return false;
}

void
monocle__check_start (const char *name, void (*init) (const char *desc), const char *desc)
{
	monocle__stay stay;
	if (!is_wanted_here ()) {
		init (desc);
		return;
	}
	patch_module (name, (void *) init);
	monocle__check_enter (&stay, NULL, IN_INIT);
	atomic_fetch_add_explicit (&starting, 1, memory_order_acq_rel);
	init (desc);
	atomic_fetch_sub_explicit (&starting, 1, memory_order_acq_rel);
	monocle__check_leave (&stay);
}
