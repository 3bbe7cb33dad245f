/*
 * SPDX-License-Identifier: MIT
 *
 * file-host.c - see file-host.h: images from files or bytes, and the owner of lib/describe that keeps them.
 */
#include "file-host.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "describe.h"

typedef struct file_image {
	monocle__describe_image cli; /* first, as for every owner */
	void *map;                   /* ours to unmap, NULL: the caller's bytes */
	size_t map_size;
	struct file_image *next;
} file_image;

static file_image *images;
static monocle__describe_image *corlib;

static monocle__describe_image *
image_named (monocle__describe_image *from, const char *assembly)
{
	for (file_image *i = images; i; i = i->next)
		if (i->cli.name && strcmp (i->cli.name, assembly) == 0)
			return &i->cli;
	return NULL;
}

static monocle__describe_image *
get_corlib (void)
{
	return corlib;
}

static monocle__describe_scratch *
scratch (void)
{
	static __thread monocle__describe_scratch *own;
	if (!own) {
		void *memory =
		    mmap (NULL, sizeof *own, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		own = memory == MAP_FAILED ? NULL : memory;
	}
	return own;
}

static monocle_host_ops ops = {
	.size = sizeof ops,
	.api_version = MONOCLE_HOST_API_VERSION,
	.name = "files",
	.runtime_version = "0",
};

const monocle_host_ops *
file_host_ops (void)
{
	return &ops;
}

void
file_host_start (void)
{
	static const monocle__describe_owner owner = { image_named, get_corlib, scratch };
	static bool started;
	if (started)
		return;
	started = true;
	monocle__describe_init (&owner);
	monocle__describe_fill_ops (&ops);
	if (monocle_host_init (&ops))
		abort ();
}

static void
free_image (file_image *image)
{
	if (image->map)
		munmap (image->map, image->map_size);
	free (image);
}

static bool
is_corlib (const monocle__describe_image *image)
{
	return !corlib && image->name &&
	       (strcmp (image->name, "mscorlib") == 0 || strcmp (image->name, "System.Private.CoreLib") == 0);
}

static MonoImage *
open_image (file_image *image, const char *name, const void *bytes, size_t size, bool mapped, bool may_be_corlib)
{
	monocle__ecma_image *ecma = &image->cli.ecma;
	if (monocle__ecma_open_pe (ecma, bytes, size, mapped) || !monocle__describe_image_init (&image->cli)) {
		free_image (image);
		return NULL;
	}
	image->cli.is_corlib = may_be_corlib && is_corlib (&image->cli);
	image->cli.record = monocle_image_new (name, image->cli.is_corlib ? MONOCLE_IMAGE_CORLIB : 0,
	                                       monocle__ecma_rows (ecma, MONOCLE__TABLE_TypeDef),
	                                       monocle__ecma_rows (ecma, MONOCLE__TABLE_MethodDef), image);
	if (!image->cli.record)
		abort ();
	if (image->cli.is_corlib)
		corlib = &image->cli;
	atomic_store (&image->cli.readable, true);
	image->next = images;
	images = image;
	monocle_image_set_assembly_visible (image->cli.record);
	return image->cli.record;
}

static bool
map_file (const char *path, file_image *image)
{
	struct stat status;
	int file = open (path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	if (fstat (file, &status) == 0 && status.st_size > 0) {
		image->map_size = (size_t) status.st_size;
		void *map = mmap (NULL, image->map_size, PROT_READ, MAP_PRIVATE, file, 0);
		image->map = map == MAP_FAILED ? NULL : map;
	}
	close (file);
	return image->map != NULL;
}

static file_image *
image_new (void)
{
	file_image *image = calloc (1, sizeof *image);
	if (!image)
		abort ();
	return image;
}

MonoImage *
file_host_open (const char *path)
{
	file_image *image = image_new ();
	if (map_file (path, image))
		return open_image (image, path, image->map, image->map_size, false, true);
	free_image (image);
	return NULL;
}

MonoImage *
file_host_open_bytes (const char *name, const void *bytes, size_t size, bool mapped)
{
	return open_image (image_new (), name, bytes, size, mapped, false);
}

void
file_host_close (MonoImage *record)
{
	file_image *image = monocle_image_data (record), **link = &images;
	while (*link && *link != image)
		link = &(*link)->next;
	if (!image || !*link)
		return;
	*link = image->next;
	monocle_image_unload (record);
	atomic_store (&image->cli.readable, false);
	monocle__describe_image_done (&image->cli);
	free_image (image);
}
