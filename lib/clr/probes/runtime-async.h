/*
 * SPDX-License-Identifier: MIT
 *
 * runtime-async.h - methods that the runtime itself suspends and resumes, as metadata has them.
 */
#ifndef MONOCLE_CLR_RUNTIME_ASYNC_H
#define MONOCLE_CLR_RUNTIME_ASYNC_H

#include <stdbool.h>
#include "images/image.h"

/* What the core library's own methods do in it. */
typedef enum {
	MONOCLE__ASYNC_NO_PART,
	MONOCLE__ASYNC_SUSPENDS,   /* called by each method that is suspended, from its own frame */
	MONOCLE__ASYNC_DISPATCHES, /* resumes methods, one after the other, and catches what they throw */
} monocle__async_part;

/* Is it such a method? */
bool monocle__runtime_async_is (const monocle__ecma_methoddef *row);
/*
 * The type of what `ret` returns in any method, in the bytes of its signature. In a method of this kind it is T where
 * the signature says Task<T> or ValueTask<T>, and nothing where it says Task or ValueTask. False: nothing is returned,
 * or the signature is malformed.
 */
bool monocle__runtime_async_result (const monocle__ecma_image *image, const monocle__ecma_methoddef *row,
                                    const uint8_t **ret_type, uint32_t *ret_size);
/* May a call of this token suspend the method that it is in? */
bool monocle__runtime_async_awaits (const monocle__ecma_image *image, uint32_t token);
/* Does a call of this token leave the method that it is in, for good? */
bool monocle__runtime_async_leaves (const monocle__ecma_image *image, uint32_t token);

monocle__async_part monocle__runtime_async_part (const monocle__clr_image *image, mdToken token);
/* Has this runtime's core library all parts? Where it has not, nothing says when a method is suspended: we say that. */
bool monocle__runtime_async_is_known (void);

#endif
