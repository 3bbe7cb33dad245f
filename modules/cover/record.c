/*
 * SPDX-License-Identifier: MIT
 *
 * record.c - see record.h. All tables are under one lock, which is held while one record is written.
 *
 * A forked child shares the file: what it counts in known places is counted, and it makes no records, because its
 * parent does not know of them. It takes no lock either: the thread that held it may not be in the child.
 */
#include "record.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mono/metadata/attrdefs.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/utils/mono-publib.h>

#include "file.h"
#include "filter.h"
#include "map.h"
#include "plan.h"
#include "source.h"
#include "written-name.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Some are forgotten when an image goes, so numbers are counted apart. */
static map images, documents, types; /* to the number of their record */
static map methods;                  /* to the offset of their record */
static map generated;                /* methods that were left out, which are counted once */
static map refused;                  /* methods that were compiled without counters */
static uint32_t image_count, document_count, type_count;
static bool has_ended;

/* --- images, sources, classes ------------------------------------------------------------------------------------- */

/* Room for a record of `head` bytes and a text. */
static void *
new_record (uint32_t kind, size_t head, size_t text)
{
	uint64_t size = monocle__cover_round (head + text);
	struct monocle__cover_record *record = file_reserve (size);
	if (record)
		*record = (struct monocle__cover_record) { (uint32_t) size, kind };
	return record;
}

/* Shows the record, and remembers its number, which is the next one of its kind, under `key`. */
static bool
end_record (map *kind, const void *key, const struct monocle__cover_record *record, uint32_t *count,
            uint32_t *ret_number)
{
	if (!map_add (kind, key, *count))
		return false;
	*ret_number = (*count)++;
	file_publish (record->size);
	return true;
}

static void
parse_mvid (const char *text, uint8_t mvid[16])
{
	for (uint32_t i = 0; text && *text && i < 32; text++) {
		const char *hex = "0123456789ABCDEF", *digit = strchr (hex, *text);
		if (!digit)
			continue;
		mvid[i / 2] |= (uint8_t) ((digit - hex) << (i % 2 ? 0 : 4));
		i++;
	}
}

static bool
image_number (MonoImage *image, uint32_t *ret_number)
{
	uint64_t *known = map_find (&images, image);
	if (known) {
		*ret_number = (uint32_t) *known;
		return true;
	}
	const char *name = mono_image_get_name (image), *path = mono_image_get_filename (image);
	name = name ? name : "";
	path = path ? path : "";
	size_t name_length = strlen (name), path_length = strlen (path);
	struct monocle__cover_image *r = new_record (MONOCLE__COVER_IMAGE, sizeof *r, name_length + path_length);
	if (!r)
		return false;
	parse_mvid (mono_image_get_guid (image), r->mvid);
	r->name_length = (uint32_t) name_length;
	r->path_length = (uint32_t) path_length;
	memcpy (r->text, name, name_length);
	memcpy (r->text + name_length, path, path_length);
	return end_record (&images, image, &r->record, &image_count, ret_number);
}

static bool
document_number (const MonocleCoverageDocument *document, uint32_t *ret_number)
{
	uint64_t *known = map_find (&documents, document);
	if (known) {
		*ret_number = (uint32_t) *known;
		return true;
	}
	size_t length = strlen (document->path);
	struct monocle__cover_document *r = new_record (MONOCLE__COVER_DOCUMENT, sizeof *r, length);
	if (!r)
		return false;
	if (document->hash && document->hash_size <= sizeof r->hash) {
		memcpy (r->hash, document->hash, document->hash_size);
		r->hash_size = document->hash_size;
	}
	r->path_length = (uint32_t) length;
	memcpy (r->text, document->path, length);
	return end_record (&documents, document, &r->record, &document_count, ret_number);
}

/* "N.Outer`1/Inner"; answers its length. */
static size_t
name_class (MonoClass *klass, char *name, size_t size)
{
	MonoClass *outer = mono_class_get_nesting_type (klass);
	const char *name_space = outer ? NULL : mono_class_get_namespace (klass);
	size_t length = outer ? name_class (outer, name, size) : 0;
	const char *before = outer ? "/" : name_space ? name_space : "";
	const char *dot = !outer && *before ? "." : "";
	int more = snprintf (name + length, size - length, "%s%s%s", before, dot, mono_class_get_name (klass));
	return length + (size_t) more < size ? length + (size_t) more : size - 1;
}

static bool
type_number (MonoClass *klass, uint32_t *ret_number)
{
	uint64_t *known = map_find (&types, klass);
	uint32_t image;
	if (known) {
		*ret_number = (uint32_t) *known;
		return true;
	}
	char name[2048];
	size_t length = name_class (klass, name, sizeof name);
	if (!image_number (mono_class_get_image (klass), &image))
		return false;
	struct monocle__cover_type *r = new_record (MONOCLE__COVER_TYPE, sizeof *r, length);
	if (!r)
		return false;
	r->image = image;
	r->token = mono_class_get_type_token (klass);
	r->name_length = (uint32_t) length;
	memcpy (r->text, name, length);
	return end_record (&types, klass, &r->record, &type_count, ret_number);
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static uint32_t
flags_of (MonoMethod *method)
{
	uint32_t flags = mono_method_get_flags (method, NULL), said = 0;
	const char *name = mono_method_get_name (method);
	if (flags & MONO_METHOD_ATTR_STATIC)
		said |= MONOCLE__COVER_STATIC;
	if (!(flags & MONO_METHOD_ATTR_SPECIAL_NAME))
		return said;
	if (!strcmp (name, ".ctor") || !strcmp (name, ".cctor"))
		said |= MONOCLE__COVER_CONSTRUCTOR;
	else if (!strncmp (name, "get_", 4))
		said |= MONOCLE__COVER_GETTER;
	else if (!strncmp (name, "set_", 4))
		said |= MONOCLE__COVER_SETTER;
	return said;
}

/* "Add (int,int)"; malloc'd. */
static char *
name_method (MonoMethod *method)
{
	MonoMethodSignature *signature = mono_method_signature (method);
	char *parameters = signature ? mono_signature_get_desc (signature, 0) : NULL, *name;
	if (asprintf (&name, "%s (%s)", mono_method_get_name (method), parameters ? parameters : "") < 0)
		name = NULL;
	mono_free (parameters);
	return name;
}

static void
fill_points (struct monocle__cover_point *to, const MonocleCoveragePlan *plan, const uint32_t *numbers)
{
	for (uint32_t i = 0; i < plan->point_count; i++) {
		const MonocleCoveragePoint *p = &plan->points[i];
		to[i] = (struct monocle__cover_point) {
			.il_offset = p->il_offset,
			.document = numbers[i],
			.start_line = p->start_line,
			.end_line = p->end_line,
			.start_column = (uint16_t) (p->start_column > UINT16_MAX ? 0 : p->start_column),
			.end_column = (uint16_t) (p->end_column > UINT16_MAX ? 0 : p->end_column),
			.counter = p->counter | (p->beyond ? MONOCLE__COVER_POINT_BEYOND : 0),
		};
	}
}

static void
fill_arms (struct monocle__cover_arm *to, const MonocleCoveragePlan *plan)
{
	for (uint32_t i = 0; i < plan->arm_count; i++) {
		const MonocleCoverageArm *a = &plan->arms[i];
		to[i] = (struct monocle__cover_arm) {
			.il_offset = a->il_offset,
			.target_offset = a->target_offset,
			.point = a->point,
			.path = a->path,
			.counter = a->counter,
			.flags = a->of_switch ? MONOCLE__COVER_ARM_SWITCH : 0,
		};
	}
}

/* The numbers of the points' sources; malloc'd. NULL: no memory or no room. */
static uint32_t *
number_documents (const MonocleCoveragePlan *plan)
{
	uint32_t *numbers = calloc (plan->point_count + 1, sizeof *numbers);
	for (uint32_t i = 0; numbers && i < plan->point_count; i++) {
		const MonocleCoverageDocument *document = plan->points[i].document;
		if (document && document_number (document, &numbers[i]))
			continue;
		free (numbers);
		return NULL;
	}
	return numbers;
}

/* The symbols say it of state machines, but not of closures. */
static uint32_t
kickoff_of (const MonocleCoveragePlan *plan)
{
	MonoImage *image = mono_class_get_image (mono_method_get_class (plan->method));
	MonoMethod *kickoff = plan->kickoff ? mono_get_method (image, plan->kickoff, NULL) : NULL;
	uint32_t token = written_in (kickoff ? kickoff : plan->method);
	return token ? token : plan->kickoff;
}

static struct monocle__cover_method *
write_method (const MonocleCoveragePlan *plan, uint32_t type, const uint32_t *numbers, const char *name)
{
	struct monocle__cover_method m = { .record.kind = MONOCLE__COVER_METHOD, .type = type };
	uint32_t counter_size = file_header ()->counter_size;
	m.token = mono_method_get_token (plan->method);
	m.kickoff = kickoff_of (plan);
	m.flags = flags_of (plan->method);
	m.point_count = plan->point_count;
	m.arm_count = plan->arm_count;
	m.counter_count = plan->counter_count;
	m.name_length = (uint32_t) strlen (name);
	uint64_t counters = monocle__cover_counters_at (&m);
	uint64_t size = monocle__cover_round (counters + monocle__cover_counters_size (&m, counter_size));
	uint8_t *at = file_reserve (size);
	if (!at)
		return NULL;
	m.record.size = (uint32_t) size;
	m.counters = (uint32_t) counters;
	memcpy (at, &m, sizeof m);
	fill_points ((struct monocle__cover_point *) (void *) (at + sizeof m), plan, numbers);
	fill_arms ((struct monocle__cover_arm *) (void *) (at + monocle__cover_arms_at (&m)), plan);
	memcpy (at + monocle__cover_name_at (&m), name, m.name_length);
	return (struct monocle__cover_method *) (void *) at;
}

/* NULL: no room. Under the lock. */
static struct monocle__cover_method *
new_method (const MonocleCoveragePlan *plan)
{
	struct monocle__cover_method *record = NULL;
	uint32_t type, *numbers = number_documents (plan);
	char *name = name_method (plan->method);
	if (numbers && name && type_number (mono_method_get_class (plan->method), &type))
		record = write_method (plan, type, numbers, name);
	if (record && map_add (&methods, plan->method, file_offset_of (record)))
		file_publish (record->record.size);
	else
		record = NULL;
	free (numbers);
	free (name);
	return record;
}

static struct monocle__cover_method *
known_method (MonoMethod *method)
{
	uint64_t *known = map_find (&methods, method);
	return known ? file_at (*known) : NULL;
}

static void *
counters_of (struct monocle__cover_method *record, const MonocleCoveragePlan *plan, bool is_compiled)
{
	if (record->counter_count != plan->counter_count)
		return NULL;
	if (is_compiled)
		__atomic_fetch_or (&record->flags, MONOCLE__COVER_PROBED, __ATOMIC_RELAXED);
	return (uint8_t *) record + record->counters;
}

/* An iterator's or an async method's body goes with the method of its source, which no other of that name decides. */
static bool
kickoff_is_wanted (const MonocleCoveragePlan *plan)
{
	MonoImage *image = mono_class_get_image (mono_method_get_class (plan->method));
	uint32_t token = kickoff_of (plan);
	MonoMethod *kickoff = token ? mono_get_method (image, token, NULL) : NULL;
	return !kickoff || filter_wants (kickoff);
}

static void
leave_out (MonoMethod *method)
{
	pthread_mutex_lock (&lock);
	if (file_is_own () && !has_ended && !map_find (&generated, method) && map_add (&generated, method, 0))
		file_leave_out (1);
	pthread_mutex_unlock (&lock);
}

static bool
is_wanted (const MonocleCoveragePlan *plan)
{
	const MonocleCoverageDocument *document = plan->point_count ? plan->points[0].document : NULL;
	bool wanted = document && source_is_wanted (document->path) && kickoff_is_wanted (plan);
	bool is_generated = wanted && source_is_generated (document->path);
	if (is_generated)
		leave_out (plan->method);
	return wanted && !is_generated;
}

void *
record_method (const MonocleCoveragePlan *plan, bool is_compiled)
{
	struct monocle__cover_method *record;
	if (!is_wanted (plan))
		return NULL;
	if (!file_is_own ()) {
		record = known_method (plan->method);
		return record ? counters_of (record, plan, is_compiled) : NULL;
	}
	pthread_mutex_lock (&lock);
	record = known_method (plan->method);
	if (!record && !(record = new_method (plan)) && !has_ended)
		file_lose (MONOCLE__COVER_LOSS_SPACE, 1);
	void *counters = record ? counters_of (record, plan, is_compiled) : NULL;
	if (record && !counters)
		file_lose (MONOCLE__COVER_LOSS_CHANGED, 1);
	pthread_mutex_unlock (&lock);
	return counters;
}

struct monocle__cover_method *
record_of (MonoMethod *method)
{
	pthread_mutex_lock (&lock);
	struct monocle__cover_method *record = known_method (method);
	pthread_mutex_unlock (&lock);
	return record;
}

void
record_check (MonoMethod *definition)
{
	pthread_mutex_lock (&lock);
	const struct monocle__cover_method *record = known_method (definition);
	bool lacks = record && !(record->flags & MONOCLE__COVER_PROBED) && !map_find (&refused, definition);
	if (lacks && map_add (&refused, definition, 0))
		file_lose (MONOCLE__COVER_LOSS_REFUSED, 1);
	pthread_mutex_unlock (&lock);
}

void
record_end (void)
{
	pthread_mutex_lock (&lock);
	has_ended = true;
	file_end ();
	pthread_mutex_unlock (&lock);
}

/* Documents are the runtime's, and it is not said whose: known ones are written once more when they come again. */
static bool
keep_none (const void *key, uint64_t value, const void *data)
{
	return false;
}

static bool
keep_image (const void *key, uint64_t value, const void *image)
{
	return key != image;
}

static bool
keep_class (const void *key, uint64_t value, const void *image)
{
	return mono_class_get_image ((MonoClass *) (uintptr_t) key) != image;
}

static bool
keep_method (const void *key, uint64_t value, const void *image)
{
	return mono_class_get_image (mono_method_get_class ((MonoMethod *) (uintptr_t) key)) != image;
}

/* Mono gives the memory of what it knew to others, but not that of our documents. */
void
record_forget (MonoImage *image)
{
	pthread_mutex_lock (&lock);
	if (plan_is_hosts ()) {
		map_keep (&documents, keep_none, NULL);
	} else {
		map_keep (&images, keep_image, image);
		map_keep (&types, keep_class, image);
		map_keep (&methods, keep_method, image);
		map_keep (&generated, keep_method, image);
	}
	pthread_mutex_unlock (&lock);
}
