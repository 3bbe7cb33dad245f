/*
 * SPDX-License-Identifier: MIT
 *
 * member.c - answers about what a class has: interfaces, nested classes, fields, properties, events, methods.
 *
 * Members of definitions are named by their tokens. Members of an instance are named by the instance and their number,
 * because their tokens are those of the definition.
 */
#include <stdio.h>
#include <string.h>
#include "dump.h"

/* Where members belong: "class IMAGE" for a definition, "instance NAME" for an instance. */
typedef struct {
	MonoClass *klass;
	const char *instance; /* NULL: a definition */
} owner;

static void
member_subject (const owner *o, const char *kind, int number, uint32_t token)
{
	if (o->instance)
		dump_subject ("%s %d of %s", kind, number, o->instance);
	else
		dump_subject ("%s %s 0x%08x", kind, mono_image_get_name (mono_class_get_image (o->klass)), token);
}

void
dump_attributes (MonoCustomAttrInfo *attributes)
{
	char key[48];

	dump_number ("attributes", attributes ? attributes->num_attrs : 0);
	if (!attributes)
		return;
	for (int i = 0; i < attributes->num_attrs; i++) {
		MonoCustomAttrEntry *entry = &attributes->attrs[i];
		snprintf (key, sizeof key, "attribute %d constructor", i);
		dump_method (key, entry->ctor);
		snprintf (key, sizeof key, "attribute %d data", i);
		dump_bytes (key, entry->data, entry->data_size);
		snprintf (key, sizeof key, "attribute %d is found", i);
		dump_yes (key, entry->ctor && mono_custom_attrs_has_attr (attributes, mono_method_get_class (entry->ctor)));
	}
	mono_custom_attrs_free (attributes);
}

static const char *
name_of_property (MonoProperty *property)
{
	return property ? mono_property_get_name (property) : NULL;
}

static int
of_image_token (MonoClassField *field, MonoClass *klass)
{
	MonoClass *found = NULL;
	uint32_t token = mono_class_get_field_token (field);

	return mono_field_from_token (mono_class_get_image (klass), token, &found, NULL) == field && found == klass;
}

/* Initial bytes: as many as the field's type has, where the program fixes its layout. */
static void
field_data (MonoClassField *field)
{
	const char *data = mono_field_get_data (field);
	MonoType *type = mono_field_get_type (field);
	int alignment;

	if (mono_field_get_flags (field) & MONO_FIELD_ATTR_HAS_RVA)
		dump_bytes ("initial bytes", data, data ? (uint32_t) mono_type_size (type, &alignment) : 0);
	if (mono_field_get_flags (field) & MONO_FIELD_ATTR_HAS_DEFAULT) {
		uint32_t size = data ? mono_metadata_decode_blob_size (data, &data) : 0;
		dump_bytes ("constant", data, size);
	}
}

static void
field_answers (const owner *o, MonoClassField *field, int number)
{
	MonoClass *klass = o->klass;

	member_subject (o, "field", number, mono_class_get_field_token (field));
#define FIELD(form, key, expression) dump_##form (key, expression);
#include "answers.def"
	if (!(mono_field_get_flags (field) & MONO_FIELD_ATTR_STATIC) && !dump_is_open (mono_class_get_type (klass)))
		dump_number ("offset", mono_field_get_offset (field));
	if (!o->instance) {
		field_data (field);
		dump_attributes (mono_custom_attrs_from_field (klass, field));
	}
	dump_type ("type", -1, mono_field_get_type (field));
}

static void
property_answers (const owner *o, MonoProperty *property, int number)
{
	MonoClass *klass = o->klass;

	member_subject (o, "property", number, mono_class_get_property_token (property));
#define PROPERTY(form, key, expression) dump_##form (key, expression);
#include "answers.def"
	if (!o->instance)
		dump_attributes (mono_custom_attrs_from_property (klass, property));
}

static void
event_answers (const owner *o, MonoEvent *event, int number)
{
	member_subject (o, "event", number, mono_class_get_event_token (event));
#define EVENT(form, key, expression) dump_##form (key, expression);
#include "answers.def"
	if (!o->instance)
		dump_attributes (mono_custom_attrs_from_event (o->klass, event));
}

/* Number 0 is what the method returns. */
static void
parameter_attributes (MonoMethod *method)
{
	MonoMethodSignature *signature = mono_method_signature (method);
	uint32_t count = signature ? mono_signature_get_param_count (signature) : 0;

	for (uint32_t i = 0; i <= count; i++) {
		dump_prefix ("parameter %u of %u ", i, count);
		dump_attributes (mono_custom_attrs_from_param (method, i));
	}
	dump_prefix ("%s", "");
}

static void
method_of (const owner *o, MonoMethod *method, int number)
{
	member_subject (o, "method", number, mono_method_get_token (method));
	dump_method_answers (method);
	if (!o->instance) {
		dump_attributes (mono_custom_attrs_from_method (method));
		parameter_attributes (method);
		dump_body (method);
	}
}

static void
related_classes (const owner *o)
{
	MonoClass *klass = o->klass, *other;
	void *iter = NULL;
	char key[48];
	int i = 0;

	while ((other = mono_class_get_interfaces (klass, &iter))) {
		snprintf (key, sizeof key, "interface %d", i++);
		dump_class (key, other);
		snprintf (key, sizeof key, "interface %d takes it", i);
		dump_yes (key, mono_class_is_assignable_from (other, klass));
		snprintf (key, sizeof key, "interface %d is implemented", i);
		dump_yes (key, mono_class_implements_interface (klass, other));
		dump_meet (other);
	}
	for (i = 0, iter = NULL; (other = mono_class_get_nested_types (klass, &iter)); i++) {
		snprintf (key, sizeof key, "nested %d", i);
		dump_class (key, other);
	}
	dump_meet (mono_class_get_parent (klass));
}

void
dump_members (MonoClass *klass, const char *instance)
{
	owner o = { klass, instance };
	void *iter = NULL, *member;

	related_classes (&o);
	for (int i = 0; (member = mono_class_get_fields (klass, &iter)); i++)
		field_answers (&o, member, i);
	iter = NULL;
	for (int i = 0; (member = mono_class_get_properties (klass, &iter)); i++)
		property_answers (&o, member, i);
	iter = NULL;
	for (int i = 0; (member = mono_class_get_events (klass, &iter)); i++)
		event_answers (&o, member, i);
	iter = NULL;
	for (int i = 0; (member = mono_class_get_methods (klass, &iter)); i++)
		method_of (&o, member, i);
}
