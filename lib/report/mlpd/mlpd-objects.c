/*
 * SPDX-License-Identifier: MIT
 *
 * mlpd-objects.c - see mlpd-objects.h.
 */
#include "mlpd-objects.h"

#include "array.h"

void
monocle__mlpd_objects_done (monocle__mlpd_objects *objects)
{
	monocle__mlpd_map_done (&objects->types);
	monocle__mlpd_map_done (&objects->open);
	free (objects->questions);
}

bool
monocle__mlpd_objects_set (monocle__mlpd_objects *objects, uint64_t object, uint64_t type)
{
	uint64_t *place = type ? monocle__mlpd_map_at (&objects->types, objects->profile, object) : NULL;
	if (place)
		*place = type;
	return place || !type;
}

uint64_t
monocle__mlpd_objects_get (const monocle__mlpd_objects *objects, uint64_t object)
{
	return monocle__mlpd_map_find (&objects->types, object);
}

size_t
monocle__mlpd_objects_ask (monocle__mlpd_objects *objects, uint64_t object)
{
	uint64_t *number = monocle__mlpd_map_at (&objects->open, objects->profile, object);
	if (!number || *number)
		return number ? *number - 1 : SIZE_MAX;
	if (!monocle__profile_take (objects->profile, sizeof *objects->questions) ||
	    !MONOCLE__RESERVE (objects->questions, objects->capacity, objects->count + 1))
		return SIZE_MAX;
	objects->questions[objects->count] = (monocle__mlpd_question) { .object = object };
	*number = ++objects->count;
	return objects->count - 1;
}

void
monocle__mlpd_objects_answer (monocle__mlpd_objects *objects)
{
	if (objects->answered == objects->count)
		return;
	for (; objects->answered < objects->count; objects->answered++) {
		monocle__mlpd_question *question = &objects->questions[objects->answered];
		question->type = monocle__mlpd_objects_get (objects, question->object);
	}
	monocle__mlpd_map_clear (&objects->open);
}
