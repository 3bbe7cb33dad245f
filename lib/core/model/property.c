/*
 * SPDX-License-Identifier: MIT
 *
 * property.c - what modules ask about properties and events: names, flags, accessors.
 *
 * Any context; walking and look-ups make records and are said to need normal context. The accessors of an instance's
 * property are instances.
 */
#include <string.h>
#include "member.h"

enum { GETTER = 0, SETTER = 1, ADD = 0, REMOVE = 1, RAISE = 2 }; /* where a host puts them */

static MonoMethod *
accessor (monocle__member *member, int which)
{
	return monocle__member_method_as_in (member->desc->methods[which], member->parent);
}

static int
count_of (MonoClass *klass, monocle_member_kind kind)
{
	const monocle__member_list *list = monocle__members_of (klass, kind);
	return list ? (int) list->count : 0;
}

/* --- properties --------------------------------------------------------------------------------------------------- */

MonoProperty *
mono_class_get_properties (MonoClass *klass, void **iter)
{
	return monocle__member_next (monocle__members_of (klass, MONOCLE_MEMBER_PROPERTY), iter);
}

int
mono_class_num_properties (MonoClass *klass)
{
	return count_of (klass, MONOCLE_MEMBER_PROPERTY);
}

MonoProperty *
mono_class_get_property_from_name (MonoClass *klass, const char *name)
{
	for (int depth = 0; klass && name && depth < MONOCLE__DEPTH_LIMIT; depth++, klass = mono_class_get_parent (klass)) {
		void *iter = NULL;
		MonoProperty *property;
		while ((property = mono_class_get_properties (klass, &iter)))
			if (!strcmp (property->member.desc->name, name))
				return property;
	}
	return NULL;
}

const char *
mono_property_get_name (MonoProperty *property)
{
	return property ? property->member.desc->name : NULL;
}

MonoMethod *
mono_property_get_get_method (MonoProperty *property)
{
	return property ? accessor (&property->member, GETTER) : NULL;
}

MonoMethod *
mono_property_get_set_method (MonoProperty *property)
{
	return property ? accessor (&property->member, SETTER) : NULL;
}

MonoClass *
mono_property_get_parent (MonoProperty *property)
{
	return property ? property->member.parent : NULL;
}

uint32_t
mono_property_get_flags (MonoProperty *property)
{
	return property ? property->member.desc->flags : 0;
}

uint32_t
mono_class_get_property_token (MonoProperty *property)
{
	return property ? property->member.desc->token : 0;
}

/* --- events ------------------------------------------------------------------------------------------------------- */

MonoEvent *
mono_class_get_events (MonoClass *klass, void **iter)
{
	return monocle__member_next (monocle__members_of (klass, MONOCLE_MEMBER_EVENT), iter);
}

int
mono_class_num_events (MonoClass *klass)
{
	return count_of (klass, MONOCLE_MEMBER_EVENT);
}

const char *
mono_event_get_name (MonoEvent *event)
{
	return event ? event->member.desc->name : NULL;
}

MonoMethod *
mono_event_get_add_method (MonoEvent *event)
{
	return event ? accessor (&event->member, ADD) : NULL;
}

MonoMethod *
mono_event_get_remove_method (MonoEvent *event)
{
	return event ? accessor (&event->member, REMOVE) : NULL;
}

MonoMethod *
mono_event_get_raise_method (MonoEvent *event)
{
	return event ? accessor (&event->member, RAISE) : NULL;
}

MonoClass *
mono_event_get_parent (MonoEvent *event)
{
	return event ? event->member.parent : NULL;
}

uint32_t
mono_event_get_flags (MonoEvent *event)
{
	return event ? event->member.desc->flags : 0;
}

uint32_t
mono_class_get_event_token (MonoEvent *event)
{
	return event ? event->member.desc->token : 0;
}
