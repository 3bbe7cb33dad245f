/*
 * SPDX-License-Identifier: MIT
 *
 * emitted.h - images that a program writes while it runs (Reflection.Emit), and methods that an edit adds to others.
 * From the runtime's callbacks, and from threads that the runtime does not know, only.
 */
#ifndef MONOCLE_CLR_EMITTED_H
#define MONOCLE_CLR_EMITTED_H

#include <monocle/host.h>
#include "image.h"
#include "thread-memory.h"

/* Has the core ask for what can be asked now: of a new image, of a method that is compiled, of a class. */
void monocle__emitted_image (monocle__clr_image *image);
void monocle__emitted_method (FunctionID function);
void monocle__emitted_class_loaded (MonoClass *klass);
/* After an attach: what was there already. Nothing may be unloaded meanwhile. */
void monocle__emitted_catch_up (monocle__clr_image *image);
/* What its metadata says of a method that is to have probes. The signature lives as long as the image. */
typedef struct {
	uint32_t iflags, owner, class_params, method_params;
	const uint8_t *signature;
	uint32_t signature_size;
	bool is_called_by_native; /* [UnmanagedCallersOnly] */
} monocle__emitted_facts;

/*
 * While it is open on this thread, the core may ask about the image, and so may the next two. NULL: it cannot be opened
 * now, which includes that one is open.
 */
monocle__emitted_capture *monocle__emitted_open (monocle__clr_image *image);
void monocle__emitted_close (monocle__emitted_capture *capture);
bool monocle__emitted_method_facts (monocle__clr_image *image, mdToken method, monocle__emitted_facts *ret_facts);
/* Of a StandAloneSig token. */
bool monocle__emitted_signature (monocle__clr_image *image, mdToken token, const uint8_t **ret_data,
                                 uint32_t *ret_size);
/* monocle_image_unload () of any image. `is_there`: the runtime still has it, and can be asked. */
void monocle__emitted_unload (monocle__clr_image *image, bool is_there);
/* What is known of such images, for the owner's questions. */
extern const monocle__describe_unreadable monocle__emitted_unreadable;

#endif
