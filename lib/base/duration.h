/*
 * SPDX-License-Identifier: MIT
 *
 * duration.h - times as people write them: 250us, 500ms, 1.5s, 2m, 1h.
 */
#ifndef MONOCLE_BASE_DURATION_H
#define MONOCLE_BASE_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A number, which may have a fraction, and ns, us, ms, s, m or h. A number alone counts `plain` nanoseconds each; when
 * that is 0, only 0 may stand alone. False: it is no such time, or more than 2^64 nanoseconds. Async-safe.
 */
bool monocle__duration_read (const char *text, uint64_t plain, uint64_t *ret_nanoseconds);

#endif
