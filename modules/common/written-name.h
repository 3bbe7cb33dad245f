/*
 * SPDX-License-Identifier: MIT
 *
 * written-name.h - methods that the compilers of Visual Basic and F# made, called as their sources have them. Compiled
 * into each module that needs it.
 */
#ifndef MONOCLE_MODULES_WRITTEN_NAME_H
#define MONOCLE_MODULES_WRITTEN_NAME_H

#include <stdint.h>

#include <mono/metadata/object.h>

/*
 * "Shop.M:Work (async)" for Shop.M/VB$StateMachine_1_Work:MoveNext (), and "Shop.Program:sum.lambda (int)" for
 * Shop.Program/sum@12:Invoke (int). NULL: neither of these compilers made the method, or there is no memory. The caller
 * frees it with free (). `full_name` is what mono_method_full_name () says. Normal context, on a thread that the
 * runtime answers.
 */
char *written_name (MonoMethod *method, const char *full_name);

/*
 * The token of the method that a person wrote, of which F#'s compiler made this one, or in which this lambda of Visual
 * Basic stands; 0: neither, or it is not known. In the same contexts.
 */
uint32_t written_in (MonoMethod *method);

#endif
