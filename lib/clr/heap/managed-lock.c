/*
 * SPDX-License-Identifier: MIT
 *
 * managed-lock.c - see managed-lock.h.
 *
 * The monitor of an object is its word before the object. As soon as two threads want it, it is a Lock besides, which
 * the object's sync block refers to by a handle. The runtime's events call a lock by the handle of the event that its
 * threads wait for, which is unlike an object's address in that it stays. So all sync blocks are gone through until one
 * is found whose lock has that event:
 *
 *      sync table --> entry --> sync block --> handle --> Lock --> [Condition -->] AutoResetEvent --> SafeHandle --> id
 *                       |
 *                       +-----> object
 *
 * Where a lock was found before is looked at first.
 */
#include "managed-lock.h"
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <mono/metadata/class.h>
#include <mono/metadata/object.h>
#include "contract.h"
#include "images/corlib-name.h"
#include "images/layout.h"
#include "images/resolve.h"
#include "state.h"

enum {
	IS_SIGNALLED = 0x20, /* IsWaiterSignaledToWake, in the versions that private-names.def knows */
	IS_FREE = 1,         /* in the word that has an entry's object */
	PLACES = 256,
};

/* A field of an object; its offset is 0 until an object of its class was met. */
typedef struct {
	monocle__private_id name;
	_Atomic (uint32_t) offset;
} field;

static field state = { MONOCLE__NAME_LOCK_STATE, 0 }, event_or_condition = { MONOCLE__NAME_LOCK_EVENT, 0 };
static field condition_event = { MONOCLE__NAME_CONDITION_EVENT, 0 };
static field wait_handle = { MONOCLE__NAME_WAIT_HANDLE, 0 }, native_handle = { MONOCLE__NAME_NATIVE_HANDLE, 0 };

/* Variables of the runtime, and offsets in what they lead to. */
static struct {
	const uint8_t *const *table; /* of entries */
	const uint8_t *const *cache; /* knows how many there are */
	uint32_t entry, block, object, count, handle;
} known;
static atomic_bool is_known, is_unknown;

static _Atomic (uint32_t) places[PLACES]; /* entry in the table, by a hash of the lock's id */

bool
monocle__managed_lock_is (MonoObject *object)
{
	MonoClass *klass = mono_object_get_class (object);
	return klass && strcmp (mono_class_get_name (klass), "Lock") == 0 &&
	       strcmp (mono_class_get_namespace (klass), "System.Threading") == 0;
}

/* --- how it is laid out ------------------------------------------------------------------------------------------- */

static bool
learn (void)
{
	const void *const *table, *const *cache;
	if (!monocle__contract_variable ("SyncTableEntries", &table) ||
	    !monocle__contract_variable ("SyncBlockCache", &cache) ||
	    !monocle__contract_size ("SyncTableEntry", &known.entry) ||
	    !monocle__contract_offset ("SyncTableEntry", "SyncBlock", &known.block) ||
	    !monocle__contract_offset ("SyncTableEntry", "Object", &known.object) ||
	    !monocle__contract_offset ("SyncBlockCache", "FreeSyncTableIndex", &known.count) ||
	    !monocle__contract_offset ("SyncBlock", "Lock", &known.handle))
		return false;
	known.table = (const uint8_t *const *) table;
	known.cache = (const uint8_t *const *) cache;
	return true;
}

static void
say_unknown (void)
{
	if (!atomic_exchange (&is_unknown, true))
		monocle__clr_complain ("%s: their locks are not laid out as on the runtimes that are known",
		                       monocle__private_name_feature (MONOCLE__PRIVATE_MONITORS));
}

bool
monocle__managed_lock_prepare (void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	if (atomic_load (&is_known) || atomic_load (&is_unknown))
		return atomic_load (&is_known);
	pthread_mutex_lock (&lock);
	bool is_served = monocle__corlib_name_serves (MONOCLE__PRIVATE_MONITORS);
	bool is_learnt = is_served && (atomic_load (&is_known) || learn ());
	if (is_served && !is_learnt)
		say_unknown ();
	atomic_store (&is_known, is_learnt);
	atomic_store (&is_unknown, !is_learnt);
	pthread_mutex_unlock (&lock);
	return is_learnt;
}

/* --- from a lock to its object ------------------------------------------------------------------------------------ */

static uintptr_t
word_at (uintptr_t address, uint32_t offset)
{
	return address ? __atomic_load_n ((const uintptr_t *) (address + offset), __ATOMIC_ACQUIRE) : 0;
}

/* In the class of this id or one that it inherits from. 0: there is no such field. */
static uint32_t
learn_offset (ClassID id, const char *name)
{
	MonoClassField *found = NULL;
	monocle__resolve_bases (id);
	for (MonoClass *klass = monocle__resolve_class (id); klass && !found; klass = mono_class_get_parent (klass))
		found = mono_class_get_field_from_name (klass, name);
	return found ? mono_field_get_offset (found) : 0;
}

static uintptr_t
read_field (uintptr_t object, field *f)
{
	uint32_t offset = atomic_load_explicit (&f->offset, memory_order_relaxed);
	if (object && !offset) {
		offset = learn_offset (monocle__clr_layout_class_id ((MonoObject *) object),
		                       monocle__private_members[f->name].member);
		atomic_store_explicit (&f->offset, offset, memory_order_relaxed);
	}
	if (object && !offset)
		say_unknown ();
	return offset ? word_at (object, offset) : 0;
}

static bool
is_condition (uintptr_t object)
{
	MonoClass *klass = object ? mono_object_get_class ((MonoObject *) object) : NULL;
	return klass && strcmp (mono_class_get_name (klass), "Condition") == 0;
}

static uintptr_t
id_of (uintptr_t lock)
{
	uintptr_t event = read_field (lock, &event_or_condition);
	if (is_condition (event))
		event = read_field (event, &condition_event);
	return read_field (read_field (event, &wait_handle), &native_handle);
}

/* The Lock of an entry's object; 0: it has none. */
static uintptr_t
lock_of (const uint8_t *entry)
{
	uintptr_t object = word_at ((uintptr_t) entry, known.object);
	uintptr_t block = object & IS_FREE ? 0 : word_at ((uintptr_t) entry, known.block);
	return word_at (word_at (block, known.handle), 0);
}

static uint32_t
entry_count (const uint8_t *cache)
{
	return __atomic_load_n ((const uint32_t *) (cache + known.count), __ATOMIC_ACQUIRE);
}

/* 0, which is no entry's number: none. */
static uint32_t
find (const uint8_t *table, uint32_t count, uintptr_t id)
{
	_Atomic (uint32_t) *place = &places[(id >> 3 ^ id >> 11) % PLACES];
	uint32_t last = atomic_load_explicit (place, memory_order_relaxed);
	if (last && last < count && id_of (lock_of (table + (size_t) last * known.entry)) == id)
		return last;
	for (uint32_t i = 1; i < count; i++)
		if (id_of (lock_of (table + (size_t) i * known.entry)) == id) {
			atomic_store_explicit (place, i, memory_order_relaxed);
			return i;
		}
	return 0;
}

MonoObject *
monocle__managed_lock_owner (uintptr_t id, bool *ret_signalled)
{
	const uint8_t *cache = __atomic_load_n (known.cache, __ATOMIC_ACQUIRE);
	uint32_t count = cache ? entry_count (cache) : 0; /* before the table, which only grows */
	const uint8_t *table = __atomic_load_n (known.table, __ATOMIC_ACQUIRE);
	uint32_t found = id && table ? find (table, count, id) : 0;
	const uint8_t *entry = table + (size_t) found * known.entry;
	if (!found)
		return NULL;
	if (ret_signalled)
		*ret_signalled = read_field (lock_of (entry), &state) & IS_SIGNALLED;
	return (MonoObject *) word_at ((uintptr_t) entry, known.object);
}
