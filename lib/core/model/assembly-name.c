/*
 * SPDX-License-Identifier: MIT
 *
 * assembly-name.c - names of assemblies: read from text, compared, spelt, and found among what is loaded.
 *
 * The grammar is Mono 6.8's (test/unit/core/oracle/assembly-names.tsv): NAME[, KEY=VALUE]..., blanks around each part,
 * a name with blanks in quotes, keys in any case, each key known. A parsed name owns its strings; all others are
 * borrowed from image records. Getters and comparisons run in any context, what allocates in normal context.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "arena.h"
#include "image.h"
#include "log.h"
#include "metadata.h"

enum {
	FULL_PUBLIC_KEY = 0x1, /* II.23.1.2 */
	RETARGETABLE = 0x100,
	TOKEN_DIGITS = 16,
};

_Static_assert(sizeof (MonoAssemblyName) <= 72, "modules may have storage of Mono's size");

/* --- getters ------------------------------------------------------------------------------------------------------ */

const char *
mono_assembly_name_get_name (MonoAssemblyName *name)
{
	return name ? name->name : NULL;
}

const char *
mono_assembly_name_get_culture (MonoAssemblyName *name)
{
	return name ? name->culture : NULL;
}

uint16_t
mono_assembly_name_get_version (MonoAssemblyName *name, uint16_t *minor, uint16_t *build, uint16_t *revision)
{
	static const uint16_t zeros[4];
	const uint16_t *version = name ? name->version : zeros;
	if (minor)
		*minor = version[1];
	if (build)
		*build = version[2];
	if (revision)
		*revision = version[3];
	return version[0];
}

mono_byte *
mono_assembly_name_get_pubkeytoken (MonoAssemblyName *name)
{
	return name && name->public_key_token[0] ? (mono_byte *) name->public_key_token : NULL;
}

char *
mono_stringify_assembly_name (MonoAssemblyName *name)
{
	char *text;
	if (!name || !name->name)
		return NULL;
	const char *quote = name->name[0] && strchr (" \t\n\v\f\r", name->name[0]) ? "\"" : "";
	int length = asprintf (&text, "%s%s%s, Version=%d.%d.%d.%d, Culture=%s, PublicKeyToken=%s%s", quote, name->name,
	                       quote, name->version[0], name->version[1], name->version[2], name->version[3],
	                       name->culture && *name->culture ? name->culture : "neutral",
	                       name->public_key_token[0] ? name->public_key_token : "null",
	                       name->flags & RETARGETABLE ? ", Retargetable=Yes" : "");
	return length < 0 ? NULL : text;
}

static bool
is_unversioned (const MonoAssemblyName *name)
{
	return !name->version[0] && !name->version[1] && !name->version[2] && !name->version[3];
}

mono_bool
mono_assembly_names_equal (MonoAssemblyName *l, MonoAssemblyName *r)
{
	if (!l || !r || !l->name || !r->name || strcmp (l->name, r->name))
		return 0;
	if (l->culture && r->culture && strcmp (l->culture, r->culture))
		return 0;
	if (!is_unversioned (l) && !is_unversioned (r) && memcmp (l->version, r->version, sizeof l->version))
		return 0;
	return !l->public_key_token[0] || !r->public_key_token[0] || !strcmp (l->public_key_token, r->public_key_token);
}

/* --- parsing ------------------------------------------------------------------------------------------------------ */

/* The parts of a name in a copy of its text, cut and trimmed; NULL: not said. */
struct parts {
	char *name, *version, *culture, *token, *retargetable;
};

static char *
trim (char *text)
{
	while (isspace ((unsigned char) *text))
		text++;
	size_t length = strlen (text);
	while (length && isspace ((unsigned char) text[length - 1]))
		text[--length] = 0;
	return text;
}

static char *
unquote (char *text)
{
	size_t length = strlen (text);
	if (length < 2 || text[0] != '"' || text[length - 1] != '"')
		return text;
	text[length - 1] = 0;
	return text + 1;
}

/* MSIL, X86, IA64, AMD64, ARM: said, and of no consequence. */
static bool
is_architecture (const char *text)
{
	static const char *const known[] = { "MSIL", "X86", "IA64", "AMD64", "ARM" };
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcasecmp (text, known[i]))
			return true;
	return false;
}

/* "KEY=VALUE" into its place. A full public key would have to be hashed; a name with one is refused. */
static bool
keep_part (char *part, struct parts *parts)
{
	char *equals = strchr (part, '=');
	if (!equals)
		return false;
	*equals = 0;
	const char *key = trim (part);
	char *value = trim (equals + 1);
	if (!*value)
		return false;
	value = unquote (value);
	if (!strcasecmp (key, "Version"))
		parts->version = value;
	else if (!strcasecmp (key, "Culture"))
		parts->culture = value;
	else if (!strcasecmp (key, "PublicKeyToken"))
		parts->token = value;
	else if (!strcasecmp (key, "Retargetable"))
		parts->retargetable = value;
	else
		return !strcasecmp (key, "ProcessorArchitecture") && is_architecture (value);
	return true;
}

static bool
split (char *text, struct parts *ret_parts)
{
	char *rest = text, *part = strsep (&rest, ",");
	char *name = trim (part);
	/* A backslash takes the meaning of what follows it. */
	if (!*name || name[strlen (name) - 1] == '\\')
		return false;
	ret_parts->name = unquote (name);
	while ((part = strsep (&rest, ",")))
		if (!keep_part (part, ret_parts))
			return false;
	return true;
}

/* Two to four numbers, and what follows them. Numbers are cut to 16 bits. */
static bool
parse_version (const char *text, uint16_t ret_version[4])
{
	unsigned numbers[4] = { 0 };
	if (sscanf (text, "%u.%u.%u.%u", &numbers[0], &numbers[1], &numbers[2], &numbers[3]) < 2)
		return false;
	for (int i = 0; i < 4; i++)
		ret_version[i] = (uint16_t) numbers[i];
	return true;
}

static bool
parse_token (const char *text, char ret_token[TOKEN_DIGITS + 1])
{
	if (!strcmp (text, "null"))
		return true;
	if (strlen (text) != TOKEN_DIGITS)
		return false;
	for (int i = 0; i <= TOKEN_DIGITS; i++)
		ret_token[i] = (char) tolower ((unsigned char) text[i]);
	return true;
}

static bool
parse (const struct parts *parts, MonoAssemblyName *ret_name)
{
	if (parts->version && !parse_version (parts->version, ret_name->version))
		return false;
	if (parts->token && !parse_token (parts->token, ret_name->public_key_token))
		return false;
	if (parts->retargetable) {
		/* Mono takes it in a full name only. */
		if (!parts->version || !parts->culture || !parts->token)
			return false;
		if (!strcasecmp (parts->retargetable, "yes"))
			ret_name->flags |= RETARGETABLE;
		else if (strcasecmp (parts->retargetable, "no"))
			return false;
	}
	ret_name->is_owned = true;
	ret_name->name = strdup (parts->name);
	if (parts->culture)
		ret_name->culture = strdup (strcasecmp (parts->culture, "neutral") ? parts->culture : "");
	return ret_name->name && !ret_name->culture == !parts->culture;
}

MonoAssemblyName *
mono_assembly_name_new (const char *text)
{
	struct parts parts = { 0 };
	char *copy = text ? strdup (text) : NULL;
	MonoAssemblyName *name = copy ? calloc (1, sizeof *name) : NULL;
	if (name && (!split (copy, &parts) || !parse (&parts, name))) {
		mono_assembly_name_free (name);
		free (name);
		name = NULL;
	}
	free (copy);
	return name;
}

void
mono_assembly_name_free (MonoAssemblyName *name)
{
	if (!name || !name->is_owned)
		return;
	free ((char *) name->name);
	free ((char *) name->culture);
	name->name = name->culture = NULL;
	name->is_owned = false;
}

/* --- names that images hold --------------------------------------------------------------------------------------- */

mono_bool
mono_assembly_fill_assembly_name (MonoImage *image, MonoAssemblyName *aname)
{
	const monocle__image_desc *desc = image ? monocle__image_describe (image) : NULL;
	if (!desc || !aname || (!desc->tables[MONO_TABLE_ASSEMBLY].rows && !mono_image_is_dynamic (image)))
		return 0;
	*aname = desc->name;
	return 1;
}

static uint32_t
ref_cell (MonoImage *image, int index, uint32_t column)
{
	return mono_metadata_decode_table_row_col (image, MONO_TABLE_ASSEMBLYREF, index, column);
}

/* A reference holds a token or, rarely, a full key, which is left out: it would have to be hashed. */
static void
ref_token (MonoImage *image, int index, char ret_token[TOKEN_DIGITS + 1])
{
	uint32_t size = 0, offset = ref_cell (image, index, MONO_ASSEMBLYREF_PUBLIC_KEY);
	const uint8_t *bytes = offset ? monocle__metadata_heap (image, MONOCLE_HEAP_BLOB, offset, &size) : NULL;
	if (!bytes || size != TOKEN_DIGITS / 2)
		return;
	for (uint32_t i = 0; i < size; i++)
		snprintf (ret_token + 2 * i, 3, "%02x", bytes[i]);
}

void
mono_assembly_get_assemblyref (MonoImage *image, int index, MonoAssemblyName *aname)
{
	MONOCLE__HELD MonoImage *held = monocle__image_hold (image);
	if (aname)
		*aname = (MonoAssemblyName) { .name = NULL };
	if (!aname || !held)
		return;
	*aname = (MonoAssemblyName) {
		.name =
		    monocle__arena_string (mono_metadata_string_heap (image, ref_cell (image, index, MONO_ASSEMBLYREF_NAME))),
		.culture = monocle__arena_string (
		    mono_metadata_string_heap (image, ref_cell (image, index, MONO_ASSEMBLYREF_CULTURE))),
		.flags = ref_cell (image, index, MONO_ASSEMBLYREF_FLAGS),
	};
	for (uint32_t i = 0; i < 4; i++)
		aname->version[i] = (uint16_t) ref_cell (image, index, MONO_ASSEMBLYREF_MAJOR_VERSION + i);
	ref_token (image, index, aname->public_key_token);
}

/* --- among what is loaded ----------------------------------------------------------------------------------------- */

static bool
is_meant (const MonoAssemblyName *wanted, const MonoAssemblyName *name)
{
	if (!name->name || strcasecmp (wanted->name, name->name))
		return false;
	return !wanted->culture || !name->culture || !strcasecmp (wanted->culture, name->culture);
}

MonoAssembly *
mono_assembly_loaded (MonoAssemblyName *aname)
{
	for (MonoImage *image = aname && aname->name ? monocle__image_first () : NULL; image; image = image->next) {
		MonoAssembly *assembly = monocle__image_is_loaded (image) ? mono_image_get_assembly (image) : NULL;
		if (assembly && is_meant (aname, mono_assembly_get_name (assembly)))
			return assembly;
	}
	return NULL;
}

MonoAssembly *
mono_assembly_loaded_full (MonoAssemblyName *aname, mono_bool refonly)
{
	return refonly ? NULL : mono_assembly_loaded (aname);
}

/*
 * What is asked to be loaded is answered when it is there already. Otherwise nothing happens: a module does not load
 * code into the program.
 */
static MonoAssembly *
answer (MonoAssembly *assembly, MonoImageOpenStatus *status)
{
	if (!assembly) {
		MONOCLE__LOG_ONCE ("a module asks for an assembly that the program has not loaded; it gets none");
		errno = ENOENT;
	}
	if (status)
		*status = assembly ? MONO_IMAGE_OK : MONO_IMAGE_ERROR_ERRNO;
	return assembly;
}

MonoAssembly *
mono_assembly_load (MonoAssemblyName *aname, const char *basedir, MonoImageOpenStatus *status)
{
	return answer (mono_assembly_loaded (aname), status);
}

MonoAssembly *
mono_assembly_load_full (MonoAssemblyName *aname, const char *basedir, MonoImageOpenStatus *status, mono_bool refonly)
{
	return answer (mono_assembly_loaded_full (aname, refonly), status);
}

MonoAssembly *
mono_assembly_load_with_partial_name (const char *text, MonoImageOpenStatus *status)
{
	MonoAssemblyName *name = mono_assembly_name_new (text);
	MonoAssembly *assembly = answer (mono_assembly_loaded (name), status);
	mono_assembly_name_free (name);
	free (name);
	return assembly;
}

MonoAssembly *
mono_assembly_open (const char *filename, MonoImageOpenStatus *status)
{
	return answer (mono_image_get_assembly (mono_image_open (filename, NULL)), status);
}

MonoAssembly *
mono_assembly_open_full (const char *filename, MonoImageOpenStatus *status, mono_bool refonly)
{
	return answer (refonly ? NULL : mono_assembly_open (filename, NULL), status);
}

MonoAssembly *
mono_assembly_load_from (MonoImage *image, const char *fname, MonoImageOpenStatus *status)
{
	return answer (mono_image_get_assembly (image), status);
}

MonoAssembly *
mono_assembly_load_from_full (MonoImage *image, const char *fname, MonoImageOpenStatus *status, mono_bool refonly)
{
	return answer (refonly ? NULL : mono_image_get_assembly (image), status);
}
