/*
 * SPDX-License-Identifier: MIT
 *
 * lock-free-alloc.c - slots of one size, for signal handlers too.
 *
 * Slots lie in blocks that begin at a multiple of their size, so that a slot's address leads to its block:
 *
 *     | block | link of each slot | slot 0 | slot 1 | ...
 *
 * The free slots of an allocator are a stack of links. They are apart from the slots, since a thread may still read the
 * link of a slot that another took meanwhile and writes to. The head of the stack is the reference of a slot (block
 * number and slot number) and a count of changes: a thread that was away while slots were taken and freed notices that,
 * unless there were exactly 2^32 changes. Blocks are never given back; memory is what the busiest moment needed.
 */
#include "internals.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>

enum { SLOT_BITS = 12, PAGE_BITS = 10, MAX_SLOTS = 1 << SLOT_BITS, MAX_BLOCKS = 1 << (32 - SLOT_BITS) };
enum { ALIGNMENT = sizeof (void *) };

typedef struct {
	MonoLockFreeAllocator *heap;
	uint32_t number; /* never 0, so that no reference is */
	uint32_t count;
	size_t first, stride;       /* where slots are */
	_Atomic (uint32_t) links[]; /* of a free slot: the reference of the one below */
} block;

/* Blocks by number, of all allocators; entries are written before anyone knows the number. */
typedef struct {
	_Atomic (block *) blocks[1 << PAGE_BITS];
} page;

static _Atomic (page *) pages[MAX_BLOCKS >> PAGE_BITS];
static _Atomic (uint32_t) next_number = 1;

_Static_assert(sizeof (MonoLockFreeAllocSizeClass) == 64 && sizeof (MonoLockFreeAllocator) == 24,
               "modules reserve them");

static void *
map (size_t size)
{
	void *memory = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

/* `size` is a multiple of `alignment`, and that is one of a page's size or divides it. */
static void *
map_aligned (size_t size, size_t alignment)
{
	char *memory = map (size), *aligned;

	if (!memory || (uintptr_t) memory % alignment == 0)
		return memory;
	munmap (memory, size);
	memory = map (size + alignment);
	if (!memory)
		return NULL;
	aligned = memory + (alignment - (uintptr_t) memory % alignment) % alignment;
	if (aligned > memory)
		munmap (memory, (size_t) (aligned - memory));
	if (aligned < memory + alignment)
		munmap (aligned + size, (size_t) (memory + alignment - aligned));
	return aligned;
}

static size_t
round_up (size_t size, size_t unit)
{
	return (size + unit - 1) / unit * unit;
}

/* --- blocks by number --------------------------------------------------------------------------------------------- */

static _Atomic (block *) *
place_of (uint32_t number)
{
	page *found = atomic_load_explicit (&pages[number >> PAGE_BITS], memory_order_acquire);
	return found ? &found->blocks[number & ((1 << PAGE_BITS) - 1)] : NULL;
}

/* False without memory. */
static bool
make_place (uint32_t number)
{
	page *fresh, *other = NULL;

	if (place_of (number))
		return true;
	fresh = map (sizeof *fresh);
	if (!fresh)
		return false;
	if (!atomic_compare_exchange_strong (&pages[number >> PAGE_BITS], &other, fresh))
		munmap (fresh, sizeof *fresh);
	return true;
}

/* Gives the block its number. False without memory, or when there are too many blocks. */
static bool
enlist (block *fresh)
{
	uint32_t number = atomic_load (&next_number);

	do {
		if (number == MAX_BLOCKS || !make_place (number))
			return false;
	} while (!atomic_compare_exchange_weak (&next_number, &number, number + 1));
	fresh->number = number;
	atomic_store_explicit (place_of (number), fresh, memory_order_release);
	return true;
}

/* --- slots -------------------------------------------------------------------------------------------------------- */

static uint32_t
reference_of (const block *owner, uint32_t slot)
{
	return owner->number << SLOT_BITS | slot;
}

static block *
block_of (uint32_t reference)
{
	return atomic_load_explicit (place_of (reference >> SLOT_BITS), memory_order_acquire);
}

static void *
address_of (block *owner, uint32_t slot)
{
	return (char *) owner + owner->first + slot * owner->stride;
}

/* What a head becomes when `reference` is the topmost one. */
static uint64_t
head_after (uint64_t head, uint32_t reference)
{
	return ((head >> 32) + 1) << 32 | reference;
}

/* Pushes a chain of free slots, from the topmost one to the one with that link. */
static void
push (MonoLockFreeAllocator *heap, uint32_t topmost, _Atomic (uint32_t) *lowest_link)
{
	uint64_t head = atomic_load_explicit (&heap->free, memory_order_relaxed);

	do
		atomic_store_explicit (lowest_link, (uint32_t) head, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit (&heap->free, &head, head_after (head, topmost), memory_order_release,
	                                               memory_order_relaxed));
}

/* As many slots as fit, but one at least, for which the block gets longer. NULL: not of that size, or no memory. */
static block *
make_block (MonoLockFreeAllocator *heap)
{
	size_t block_size = heap->size_class->block_size;
	size_t stride = round_up (heap->size_class->slot_size, ALIGNMENT);
	size_t count, first, used;
	block *fresh;

	if (block_size & (block_size - 1) || block_size < 2 * sizeof *fresh || !stride)
		return NULL;
	count = (block_size - sizeof *fresh) / (stride + sizeof fresh->links[0]);
	count = count == 0 ? 1 : count < MAX_SLOTS ? count : MAX_SLOTS;
	first = round_up (sizeof *fresh + count * sizeof fresh->links[0], ALIGNMENT);
	used = round_up (first + count * stride, block_size);

	fresh = map_aligned (used, block_size);
	if (!fresh)
		return NULL;
	fresh->heap = heap;
	fresh->count = (uint32_t) count;
	fresh->first = first;
	fresh->stride = stride;
	if (!enlist (fresh)) {
		munmap (fresh, used);
		return NULL;
	}
	return fresh;
}

/* The first slot of a block of its own; the others are free. */
static void *
alloc_from_fresh_block (MonoLockFreeAllocator *heap)
{
	int saved = errno;
	block *fresh = make_block (heap);

	errno = saved;
	if (!fresh)
		return NULL;
	for (uint32_t slot = 1; slot + 1 < fresh->count; slot++)
		atomic_init (&fresh->links[slot], reference_of (fresh, slot + 1));
	if (fresh->count > 1)
		push (heap, reference_of (fresh, 1), &fresh->links[fresh->count - 1]);
	return address_of (fresh, 0);
}

void
mono_lock_free_allocator_init_size_class (MonoLockFreeAllocSizeClass *size_class, unsigned slot_size,
                                          unsigned block_size)
{
	size_class->slot_size = slot_size;
	size_class->block_size = block_size;
}

void
mono_lock_free_allocator_init_allocator (MonoLockFreeAllocator *heap, MonoLockFreeAllocSizeClass *size_class,
                                         int account)
{
	heap->size_class = size_class;
	atomic_init (&heap->free, 0);
}

void *
mono_lock_free_alloc (MonoLockFreeAllocator *heap)
{
	uint64_t head = atomic_load_explicit (&heap->free, memory_order_acquire);

	while ((uint32_t) head) {
		block *owner = block_of ((uint32_t) head);
		uint32_t slot = (uint32_t) head & (MAX_SLOTS - 1);
		uint32_t below = atomic_load_explicit (&owner->links[slot], memory_order_relaxed);
		if (atomic_compare_exchange_weak_explicit (&heap->free, &head, head_after (head, below), memory_order_acquire,
		                                           memory_order_acquire))
			return address_of (owner, slot);
	}
	return alloc_from_fresh_block (heap);
}

void
mono_lock_free_free (void *slot, size_t block_size)
{
	if (!slot)
		return;
	block *owner = (block *) ((uintptr_t) slot & ~(block_size - 1));
	uint32_t number = (uint32_t) ((size_t) ((char *) slot - (char *) owner - owner->first) / owner->stride);
	push (owner->heap, reference_of (owner, number), &owner->links[number]);
}
