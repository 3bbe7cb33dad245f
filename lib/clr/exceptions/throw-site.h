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
 * In ExceptionThrown, whose own frame is `frame`: is there managed code on the stack? False: nobody can catch the
 * exception, and what the runtime's next callback is about is no function.
 */
bool monocle__throw_site_is_managed (uintptr_t frame);

#endif
