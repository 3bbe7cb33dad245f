/*
 * SPDX-License-Identifier: MIT
 *
 * member.c - the lists of what classes have, made when they are first wanted.
 *
 * Two threads that make the same list at once both ask the host; the first to publish wins, the other's memory is lost
 * in the arena. A dynamic image may add members while it lives: then a longer list is made that keeps the records of
 * the shorter one. Any thread, any context.
 */
#include "member.h"

#include <string.h>
#include "arena.h"
#include "array-method.h"
#include "class.h"
#include "dispatch/host.h"
#include "image.h"
#include "inflate.h"
#include "invariant.h"
#include "publish.h"

enum { COUNT_LIMIT = 0xffffff }; /* a table has no more rows: II.22.2.7 and the size of a token */

bool
monocle__members_are_told (void)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	return ops->member_count && ops->describe_member;
}

/* --- copying what the host says ----------------------------------------------------------------------------------- */

/* II.23.2: a length before a blob takes 1, 2 or 4 bytes. */
static size_t
write_length (uint8_t *out, uint32_t length)
{
	if (length < 0x80) {
		out[0] = (uint8_t) length;
		return 1;
	}
	if (length < 0x4000) {
		out[0] = (uint8_t) (0x80 | length >> 8);
		out[1] = (uint8_t) length;
		return 2;
	}
	out[0] = (uint8_t) (0xc0 | length >> 24);
	out[1] = (uint8_t) (length >> 16);
	out[2] = (uint8_t) (length >> 8);
	out[3] = (uint8_t) length;
	return 4;
}

static const char *
copy_constant (const monocle_member_info *info)
{
	uint8_t length[4];
	size_t prefix = write_length (length, info->constant_size);
	char *copy = monocle__arena_alloc (prefix + info->constant_size);
	if (!copy)
		return NULL;
	memcpy (copy, length, prefix);
	if (info->constant_size)
		memcpy (copy + prefix, info->constant, info->constant_size);
	return copy;
}

static const monocle__member_desc *
desc_from_info (const monocle_member_info *info, uint32_t index)
{
	monocle__member_desc *desc = monocle__arena_alloc (sizeof *desc);
	if (!desc)
		return NULL;
	*desc = (monocle__member_desc) {
		.token = info->token,
		.flags = info->flags,
		.index = index,
		.type = info->type,
		.data = info->data,
		.name = monocle__arena_string (info->name ? info->name : ""),
		.constant_type = info->constant_type,
	};
	memcpy (desc->methods, info->methods, sizeof desc->methods);
	if (info->constant_type && (info->constant || !info->constant_size)) {
		desc->constant = copy_constant (info);
		desc->constant_size = info->constant_size;
	}
	return desc->name ? desc : NULL;
}

static monocle__member *
member_new (MonoClass *klass, const monocle__member_desc *desc)
{
	monocle__member *member = desc ? monocle__arena_alloc (sizeof *member) : NULL;
	if (member) {
		member->parent = klass;
		member->desc = desc;
	}
	return member;
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

static monocle__member_list *
list_new (uint32_t count)
{
	monocle__member_list *list = monocle__arena_alloc (sizeof *list + count * sizeof *list->items);
	if (list)
		list->count = count;
	return list;
}

/* The item of a list for one member; NULL: the host cannot describe it, or no memory. */
static void *
item_from_info (MonoClass *klass, monocle_member_kind kind, const monocle_member_info *info, uint32_t index)
{
	switch (kind) {
	case MONOCLE_MEMBER_METHOD: return info->methods[0];
	case MONOCLE_MEMBER_NESTED:
	case MONOCLE_MEMBER_INTERFACE: return info->klass;
	default: return member_new (klass, desc_from_info (info, index));
	}
}

static bool
member_ask (MonoClass *klass, monocle_member_kind kind, uint32_t index, monocle_member_info *ret_info)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	*ret_info = (monocle_member_info) { .size = sizeof *ret_info };
	return ops->describe_member (ops->host, klass, kind, index, ret_info) == 0;
}

/* Of a dynamic image a list ends at the first member that cannot be described: the next longer one goes on there. */
static bool
may_have_gaps (MonoClass *klass)
{
	return !mono_image_is_dynamic (monocle__class_image (klass));
}

/* The first of members [index, count) that can be listed now; `count`: none. */
static uint32_t
first_described (MonoClass *klass, monocle_member_kind kind, uint32_t index, uint32_t count)
{
	monocle_member_info info;
	while (index < count && !member_ask (klass, kind, index, &info))
		index = may_have_gaps (klass) ? index + 1 : count;
	return index;
}

/*
 * Asks about members [kept, count) and puts what is known after the items of `shorter`. Where nothing is, no memory is
 * taken: it may be asked for any number of times.
 */
static monocle__member_list *
list_ask (MonoClass *klass, monocle_member_kind kind, const monocle__member_list *shorter, uint32_t count)
{
	uint32_t kept = shorter ? shorter->count : 0, known = kept, index = first_described (klass, kind, kept, count);
	monocle_member_info info;
	monocle__member_list *list = index < count ? list_new (count) : NULL;
	if (!list)
		return NULL;
	if (kept)
		memcpy (list->items, shorter->items, kept * sizeof *list->items);
	for (; index < count; index++) {
		if (member_ask (klass, kind, index, &info) && (list->items[known] = item_from_info (klass, kind, &info, index)))
			known++;
		else if (!may_have_gaps (klass))
			break;
	}
	MONOCLE__INVARIANT (known >= kept && known <= count);
	list->count = known;
	return known > kept ? list : NULL;
}

/* Of a definition. Nothing is remembered of an empty answer: the host may only be unable to tell yet. */
static monocle__member_list *
list_of_definition (MonoClass *klass, monocle_member_kind kind, const monocle__member_list *shorter)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	MonoImage *image = monocle__class_image (klass);
	monocle__member_list *list = NULL;
	if (!monocle__members_are_told () || !image || !monocle__image_ask_begin (image))
		return NULL;
	uint32_t count = ops->member_count (ops->host, klass, kind);
	if (count > (shorter ? shorter->count : 0) && count <= COUNT_LIMIT)
		list = list_ask (klass, kind, shorter, count);
	monocle__image_ask_end (image);
	return list;
}

/* The same members with another parent. */
static monocle__member_list *
list_of_instance (MonoClass *klass, const monocle__member_list *shorter, const monocle__member_list *open)
{
	uint32_t kept = shorter ? shorter->count : 0;
	monocle__member_list *list = open && open->count > kept ? list_new (open->count) : NULL;
	if (!list)
		return NULL;
	if (kept)
		memcpy (list->items, shorter->items, kept * sizeof *list->items);
	for (uint32_t i = kept; i < open->count; i++)
		if (!(list->items[i] = member_new (klass, ((const monocle__member *) open->items[i])->desc)))
			return NULL;
	return list;
}

static struct monocle__class_members *
members_of (MonoClass *klass)
{
	struct monocle__class_members *known = atomic_load_explicit (&klass->members, memory_order_acquire);
	if (known)
		return known;
	struct monocle__class_members *members = monocle__arena_alloc (sizeof *members);
	return MONOCLE__PUBLISH (&klass->members, members);
}

static bool
has_own_records (monocle_member_kind kind)
{
	return kind == MONOCLE_MEMBER_FIELD || kind == MONOCLE_MEMBER_PROPERTY || kind == MONOCLE_MEMBER_EVENT;
}

/* A list of a dynamic image may become longer. */
static bool
is_complete (MonoClass *klass, const monocle__member_list *list)
{
	return list && !mono_image_is_dynamic (monocle__class_image (klass));
}

static monocle__member_list *
list_make (MonoClass *klass, monocle_member_kind kind, const monocle__member_list *shorter)
{
	switch (klass->kind) {
	case MONOCLE__CLASS_INST: return list_of_instance (klass, shorter, monocle__members_of (klass->element, kind));
	case MONOCLE__CLASS_ARRAY: return shorter ? NULL : monocle__array_methods_new (klass);
	default: return list_of_definition (klass, kind, shorter);
	}
}

static bool
lists (MonoClass *klass, monocle_member_kind kind)
{
	switch (klass->kind) {
	case MONOCLE__CLASS_PRIMITIVE: monocle__class_meet_primitive (klass); return true;
	case MONOCLE__CLASS_DEF:
	case MONOCLE__CLASS_INST: return true;
	case MONOCLE__CLASS_ARRAY: return kind == MONOCLE_MEMBER_METHOD;
	default: return false;
	}
}

const monocle__member_list *
monocle__members_of (MonoClass *klass, monocle_member_kind kind)
{
	if (klass && klass->kind == MONOCLE__CLASS_INST && !has_own_records (kind))
		klass = klass->element;
	struct monocle__class_members *members = klass && lists (klass, kind) ? members_of (klass) : NULL;
	if (!members)
		return NULL;
	monocle__member_list *known = atomic_load_explicit (&members->lists[kind], memory_order_acquire), *list;
	if (is_complete (klass, known) || !(list = list_make (klass, kind, known)))
		return known;
	MONOCLE__INVARIANT (!known || list->count > known->count); /* lists only become longer */
	if (atomic_compare_exchange_strong_explicit (&members->lists[kind], &known, list, memory_order_acq_rel,
	                                             memory_order_acquire))
		return list;
	return known;
}

void *
monocle__member_next (const monocle__member_list *list, void **iter)
{
	uintptr_t position = iter ? (uintptr_t) *iter : 0;
	if (!list || !iter || position >= list->count)
		return NULL;
	MONOCLE__INVARIANT (list->items[position]);
	*iter = (void *) (position + 1);
	return list->items[position];
}

/* --- as an instance has it ---------------------------------------------------------------------------------------- */

MonoMethod *
monocle__member_method_as_in (MonoMethod *method, MonoClass *klass)
{
	return method && klass->kind == MONOCLE__CLASS_INST ? monocle_method_inst (method, klass, 0, NULL) : method;
}

static MonoType *
type_as_in (MonoType *type, MonoClass *klass)
{
	return type && klass->kind == MONOCLE__CLASS_INST
	         ? monocle__inflate_type (type, klass->count, klass->arguments, 0, NULL)
	         : type;
}

MonoClass *
monocle__member_class_as_in (MonoClass *other, MonoClass *klass)
{
	return other && klass->kind == MONOCLE__CLASS_INST
	         ? monocle__inflate_class (other, klass->count, klass->arguments, 0, NULL)
	         : other;
}

MonoType *
monocle__member_type (monocle__member *member)
{
	MonoType *type = atomic_load_explicit (&member->type, memory_order_acquire);
	if (type || !(type = type_as_in (member->desc->type, member->parent)))
		return type;
	atomic_store_explicit (&member->type, type, memory_order_release);
	return type;
}
