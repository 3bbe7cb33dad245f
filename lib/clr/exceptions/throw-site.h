/*
 * SPDX-License-Identifier: MIT
 *
 * throw-site.h - where an exception is thrown from.
 */
#ifndef MONOCLE_CLR_THROW_SITE_H
#define MONOCLE_CLR_THROW_SITE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * In ExceptionThrown, whose own frame is `frame`: is there managed code on the stack? False: the exception cannot be
 * caught, and what the runtime's next callback names is not a function.
 */
bool monocle__throw_site_is_managed (uintptr_t frame);

#endif
