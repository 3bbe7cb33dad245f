/*
 * SPDX-License-Identifier: MIT
 *
 * private-name.c - see private-name.h.
 */
#include "private-name.h"

#include <string.h>

const monocle__private_member monocle__private_members[] = {
#define MONOCLE__MEMBER(id, feature, seen, type, member) { MONOCLE__PRIVATE_##feature, seen, type, member },
#include "private-names.def"
};

static const char *const features[] = {
#define MONOCLE__FEATURE(id, words) words,
#include "private-names.def"
};

bool
monocle__private_name_is_known (unsigned major)
{
	return !major || (major >= MONOCLE__PRIVATE_OLDEST && major <= MONOCLE__PRIVATE_NEWEST);
}

bool
monocle__private_name_is_seen (uint32_t seen, unsigned major)
{
	return monocle__private_name_is_known (major) && seen & 1u << major;
}

const char *
monocle__private_name_type (const char *type)
{
	const char *begin = type;
	for (size_t i = 0, length = strcspn (type, "/"); i < length; i++)
		if (type[i] == '.')
			begin = type + i + 1;
	return begin;
}

const char *
monocle__private_name_feature (monocle__private_feature feature)
{
	return features[feature];
}
