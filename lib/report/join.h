/*
 * SPDX-License-Identifier: MIT
 *
 * join.h - several profiles as one.
 */
#ifndef MONOCLE_REPORT_JOIN_H
#define MONOCLE_REPORT_JOIN_H

#include "profile.h"

/*
 * A profile with the samples of all. Values of one type and unit are one; a sample has zero for those that its own
 * profile has not. Each sample gets the labels "process" and "pid", from the comment "program: NAME, pid PID". The time
 * is from the first beginning to the last end. NULL: out of memory.
 */
monocle__profile *monocle__join (const monocle__profile *const *profiles, size_t count);

/* Text after a comment's "KEY: "; NULL: the profile has no such comment. */
const char *monocle__join_comment (const monocle__profile *profile, const char *key);

#endif
