/*
 * SPDX-License-Identifier: MIT
 *
 * array-method.h - methods that no image holds.
 */
#ifndef MONOCLE_MODEL_ARRAY_METHOD_H
#define MONOCLE_MODEL_ARRAY_METHOD_H

#include "member.h"

/* The methods that an array class has: constructors, Get, Address, Set. NULL without memory. Any context. */
monocle__member_list *monocle__array_methods_new (MonoClass *klass);

#endif
