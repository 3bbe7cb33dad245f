/*
 * SPDX-License-Identifier: MIT
 *
 * editable.h - images that may be edited while they run: hot reload, `dotnet watch`.
 */
#ifndef MONOCLE_CLR_EDITABLE_H
#define MONOCLE_CLR_EDITABLE_H

#include <stdbool.h>
#include <stdint.h>
#include "ecma.h"
#include "image.h"

/*
 * The class whose attribute an image has that the runtime lets be edited, and its constructor: the image refers to it,
 * so its code may call it without a row that the image does not have (probes/gate.h).
 */
#define MONOCLE__EDITABLE_NAME_SPACE "System.Diagnostics"
#define MONOCLE__EDITABLE_CLASS      "DebuggableAttribute"

/* Does this process let images be edited at all? */
bool monocle__editable_allowed (void);
/*
 * Does the runtime let this one be? *ret_constructor: the token by which it names the constructor that takes a number;
 * 0: it does not name that one. Any context. The core library and images that are being written never are.
 */
bool monocle__editable_is (const monocle__ecma_image *image, uint32_t *ret_constructor);

/*
 * Of an editable image. The body of a method as the program has it now, whatever we have put into it; NULL: it has
 * none. Any context.
 */
const uint8_t *monocle__editable_body (const monocle__clr_image *image, mdToken method, size_t *ret_size);
/*
 * Of any image: the body of a method as the program has it, whatever we have put into it. NULL: it has none, or it
 * cannot be read. Any context.
 */
const uint8_t *monocle__editable_body_of_any (const monocle__clr_image *image, mdToken method, size_t *ret_size);
/* Was the method added by an edit? Any context; false for other images. */
bool monocle__editable_is_added (const monocle__clr_image *image, mdToken method);
/*
 * Do the image's symbols tell of the body that the method has now? They do where an edit changed nothing but operands:
 * then its lines are those of the source that was compiled. True for other images. Normal context.
 */
bool monocle__editable_has_symbols (const monocle__clr_image *image, mdToken method);
/* Has the runtime another body now than the last one that it was given by us? Any context. */
bool monocle__editable_is_replaced (const monocle__clr_image *image, mdToken method);
/*
 * Notes that the runtime was given our body in place of another. Without memory for that an edit is not noticed: its
 * body has no probes. Under the image's lock.
 */
void monocle__editable_note (monocle__clr_image *image, mdToken method, const uint8_t *ours, const uint8_t *replaced);

#endif
