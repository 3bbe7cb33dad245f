/*
 * SPDX-License-Identifier: MIT
 *
 * object.c - what can be said of an object as a whole: its class and size, what it is an instance of, where the value
 * in a box begins.
 *
 * Looking at an object is allowed wherever the host says so for its object_class operation.
 */
#include "class.h"
#include "dispatch/host.h"
#include "image.h"
#include "log.h"

MonoClass *
mono_object_get_class (MonoObject *object)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	return object && ops->object_class ? ops->object_class (ops->host, object) : NULL;
}

MonoVTable *
mono_object_get_vtable (MonoObject *object)
{
	MonoClass *klass = mono_object_get_class (object);
	return klass ? &klass->vtable : NULL;
}

MonoDomain *
mono_object_get_domain (MonoObject *object)
{
	return object ? monocle_domain_root () : NULL;
}

unsigned
mono_object_get_size (MonoObject *object)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	if (!object)
		return 0;
	if (ops->object_size)
		return (unsigned) ops->object_size (ops->host, object);
	MONOCLE__LOG_ONCE ("mono_object_get_size is not served by this host; it returned 0");
	return 0;
}

MonoClass *
mono_vtable_class (MonoVTable *vtable)
{
	return vtable ? vtable->klass : NULL;
}

MonoDomain *
mono_vtable_domain (MonoVTable *vtable)
{
	return vtable ? monocle_domain_root () : NULL;
}

/*
 * Mono lays the class out here. So the host is asked for its layout: later, where nothing can be looked up, it knows
 * the class.
 */
MonoVTable *
mono_class_vtable (MonoDomain *domain, MonoClass *klass)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	monocle_layout_info layout = { .size = sizeof layout };
	MonoImage *image = monocle__class_image (klass);
	if (!klass)
		return NULL;
	if (ops->describe_layout && monocle__image_ask_begin (image)) {
		ops->describe_layout (ops->host, klass, &layout);
		monocle__image_ask_end (image);
	}
	return &klass->vtable;
}

/* --- boxes and casts ---------------------------------------------------------------------------------------------- */

void *
mono_object_unbox (MonoObject *object)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	MonoClass *klass = mono_object_get_class (object);
	if (!klass || !mono_class_is_valuetype (klass))
		return NULL;
	if (ops->object_header)
		return (char *) object + ops->object_header;
	MONOCLE__LOG_ONCE ("mono_object_unbox is not served by this host; it returned NULL");
	return NULL;
}

MonoObject *
mono_object_isinst (MonoObject *object, MonoClass *klass)
{
	MonoClass *own = klass ? mono_object_get_class (object) : NULL;
	return own && mono_class_is_assignable_from (klass, own) ? object : NULL;
}

/* There are no proxies of remote objects here, for which Mono has these two. */
MonoObject *
mono_object_isinst_mbyref (MonoObject *object, MonoClass *klass)
{
	return mono_object_isinst (object, klass);
}
