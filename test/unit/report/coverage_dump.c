/*
 * SPDX-License-Identifier: MIT
 *
 * coverage_dump.c - what the model makes of coverage files, as lines of text for test_coverage.py.
 *
 *   coverage-dump [-m FROM=TO]... [-i GLOBS] [-x GLOBS] [-s FOLDER]... FILE...    -s: where sources are found
 *   coverage-dump -a FILE                                          each allocation fails once; says how many there are
 */
#include "coverage.h"
#include "failing-memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LISTED = 8 };

static void *
load (const char *path, size_t *ret_size)
{
	FILE *in = fopen (path, "rb");
	char *data = NULL;
	size_t size = 0, more;
	do {
		data = realloc (data, size + 65536);
		if (!in || !data)
			exit (3);
		more = fread (data + size, 1, 65536, in);
		size += more;
	} while (more);
	fclose (in);
	*ret_size = size;
	return data;
}

static void
print_sums (const char *what, const char *name, monocle__coverage_sums s)
{
	printf ("%s %s: lines %" PRIu64 "/%" PRIu64 " arms %" PRIu64 "/%" PRIu64 " methods %" PRIu64 "/%" PRIu64
	        " types %" PRIu64 "/%" PRIu64 " %.2f%%\n",
	        what, name, s.lines_hit, s.lines, s.arms_hit, s.arms, s.methods_hit, s.methods, s.types_hit, s.types,
	        monocle__coverage_percent (s.lines_hit, s.lines));
}

static void
print_method (const monocle__coverage *c, uint32_t index)
{
	const monocle__coverage_method *m = &c->methods[index];
	printf ("  method %s %08x %s:%u calls %" PRIu64 ": ", m->name, m->token, c->files[m->file].path, m->line, m->calls);
	for (uint32_t i = 0; i < m->body_count; i++)
		printf ("%s[%s]", i ? " + " : "", c->bodies[m->first_body + i].name);
	printf ("\n");
	print_sums ("  sum", m->name, monocle__coverage_sum_of_method (c, index));
}

static void
print_types (const monocle__coverage *c)
{
	for (uint32_t i = 0; i < c->image_count; i++) {
		print_sums ("image", c->images[i].name, monocle__coverage_sum_of_image (c, i));
		for (uint32_t k = 0; k < c->images[i].type_count; k++) {
			uint32_t type = c->images[i].first_type + k;
			print_sums (" type", c->types[type].name, monocle__coverage_sum_of_type (c, type));
			for (uint32_t m = 0; m < c->types[type].method_count; m++)
				print_method (c, c->types[type].first_method + m);
		}
	}
}

static void
print_files (const monocle__coverage *c)
{
	for (uint32_t i = 0; i < c->file_count; i++) {
		print_sums ("file", c->files[i].path, monocle__coverage_sum_of_file (c, i));
		if (c->files[i].local)
			printf (" local %s\n", c->files[i].local);
		for (uint32_t k = 0; k < c->files[i].line_count; k++) {
			const monocle__coverage_line *line = &c->lines[c->files[i].first_line + k];
			printf (" %u: %" PRIu64 " %s", line->number, line->hits, c->methods[line->method].name);
			if (line->hits && line->statements_hit < line->statements)
				printf (" statements %u/%u", line->statements_hit, line->statements);
			for (uint32_t a = 0; a < line->arms; a++)
				printf (" %s%" PRIu64, a ? "" : "arms ", c->arms[c->line_arms[line->first_branch_of_line + a]].hits);
			printf ("\n");
		}
	}
}

static void
print (const monocle__coverage *c)
{
	printf ("%s %s %s %s%s%sprocesses %u conflicts %" PRIu64 " losses %" PRIu64 "\n", c->program, c->runtime, c->desc,
	        c->counts ? "counts " : "hits ", c->mixed ? "mixed " : "", c->incomplete ? "incomplete " : "", c->processes,
	        c->conflicts, c->losses[1]);
	print_sums ("all", "of it", monocle__coverage_sum (c));
	print_types (c);
	print_files (c);
}

static bool
try_all (const void *data, size_t size, FILE *out)
{
	monocle__coverage *c = monocle__coverage_new ();
	const char *error = "out of memory";
	bool done =
	    c && monocle__coverage_add (c, data, size, &error) == 0 && monocle__coverage_add (c, data, size, &error) == 0;
	if (!done && strcmp (error, "out of memory") != 0)
		exit (4);
	done = done && monocle__coverage_settle (c, NULL) == 0 && monocle__coverage_write (out, c) == 0;
	monocle__coverage_free (c);
	return done;
}

static int
fail_each (const char *path)
{
	FILE *out = fopen ("/dev/null", "w");
	size_t size;
	void *data = load (path, &size);
	bool done = false;
	long n;
	for (n = 0; !done && out; n++) {
		failing_memory_allowed = n;
		done = try_all (data, size, out);
		failing_memory_allowed = -1;
	}
	fclose (out);
	free (data);
	printf ("%ld\n", n - 1);
	return 0;
}

int
main (int argc, char **argv)
{
	const char *map[LISTED + 1] = { NULL }, *sources[LISTED + 1] = { NULL }, *error;
	monocle__coverage_options options = { .map = map, .sources = sources };
	monocle__coverage *c;
	int option, maps = 0, folders = 0;
	while ((option = getopt (argc, argv, "a:m:i:x:s:")) != -1) {
		switch (option) {
		case 'a': return fail_each (optarg);
		case 'm': map[maps++ % LISTED] = optarg; break;
		case 'i': options.include = optarg; break;
		case 'x': options.exclude = optarg; break;
		case 's': sources[folders++ % LISTED] = optarg; break;
		default: return 2;
		}
	}
	c = monocle__coverage_new ();
	for (int i = optind; c && i < argc; i++) {
		size_t size;
		void *data = load (argv[i], &size);
		int result = monocle__coverage_add (c, data, size, &error);
		free (data);
		if (result != 0) {
			printf ("%s\n", error);
			monocle__coverage_free (c);
			return 1;
		}
	}
	if (!c || monocle__coverage_settle (c, &options) != 0 || monocle__coverage_find_sources (c, &options) != 0)
		return 3;
	print (c);
	monocle__coverage_free (c);
	return 0;
}
