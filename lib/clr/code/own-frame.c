/*
 * SPDX-License-Identifier: MIT
 *
 * own-frame.c - see own-frame.h. A method that was inlined is in no stack. In code with metadata its time is that of
 * another method with a name and a source. A dynamic method has neither: compiled expressions call what the program is
 * about (each handler of a minimal API, among others), are optimised at once, and inline it.
 *
 * So where stacks are wanted, a dynamic method inlines what belongs to libraries, and of the program only methods that
 * take no time to speak of: those that call nothing and go back nowhere, as accessors do. The compiler names as caller
 * what holds the call, not the method that it compiles: what a library's method inlines in a dynamic method is left to
 * it.
 */
#include "own-frame.h"
#include <string.h>
#include <mono/metadata/image.h>
#include "codemap.h"
#include "il.h"
#include "image-origin.h"
#include "images/dynamic-method.h"
#include "images/editable.h"
#include "images/image.h"
#include "images/resolve.h"

/* Images that lie with the program may be the framework's, too: then their names tell. */
static bool
is_library (const monocle__clr_image *image)
{
	const char *path = mono_image_get_filename (image->cli.record);
	const char *slash = path ? strrchr (path, '/') : NULL;
	return path && (monocle__image_origin_is_foreign_path (path) ||
	                monocle__image_origin_is_foreign_name (slash ? slash + 1 : path));
}

static bool
goes_back (const monocle__il_body *body, uint32_t index)
{
	for (uint32_t jump = 0; jump < monocle__il_jump_count (body, index); jump++)
		if (monocle__il_jump_target (body, index, jump) <= index)
			return true;
	return false;
}

/* What cannot be read may be anything. */
static bool
takes_time (const monocle__clr_image *image, mdToken token)
{
	monocle__il_body body;
	size_t size;
	const uint8_t *data = monocle__editable_body_of_any (image, token, &size);
	bool found = false;
	if (!data || monocle__il_read (&body, data, size, NULL))
		return true;
	for (uint32_t i = 0; i < body.count && !found; i++)
		found = monocle__il_flow_of (body.code[i].opcode) == MONOCLE__IL_FLOW_CALL || goes_back (&body, i);
	monocle__il_free (&body);
	return found;
}

bool
monocle__own_frame_is_needed (FunctionID caller, FunctionID callee)
{
	ModuleID module;
	mdToken token;
	if (!monocle__codemap_wanted () || !monocle__dynamic_method_is (caller) ||
	    !monocle__resolve_function (callee, &module, &token))
		return false;
	monocle__clr_image *image = monocle__clr_image_find (module);
	return image && !is_library (image) && takes_time (image, token);
}
