/*
 * SPDX-License-Identifier: MIT
 *
 * class-load.h - classes that were met by their objects.
 */
#ifndef MONOCLE_CLR_CLASS_LOAD_H
#define MONOCLE_CLR_CLASS_LOAD_H

#include <stdbool.h>
#include <monocle/host.h>
#include "state.h"

/* Does anybody want to know which classes are set up? */
static inline bool
monocle__class_load_wanted (void)
{
	return monocle__clr_listened (MONOCLE_EVENT_vtable_loading) || monocle__clr_listened (MONOCLE_EVENT_vtable_loaded);
}

/*
 * An object of the class was met: if it was not told that there can be any, it is told now. Arrays are loaded without a
 * word, and other classes may have been loaded before anybody listened. NULL: nothing.
 */
void monocle__class_load_met (MonoClass *klass);

#endif
