/*
 * SPDX-License-Identifier: MIT
 *
 * contract.c - see contract.h.
 *
 * The description is a text in JSON, in the compact form of dotnet/runtime's docs/design/datacontracts: an offset is a
 * number, or an array that begins with one; a size is the member "!" of a type; the value of a variable is an array
 * that holds the index of a pointer.
 */
#include "contract.h"
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include "json.h"
#include "state.h"

/* As contract-descriptor.md lays it out, little endian. */
typedef struct {
	uint64_t magic;
	uint32_t flags, size;
	const char *text;
	uint32_t pointer_count, unused;
	const void *const **pointers;
} descriptor;

enum { IS_POINTER_SIZE_4 = 2 };

static const descriptor *the_descriptor; /* NULL: the runtime has none that can be read */
static monocle__json description;

/* The library that the runtime's functions are in, or the program itself. */
static const descriptor *
find (void)
{
	static const char name[] = "DotNetRuntimeContractDescriptor";
	Dl_info library;
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	bool is_there = info && dladdr ((const void *) (uintptr_t) info->vtbl->GetClassFromToken, &library);
	void *handle = is_there ? dlopen (library.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	const descriptor *found = handle ? dlsym (handle, name) : NULL;
	if (handle)
		dlclose (handle); /* it was there before */
	return found ? found : dlsym (RTLD_DEFAULT, name);
}

void
monocle__contract_open (void)
{
	static const char magic[8] = "DNCCDAC";
	const descriptor *found = find ();
	size_t offset;
	if (found && memcmp (&found->magic, magic, sizeof magic) == 0 && !(found->flags & IS_POINTER_SIZE_4) &&
	    found->text && monocle__json_check (found->text, strnlen (found->text, found->size), &description, &offset))
		the_descriptor = found;
}

static monocle__json
member (const char *part, const char *name)
{
	return the_descriptor ? monocle__json_member (monocle__json_member (description, part), name)
	                      : (monocle__json) { NULL, NULL };
}

/* A number, or the first item of an array. */
static bool
read_number (monocle__json value, size_t *ret_number)
{
	monocle__json rest = monocle__json_items (value), item;
	if (monocle__json_kind (value) == '[' && monocle__json_next (&rest, &item))
		value = item;
	return monocle__json_index (value, ret_number);
}

bool
monocle__contract_offset (const char *type, const char *field, uint32_t *ret_offset)
{
	size_t number;
	if (!read_number (monocle__json_member (member ("types", type), field), &number) || number > UINT32_MAX)
		return false;
	*ret_offset = (uint32_t) number;
	return true;
}

bool
monocle__contract_size (const char *type, uint32_t *ret_size)
{
	return monocle__contract_offset (type, "!", ret_size);
}

bool
monocle__contract_variable (const char *name, const void *const **ret_variable)
{
	monocle__json value = member ("globals", name), rest = monocle__json_items (value), first;
	size_t index;
	if (!monocle__json_next (&rest, &first) || monocle__json_kind (first) != '[' || !read_number (first, &index) ||
	    index >= the_descriptor->pointer_count || !the_descriptor->pointers[index])
		return false;
	*ret_variable = the_descriptor->pointers[index];
	return true;
}
