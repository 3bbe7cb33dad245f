/*
 * SPDX-License-Identifier: MIT
 *
 * r2r_builder.h - a small image with ReadyToRun tables, written byte by byte.
 */
#ifndef MONOCLE_TEST_ECMA_R2R_BUILDER_H
#define MONOCLE_TEST_ECMA_R2R_BUILDER_H

#include "builder.h"

enum { R2R_CODE_RVA = 0x2400, R2R_FUNCTION_SIZE = 0x10 };

/*
 * "house" for x86-64, with six functions of R2R_FUNCTION_SIZE bytes, one behind the other: 0 is the method of row 1, 1
 * its funclet, 2 that of row 3 (with fix-ups), 3 that of row 20, 4 a generic instance: row 2 of Outer`1 over any
 * reference, and 5 the cold part of 2. The code is zeros.
 */
struct bytes build_r2r (void);

#endif
