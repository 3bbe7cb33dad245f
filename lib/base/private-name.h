/*
 * SPDX-License-Identifier: MIT
 *
 * private-name.h - names of the runtimes that are no public API, and the versions in which they were seen
 * (private-names.def).
 *
 * A name may be gone in the next version, or mean something else. So a feature that rests on names asks first whether
 * this runtime's version was looked at and has all of them; where it has not, the feature is off, and one sentence says
 * so: no answer is made of what only looks like it.
 */
#ifndef MONOCLE_BASE_PRIVATE_NAME_H
#define MONOCLE_BASE_PRIVATE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The versions of .NET that were looked at, and Mono 6.8, whose number is 0. */
#define MONOCLE__PRIVATE_OLDEST           8
#define MONOCLE__PRIVATE_NEWEST           11
#define MONOCLE__PRIVATE_MONO             1u
#define MONOCLE__PRIVATE_WRAPPER          3u /* of Mono, and declared in no class library */
#define MONOCLE__PRIVATE_NET(first, last) ((2u << (last)) - (1u << (first)))

typedef enum {
#define MONOCLE__FEATURE(id, words) MONOCLE__PRIVATE_##id,
#include "private-names.def"
	MONOCLE__PRIVATE_FEATURES,
} monocle__private_feature;

typedef enum {
#define MONOCLE__MEMBER(id, feature, seen, type, member) MONOCLE__NAME_##id,
#include "private-names.def"
	MONOCLE__NAMES,
} monocle__private_id;

typedef struct {
	monocle__private_feature feature;
	uint32_t seen;
	const char *type, *member; /* type: with its name space, nested ones behind a '/'; member: "" for the type itself */
} monocle__private_member;

/* Async-safe, like all here; what is returned is constant. */
extern const monocle__private_member monocle__private_members[MONOCLE__NAMES];

/* `major`: of .NET, or 0 for Mono. Has this name been seen in it? False for a version that was not looked at. */
bool monocle__private_name_is_seen (uint32_t seen, unsigned major);
/* Was the version looked at? */
bool monocle__private_name_is_known (unsigned major);
/* The outermost type of such a name: where it begins, behind the name space and its dot. */
const char *monocle__private_name_type (const char *type);
/* What is not had where a name of the feature is missing, in words that end a sentence: "... are not had". */
const char *monocle__private_name_feature (monocle__private_feature feature);

#endif
