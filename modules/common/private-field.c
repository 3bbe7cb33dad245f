/*
 * SPDX-License-Identifier: MIT
 *
 * private-field.c - see private-field.h.
 */
#include "private-field.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mono/jit/jit.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/object.h>
#include <monocle/kit.h>

/* CoreCLR says "10.0.12 (CoreCLR)"; Mono and others have names of their own, which do not change. */
static unsigned
major_of (const char *build)
{
	return build && strstr (build, "(CoreCLR)") ? (unsigned) strtoul (build, NULL, 10) : 0;
}

MonoClass *
private_field_class (monocle__private_id id)
{
	char space[128];
	const char *whole = monocle__private_members[id].type, *type = monocle__private_name_type (whole);
	snprintf (space, sizeof space, "%.*s", (int) (type > whole ? type - whole - 1 : 0), whole);
	return mono_class_from_name (mono_get_corlib (), space, type);
}

bool
private_field_is_type (const char *name, monocle__private_id id)
{
	const char *type = monocle__private_members[id].type, *slash = strrchr (type, '/');
	return strcmp (name, slash ? slash + 1 : monocle__private_name_type (type)) == 0;
}

MonoClassField *
private_field_of (MonoClass *klass, monocle__private_id id)
{
	return klass ? mono_class_get_field_from_name (klass, monocle__private_members[id].member) : NULL;
}

static bool
is_there (monocle__private_id id)
{
	MonoClass *klass = private_field_class (id);
	return klass && (!*monocle__private_members[id].member || private_field_of (klass, id));
}

/* A name of the feature that this version should have and has not; MONOCLE__NAMES: it has all. */
static monocle__private_id
missing (monocle__private_feature feature, unsigned major)
{
	int id = 0;
	while (id < MONOCLE__NAMES && (monocle__private_members[id].feature != feature ||
	                               !monocle__private_name_is_seen (monocle__private_members[id].seen, major) ||
	                               is_there ((monocle__private_id) id)))
		id++;
	return (monocle__private_id) id;
}

bool
private_field_serves (const char *module, monocle__private_feature feature)
{
	static atomic_bool said[MONOCLE__PRIVATE_FEATURES];
	const char *words = monocle__private_name_feature (feature);
	char *build = mono_get_runtime_build_info ();
	unsigned major = major_of (build);
	mono_free (build);
	bool known = monocle__private_name_is_known (major);
	monocle__private_id id = known ? missing (feature, major) : MONOCLE__NAMES;
	if (known && id == MONOCLE__NAMES)
		return true;
	if (atomic_exchange (&said[feature], true))
		return false;
	if (known)
		monocle_kit_log (module, "%s: this runtime has no %s:%s", words, monocle__private_members[id].type,
		                 monocle__private_members[id].member);
	else
		monocle_kit_log (module, "%s: what that needs is not known of .NET %u", words, major);
	return false;
}
