/*
 * SPDX-License-Identifier: MIT
 *
 * image.c - the metadata side of an image, from load to unload, and who owns the images.
 */
#include <stdlib.h>
#include "describe-priv.h"
#include "source.h"

const monocle__describe_owner *monocle__describe_owner_now;

void
monocle__describe_init (const monocle__describe_owner *owner)
{
	monocle__describe_owner_now = owner;
}

bool
monocle__describe_image_init (monocle__describe_image *image)
{
	monocle__ecma_assembly assembly;
	uint32_t typerefs = monocle__ecma_rows (&image->ecma, MONOCLE__TABLE_TypeRef);
	image->typerefs = calloc (typerefs + 1u, sizeof *image->typerefs);
	if (!image->typerefs)
		return false;
	if (monocle__ecma_get_assembly (&image->ecma, &assembly) == 0 && assembly.name)
		image->name = monocle_intern (assembly.name);
	image->typeref_rows = typerefs;
	return true;
}

void
monocle__describe_image_done (monocle__describe_image *image)
{
	image->typeref_rows = 0;
	free ((void *) image->typerefs);
	image->typerefs = NULL;
	monocle__describe_index_free (atomic_exchange (&image->index, NULL));
	monocle__describe_source_close (atomic_exchange (&image->source, NULL));
	free ((void *) atomic_exchange (&image->references, NULL));
}

bool
monocle__describe_image_read_begin (monocle__describe_image *image)
{
	/* Sequentially consistent on both sides: either the unloader sees us, or we see that it began. */
	atomic_fetch_add (&image->readers, 1);
	if (atomic_load (&image->readable))
		return true;
	atomic_fetch_sub (&image->readers, 1);
	return false;
}

void
monocle__describe_image_read_end (monocle__describe_image *image)
{
	atomic_fetch_sub (&image->readers, 1);
}

monocle__describe_image *
monocle__describe_image_of (MonoImage *record)
{
	monocle__describe_image *image = record ? monocle_image_data (record) : NULL;
	return image && atomic_load (&image->readable) ? image : NULL;
}
