/*
 * SPDX-License-Identifier: MIT
 *
 * text-exceptions.h - the report of exceptions for people: what was thrown, how often, and where in the program.
 */
#ifndef MONOCLE_REPORT_TEXT_EXCEPTIONS_H
#define MONOCLE_REPORT_TEXT_EXCEPTIONS_H

#include "report.h"

/* Does the profile count exceptions, so that the innermost frame of each stack is a type? */
bool monocle__text_exceptions_is_for (const monocle__profile *profile);
monocle__report_writer monocle__text_exceptions;

#endif
