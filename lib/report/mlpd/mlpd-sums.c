/*
 * SPDX-License-Identifier: MIT
 *
 * mlpd-sums.c - the profile of what was added up: addresses become names, paths become samples.
 */
#include "mlpd-sums.h"

#include "array.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_LIMIT = 1 << 27 }; /* frames over all stacks */

/* --- samples ------------------------------------------------------------------------------------------------------ */

/*
 * Where an address was executed: in the innermost method, in another one that the walk of the stack did not find, in
 * native code with a name, or nowhere that is known.
 */
static uint32_t
code_path (monocle__mlpd_sums *s, uint32_t index)
{
	uint64_t address = s->paths.items[index].address, method = monocle__mlpd_names_find_method (&s->names, address);
	uint32_t parent = s->paths.items[index].parent;
	const monocle__mlpd_path *caller = &s->paths.items[parent];
	if (!method)
		return monocle__mlpd_paths_child (&s->paths, parent, MONOCLE__MLPD_FRAME_SYMBOL,
		                                  monocle__mlpd_names_find_symbol (&s->names, address));
	if (caller->kind == MONOCLE__MLPD_FRAME_METHOD && caller->address == method)
		return parent;
	return monocle__mlpd_paths_child (&s->paths, parent, MONOCLE__MLPD_FRAME_METHOD, method);
}

static bool
resolve_code (monocle__mlpd_sums *s)
{
	size_t count = s->paths.count;
	for (size_t i = 1; i < count; i++) {
		int64_t hits = s->paths.items[i].values[1];
		uint32_t path;
		if (s->paths.items[i].kind != MONOCLE__MLPD_FRAME_CODE)
			continue;
		path = code_path (s, (uint32_t) i);
		if (!path)
			return false;
		s->paths.items[i].values[1] = 0;
		monocle__mlpd_path_add (&s->paths, path, 0, hits);
	}
	return true;
}

/* --- the profile -------------------------------------------------------------------------------------------------- */

typedef struct {
	monocle__mlpd_sums *s;
	uint32_t *functions;    /* by path: index of its frame's function */
	monocle__topic *topics; /* by path, and its thread */
	uint32_t *threads;
	const char **names;                      /* by thread: its label; NULL: not asked for yet */
	size_t columns[MONOCLE__TOPIC_COUNT][2]; /* of a topic's values; SIZE_MAX: none */
	size_t samples[MONOCLE__TOPIC_COUNT];
	uint32_t *stack;
	size_t stack_capacity;
} maker;

static bool
is_of_note (const monocle__mlpd_path *path)
{
	return path->kind != MONOCLE__MLPD_ROOT && (path->values[0] || path->values[1]);
}

/* What a question was about has been answered by now. */
static void
name_frame (const monocle__mlpd_sums *s, const monocle__mlpd_path *path, char *buffer, size_t size,
            const char **ret_name)
{
	monocle__mlpd_frame_kind kind = (monocle__mlpd_frame_kind) path->kind;
	uint64_t address = path->address;
	if (kind == MONOCLE__MLPD_FRAME_ASKED) {
		address = s->objects.questions[address].type;
		kind = address ? s->type_kind : MONOCLE__MLPD_FRAME_UNKNOWN;
	}
	*ret_name = monocle__mlpd_names_of (&s->names, kind, address, buffer, size);
	if (!**ret_name)
		*ret_name = "(unnamed)";
}

/* The index of the frame's function; SIZE_MAX: out of memory. */
static size_t
add_function (monocle__mlpd_sums *s, const monocle__mlpd_path *path)
{
	monocle__function function = { .system_name = "", .filename = "" };
	size_t known = s->profile->function_count, index;
	char buffer[80];
	const char *name;
	name_frame (s, path, buffer, sizeof buffer, &name);
	function.name = monocle__profile_text (s->profile, name, strlen (name));
	index = function.name ? monocle__profile_add_function (s->profile, &function) : SIZE_MAX;
	if (index < known)
		monocle__profile_text_drop (s->profile, function.name);
	return index;
}

/* Frames that paths have in common are named once. */
static bool
name_paths (maker *m, monocle__mlpd_map *known)
{
	monocle__mlpd_sums *s = m->s;
	for (size_t i = 1; i < s->paths.count; i++) {
		const monocle__mlpd_path *path = &s->paths.items[i];
		uint64_t *place;
		if (path->kind == MONOCLE__MLPD_ROOT || path->kind == MONOCLE__MLPD_FRAME_CODE)
			continue;
		place = monocle__mlpd_map_at (&known[path->kind], s->profile, path->address);
		if (!place)
			return false;
		if (!*place)
			*place = (uint64_t) add_function (s, path) + 1;
		if (!*place) /* of SIZE_MAX */
			return false;
		m->functions[i] = (uint32_t) (*place - 1);
	}
	return true;
}

static bool
name_functions (maker *m)
{
	monocle__mlpd_map known[MONOCLE__MLPD_FRAME_UNKNOWN + 1] = { 0 };
	bool done = name_paths (m, known);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		monocle__mlpd_map_done (&known[i]);
	return done;
}

/* A parent is always before its children. */
static void
find_roots (maker *m)
{
	const monocle__mlpd_paths *paths = &m->s->paths;
	for (size_t i = 1; i < paths->count; i++) {
		const monocle__mlpd_path *path = &paths->items[i];
		bool is_root = path->kind == MONOCLE__MLPD_ROOT;
		m->topics[i] = is_root ? (monocle__topic) path->address : m->topics[path->parent];
		m->threads[i] = is_root ? path->parent : m->threads[path->parent];
		m->samples[m->topics[i]] += is_of_note (path);
	}
}

/* The values of the topics that the file has; the main one is of the topic with most to tell. */
static bool
add_value_types (maker *m)
{
	monocle__profile *profile = m->s->profile;
	size_t most = 0;
	for (size_t t = 0; t < MONOCLE__TOPIC_COUNT; t++) {
		for (size_t v = 0; v < 2; v++) {
			const monocle__value_type *value = &monocle__topic_values[t][v];
			bool has = m->samples[t] && value->type;
			m->columns[t][v] = has ? profile->value_count : SIZE_MAX;
			if (has && !monocle__profile_add_value_type (profile, value->type, value->unit))
				return false;
		}
		if (m->samples[t] > most) {
			most = m->samples[t];
			profile->default_type = monocle__topic_values[t][1].type;
		}
	}
	return true;
}

static const char *
thread_name (maker *m, uint32_t index)
{
	const monocle__mlpd_thread *thread = &m->s->threads.items[index];
	char number[24];
	if (m->names[index])
		return m->names[index];
	snprintf (number, sizeof number, "0x%" PRIx64, thread->id);
	const char *name = thread->name && *thread->name ? thread->name : number;
	return m->names[index] = monocle__profile_text (m->s->profile, name, strlen (name));
}

static bool
add_labels (maker *m, size_t index)
{
	monocle__profile *profile = m->s->profile;
	monocle__label thread = { .key = "thread", .text = thread_name (m, m->threads[index]), .unit = "" };
	monocle__label shot = { .key = "heapshot", .unit = "" };
	uint32_t parent = m->s->paths.items[index].parent;
	if (!thread.text || !monocle__profile_add_label (profile, &thread))
		return false;
	if (m->topics[index] != MONOCLE__TOPIC_HEAPSHOT)
		return true;
	shot.number = (int64_t) (m->s->paths.items[parent].address >> MONOCLE__MLPD_NUMBER_SHIFT);
	return monocle__profile_add_label (profile, &shot);
}

static bool
add_sample (maker *m, size_t index)
{
	const monocle__mlpd_path *items = m->s->paths.items;
	int64_t values[2 * MONOCLE__TOPIC_COUNT] = { 0 };
	size_t depth = 0;
	for (uint32_t at = (uint32_t) index; items[at].kind != MONOCLE__MLPD_ROOT; at = items[at].parent) {
		if (!MONOCLE__RESERVE (m->stack, m->stack_capacity, depth + 1))
			return false;
		m->stack[depth++] = m->functions[at];
	}
	for (size_t v = 0; v < 2; v++) {
		if (m->columns[m->topics[index]][v] != SIZE_MAX)
			values[m->columns[m->topics[index]][v]] = items[index].values[v];
	}
	return monocle__profile_add_sample (m->s->profile, m->stack, depth, values) && add_labels (m, index);
}

/* NULL, or what is wrong. */
static const char *
make_samples (maker *m)
{
	monocle__mlpd_sums *s = m->s;
	if (!name_functions (m) || !add_value_types (m))
		return monocle__profile_no_memory (s->profile);
	for (size_t i = 1; i < s->paths.count; i++) {
		if (!is_of_note (&s->paths.items[i]))
			continue;
		if (!add_sample (m, i))
			return monocle__profile_no_memory (s->profile);
		if (s->profile->frame_count > FRAME_LIMIT)
			return "its stacks have more than 134217728 frames";
	}
	return NULL;
}

static const char *
make_profile (monocle__mlpd_sums *s)
{
	maker m = { .s = s };
	size_t count = s->paths.count + 1;
	const char *problem;
	if (monocle__profile_take (s->profile, count * (sizeof *m.functions + sizeof *m.topics + sizeof *m.threads))) {
		m.functions = calloc (count, sizeof *m.functions);
		m.topics = calloc (count, sizeof *m.topics);
		m.threads = calloc (count, sizeof *m.threads);
		m.names = calloc (s->threads.count + 1, sizeof *m.names);
	}
	if (!m.functions || !m.topics || !m.threads || !m.names) {
		problem = monocle__profile_no_memory (s->profile);
	} else {
		find_roots (&m);
		problem = make_samples (&m);
	}
	free (m.functions);
	free (m.topics);
	free (m.threads);
	free (m.names);
	free (m.stack);
	return problem;
}

/* --- comments ----------------------------------------------------------------------------------------------------- */

static bool __attribute__ ((format (printf, 2, 3))) say (monocle__mlpd_sums *s, const char *format, ...)
{
	char line[640];
	const char *text;
	va_list arguments;
	va_start (arguments, format);
	vsnprintf (line, sizeof line, format, arguments);
	va_end (arguments);
	text = monocle__profile_text (s->profile, line, strlen (line));
	return text && monocle__profile_add_comment (s->profile, text);
}

static bool
say_source (monocle__mlpd_sums *s)
{
	const monocle__mlpd_header *header = &s->decoder.header;
	return say (s, "desc: %s", header->arguments) &&
	       say (s, "version: mlpd %u, log profiler %u.%u", header->format, header->major, header->minor) &&
	       say (s, "runtime: Mono, or .NET with Monocle (%s, %s)", header->cpu, header->system) && /* not told */
	       say (s, "program: %s%spid %" PRIu32, s->names.program, *s->names.program ? ", " : "", header->process);
}

static bool
say_facts (monocle__mlpd_sums *s)
{
	const monocle__mlpd_facts *f = &s->facts;
	bool said = true;
	if (f->resizes || f->moves)
		said = say (s, "gc: heap resized %" PRIu64 " times, to %" PRIu64 " bytes at most; %" PRIu64 " objects moved",
		            f->resizes, f->largest, f->moves);
	if (f->acquired || f->failed)
		said = said && say (s, "monitor: acquired %" PRIu64 " times after waiting, given up %" PRIu64 " times",
		                    f->acquired, f->failed);
	if (f->most_handles[0] || f->most_handles[1] || f->most_handles[2] || f->most_handles[3])
		said = said && say (s,
		                    "handles: at once at most %" PRIu64 " weak, %" PRIu64 " weak tracking, %" PRIu64
		                    " normal, %" PRIu64 " pinned",
		                    f->most_handles[0], f->most_handles[1], f->most_handles[2], f->most_handles[3]);
	if (f->shots > 1)
		said = said && say (s, "heapshot: there are %" PRIu64 " of them", f->shots);
	return said;
}

static bool
say_losses (monocle__mlpd_sums *s)
{
	char why[256];
	bool said = true;
	if (*s->decoder.problem) {
		snprintf (why, sizeof why, "%s; what comes before was read", s->decoder.problem);
		said = monocle__profile_set_incomplete (s->profile, why);
	}
	if (s->threads.unmatched)
		said = said &&
		       say (s, "calls: lost: %" PRIu64 " ends of calls that were not the innermost one", s->threads.unmatched);
	if (s->facts.odd)
		said = said && say (s, "gc: lost: %" PRIu64 " collections of generations above 2", s->facts.odd);
	if (s->facts.homeless)
		said = said && say (s, "heapshot: lost: %" PRIu64 " objects outside of a heap shot", s->facts.homeless);
	return said;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static void
set_times (monocle__mlpd_sums *s)
{
	uint64_t start = s->decoder.header.start_ms, ran = s->end - s->begin;
	s->profile->time_nanos = start < INT64_MAX / 1000000 ? (int64_t) start * 1000000 : 0;
	s->profile->duration_nanos = ran < INT64_MAX ? (int64_t) ran : 0;
}

const char *
monocle__mlpd_sums_finish (monocle__mlpd_sums *s, char *buffer, size_t size)
{
	const char *problem;
	monocle__mlpd_objects_answer (&s->objects);
	monocle__mlpd_threads_end (&s->threads);
	if (!monocle__mlpd_names_sort (&s->names) || !resolve_code (s) || !say_losses (s) || !say_facts (s) ||
	    !say_source (s))
		return monocle__profile_no_memory (s->profile);
	problem = make_profile (s);
	if (problem)
		return problem;
	set_times (s);
	if (s->profile->sample_count > 0)
		return NULL;
	snprintf (buffer, size, "%s%sit has no calls, samples, allocations, exceptions, locks, collections or heap shots",
	          s->decoder.problem, *s->decoder.problem ? "; " : "");
	return buffer;
}
