/*
 * SPDX-License-Identifier: MIT
 *
 * class-methods.c - the methods of a class, in the order of its metadata.
 *
 * They come from the host's member lists. A host that has none has tables: II.22.37 says that the rows of one type's
 * methods are contiguous, and types' runs are in the order of the types, so the first row whose owner is not before
 * the class is found by halving, with a description for each step and no list anywhere. Any thread; what makes many
 * records is said to need normal context.
 */
#include <string.h>
#include "class.h"
#include "member.h"
#include "method.h"
#include "table.h"

enum { ROW_MASK = 0xffffff };

/* --- by rows ------------------------------------------------------------------------------------------------------ */

static uint32_t
owner_row (MonoImage *image, uint32_t row)
{
	MonoMethod *method = monocle_method_def (image, row);
	MonoClass *owner = method ? monocle__method_class (method) : NULL;
	return owner ? monocle_class_token (owner) & ROW_MASK : 0;
}

static uint32_t
first_method_row (MonoImage *image, uint32_t class_row)
{
	uint32_t low = 1, high = image->method_rows + 1;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (owner_row (image, middle) < class_row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The iterator holds the next row. Rows of dynamic images come in any order and are all looked at. */
static MonoMethod *
next_row (MonoClass *klass, void **iter)
{
	MonoImage *image = monocle__class_image (klass);
	uint32_t class_row = monocle_class_token (klass) & ROW_MASK, row = (uint32_t) (uintptr_t) *iter;
	if (!class_row || !image)
		return NULL;
	bool is_sorted = !mono_image_is_dynamic (image);
	uint32_t end = is_sorted ? image->method_rows + 1 : monocle__table_end (&image->methods);
	if (!row)
		row = is_sorted ? first_method_row (image, class_row) : 1;
	for (; row < end; row++) {
		if (!is_sorted && !monocle_method_def_if_known (image, row))
			continue;
		if (owner_row (image, row) == class_row) {
			*iter = (void *) (uintptr_t) (row + 1);
			return monocle_method_def (image, row);
		}
		if (is_sorted)
			break;
	}
	*iter = (void *) (uintptr_t) end;
	return NULL;
}

/* --- mono_class_* ------------------------------------------------------------------------------------------------- */

/* A host that lists members may be unable to list those of a dynamic image: then there are those that were met. */
static bool
is_walked_by_rows (MonoClass *klass, const monocle__member_list *list)
{
	if (list || (klass->kind != MONOCLE__CLASS_DEF && klass->kind != MONOCLE__CLASS_PRIMITIVE &&
	             klass->kind != MONOCLE__CLASS_INST))
		return false;
	return !monocle__members_are_told () || mono_image_is_dynamic (monocle__class_image (klass));
}

MonoMethod *
mono_class_get_methods (MonoClass *klass, void **iter)
{
	if (!klass || !iter)
		return NULL;
	const monocle__member_list *list = monocle__members_of (klass, MONOCLE_MEMBER_METHOD);
	return monocle__member_method_as_in (
	    is_walked_by_rows (klass, list) ? next_row (klass, iter) : monocle__member_next (list, iter), klass);
}

int
mono_class_num_methods (MonoClass *klass)
{
	const monocle__member_list *list = monocle__members_of (klass, MONOCLE_MEMBER_METHOD);
	void *iter = NULL;
	int count = 0;
	if (list)
		return (int) list->count;
	while (mono_class_get_methods (klass, &iter))
		count++;
	return count;
}

static bool
is_wanted (MonoMethod *method, const char *name, int param_count, uint32_t flags)
{
	if (strcmp (mono_method_get_name (method), name) || (mono_method_get_flags (method, NULL) & flags) != flags)
		return false;
	return param_count == -1 ||
	       mono_signature_get_param_count (mono_method_signature (method)) == (uint32_t) param_count;
}

/* Of an instance the definition is searched, so that only what is found becomes a record. */
MonoMethod *
mono_class_get_method_from_name_flags (MonoClass *klass, const char *name, int param_count, int flags)
{
	MonoClass *definition = klass ? monocle__class_definition (klass) : NULL;
	void *iter = NULL;
	MonoMethod *method;
	while (name && (method = mono_class_get_methods (definition, &iter)))
		if (is_wanted (method, name, param_count, (uint32_t) flags))
			return monocle__member_method_as_in (method, klass);
	return NULL;
}

MonoMethod *
mono_class_get_method_from_name (MonoClass *klass, const char *name, int param_count)
{
	return mono_class_get_method_from_name_flags (klass, name, param_count, 0);
}
