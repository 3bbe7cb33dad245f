/*
 * SPDX-License-Identifier: MIT
 *
 * array.c - managed arrays: how long they are and where their elements are.
 *
 * Plain reads: wherever the object may be looked at. How many bytes an element takes is a matter of its class.
 */
#include "dispatch/host.h"
#include "log.h"

static char *
elements_of (MonoArray *array, uint64_t *ret_length)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	*ret_length = 0;
	if (!array)
		return NULL;
	if (!ops->array_data) {
		MONOCLE__LOG_ONCE ("arrays are not served by this host; they read as empty");
		return NULL;
	}
	return ops->array_data (ops->host, (MonoObject *) array, ret_length);
}

uintptr_t
mono_array_length (MonoArray *array)
{
	uint64_t length;
	elements_of (array, &length);
	return (uintptr_t) length;
}

char *
mono_array_addr_with_size (MonoArray *array, int size, uintptr_t index)
{
	uint64_t length;
	char *elements = elements_of (array, &length);
	return elements ? elements + (intptr_t) size * (intptr_t) index : NULL;
}
