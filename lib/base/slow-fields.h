/*
 * SPDX-License-Identifier: MIT
 *
 * slow-fields.h - how slow calls are in a pprof file: fields that profile.proto does not have, which its readers skip.
 *
 * Field 1001 of the file, once for each slow call, the longest first, is a message. Texts are indices of the string
 * table; what is 0 or missing is not known. Strings, locations and functions are the file's own.
 */
#ifndef MONOCLE_BASE_SLOW_FIELDS_H
#define MONOCLE_BASE_SLOW_FIELDS_H

enum { MONOCLE__PROFILE_SLOW_CALL = 1001 };

enum {
	MONOCLE__SLOW_START = 1,   /* nanoseconds since the profile began */
	MONOCLE__SLOW_DURATION,    /* nanoseconds */
	MONOCLE__SLOW_THREAD,      /* the kernel's number of it */
	MONOCLE__SLOW_THREAD_NAME, /* text */
	MONOCLE__SLOW_END,         /* monocle_kit_end */
	MONOCLE__SLOW_LOCATION,    /* ids, packed: the method first, then its callers */
	MONOCLE__SLOW_ARGUMENTS,   /* text */
	MONOCLE__SLOW_RESULT,      /* text */
};

#endif
