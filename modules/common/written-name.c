/*
 * SPDX-License-Identifier: MIT
 *
 * written-name.c - see written-name.h.
 *
 * Visual Basic makes of a method's parts, in the class that was written or nested in it:
 *
 *      VB$StateMachine_12_Work:MoveNext        of the async method or the iterator Work
 *      _Closure$__14-0:_Lambda$__2             the third lambda of a method, whose number in its class is 14
 *      _Closure$__:_Lambda$__14-1              the second one, which uses no local
 *      _Lambda$__16-0                          the same, which uses Me
 *      VB$StateMachine___Lambda$__2:MoveNext   of an async lambda, in the class of the lambda
 *
 * and F#, in the class of the module, also when it is a type in that module whose method it is a part of:
 *
 *      work@39:MoveNext                        of task { } in the function work
 *      numbers@54:GenerateNext                 of seq { }
 *      sum@30-2:Invoke                         a lambda in sum, or the local function sum of another one
 *      Pipe #1 stage #2 at line 30@30:Invoke   a lambda between |> and |>, in code that is not optimised
 *      fact@34, <sum>__debug@36                static methods: a local function; one of another module, put in here
 *
 * No name says in which method a lambda was written. The method that mentions it does: its instructions have the
 * token of the method, of the closure's constructor, or of the field that keeps the only closure of its class.
 */
#include "written-name.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mono/metadata/attrdefs.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/row-indexes.h>
#include <mono/metadata/tokentype.h>
#include <mono/utils/mono-publib.h>
#include <monocle/ext.h>

enum { NAME_SIZE = 1024, NESTING_MOST = 16, MENTION_SIZE = 6, MENTIONS_MOST = 4, METHODS_MOST = 1000 };

/* Of what is read for one name, in bytes of instructions: finding a method takes about as long as reading so many. */
enum { READ_MOST = 2 << 20, READ_LEAST = 1 << 10 };

static const char vb_machine[] = "VB$StateMachine_", vb_closure[] = "_Closure$__", vb_lambda[] = "_Lambda$__";

static bool
begins_with (const char *text, const char *what)
{
	return strncmp (text, what, strlen (what)) == 0;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

/* The '@' of NAME@12 and NAME@12-3, which end so or with the number of type parameters; NULL: it is none. */
static const char *
end_of_fsharp (const char *name)
{
	const char *at = strrchr (name, '@'), *rest;
	if (!at || at == name || !isdigit ((unsigned char) at[1]))
		return NULL;
	rest = at + 1 + strspn (at + 1, "0123456789");
	if (*rest == '-' && isdigit ((unsigned char) rest[1]))
		rest += 1 + strspn (rest + 1, "0123456789");
	return *rest == '\0' || *rest == '`' ? at : NULL;
}

static bool
is_made_class (const char *name)
{
	return begins_with (name, vb_machine) || begins_with (name, vb_closure) || end_of_fsharp (name);
}

static bool
is_made_method (const char *name)
{
	return begins_with (name, vb_lambda) || end_of_fsharp (name);
}

/* The number at the end, behind '-' or '_', from 0. */
static unsigned
ordinal_of (const char *name)
{
	size_t length = strcspn (name, "`");
	const char *at = name + length;
	while (at > name && isdigit ((unsigned char) at[-1]))
		at--;
	return at > name && at < name + length && (at[-1] == '-' || at[-1] == '_') ? (unsigned) strtoul (at, NULL, 10) : 0;
}

static void __attribute__ ((format (printf, 2, 3))) append (char text[NAME_SIZE], const char *format, ...)
{
	size_t length = strlen (text);
	va_list list;
	va_start (list, format);
	vsnprintf (text + length, NAME_SIZE - length, format, list);
	va_end (list);
}

static void
append_lambda (char text[NAME_SIZE], unsigned ordinal)
{
	append (text, ordinal ? ".lambda%u" : ".lambda", ordinal + 1);
}

/* --- who mentions it ---------------------------------------------------------------------------------------------- */

/* What instructions that mention a method, or the closure that it belongs to, look like. */
typedef struct {
	uint8_t bytes[MENTIONS_MOST][MENTION_SIZE];
	size_t lengths[MENTIONS_MOST];
	size_t count;
	uint32_t token;     /* the method's */
	uint32_t own_class; /* the token of the closure's class, which mentions itself; 0: a person wrote the class */
	MonoMethod *itself;
	const char *name; /* in that of F#'s closure */
	size_t name_length;
	bool is_generic; /* the class, or one around it: what mentions it has a token of its own for that */
	uint32_t *room;  /* how much may be read yet, for all mentions of one name */
} mention;

enum { CALL = 0x28, NEWOBJ = 0x73, LDSFLD = 0x7e, LDFTN = 0xfe06, INITOBJ = 0xfe15 };

static void
add_mention (mention *m, unsigned opcode, uint32_t token)
{
	uint8_t *to = m->bytes[m->count];
	size_t length = 0;
	if (opcode > UINT8_MAX)
		to[length++] = (uint8_t) (opcode >> 8);
	to[length++] = (uint8_t) opcode;
	for (unsigned shift = 0; shift < 32; shift += 8)
		to[length++] = (uint8_t) (token >> shift);
	m->lengths[m->count++] = length;
}

/* A chain of long methods, each of which mentions the next one, would be read for a minute. */
static bool
may_read (const mention *wanted, uint32_t size)
{
	bool may = *wanted->room >= size;
	*wanted->room = may ? *wanted->room - size : 0;
	return may;
}

/* Does it make a delegate of the method, by the token of a class with its arguments? Mono trusts tokens blindly. */
static bool
does_mention_instance (MonoImage *image, const uint8_t *code, uint32_t size, const mention *wanted)
{
	for (uint32_t i = 0; monocle_event_support && i + MENTION_SIZE <= size; i++) {
		uint32_t token;
		memcpy (&token, code + i + 2, sizeof token);
		if (code[i] != LDFTN >> 8 || code[i + 1] != (LDFTN & UINT8_MAX) || token >> 24 != MONO_TOKEN_MEMBER_REF >> 24)
			continue;
		MonoMethod *method = may_read (wanted, READ_LEAST) ? mono_get_method (image, token, NULL) : NULL;
		if (method && mono_method_get_token (method) == wanted->token &&
		    mono_class_get_image (mono_method_get_class (method)) == image)
			return true;
	}
	return false;
}

static bool
does_mention (MonoMethod *method, const mention *wanted)
{
	MonoClass *klass = mono_method_get_class (method);
	uint32_t size = 0;
	if (method == wanted->itself || mono_class_get_type_token (klass) == wanted->own_class ||
	    !may_read (wanted, READ_LEAST))
		return false;
	MonoMethodHeader *header = mono_method_get_header (method);
	const unsigned char *code = header ? mono_method_header_get_code (header, &size, NULL) : NULL;
	bool does = false;
	if (code && !may_read (wanted, size))
		code = NULL;
	for (size_t i = 0; code && i < wanted->count; i++)
		does = does || memmem (code, size, wanted->bytes[i], wanted->lengths[i]);
	if (code && wanted->is_generic)
		does = does || does_mention_instance (mono_class_get_image (klass), code, size, wanted);
	if (header)
		mono_metadata_free_mh (header);
	return does;
}

typedef bool (*wanted_method) (MonoMethod *method, const void *data);

/* In a class and all that are nested in it, or only in those that persons wrote; NULL: there is none. */
static MonoMethod *
find_method (MonoClass *klass, wanted_method is_wanted, const void *data, bool in_made, unsigned nesting)
{
	void *methods = NULL, *classes = NULL;
	MonoMethod *method = NULL;
	MonoClass *nested;
	if (nesting == NESTING_MOST || (!in_made && is_made_class (mono_class_get_name (klass))))
		return NULL;
	while ((method = mono_class_get_methods (klass, &methods)) && !is_wanted (method, data))
		;
	while (!method && (nested = mono_class_get_nested_types (klass, &classes)))
		method = find_method (nested, is_wanted, data, in_made, nesting + 1);
	return method;
}

static bool
is_one_too_many (MonoMethod *method, const void *data)
{
	unsigned *count = *(unsigned *const *) data;
	return ++*count > METHODS_MOST;
}

/* It would take too long to read all methods of a large class for each closure that is made in it. */
static bool
is_large (MonoClass *klass)
{
	unsigned count = 0, *counted = &count;
	return find_method (klass, is_one_too_many, &counted, true, 0) != NULL;
}

static bool
mentions (MonoMethod *method, const void *wanted)
{
	return does_mention (method, wanted);
}

/* Most of what F# makes has the name of the method that mentions it. */
static bool
mentions_as_named (MonoMethod *method, const void *data)
{
	const mention *wanted = data;
	const char *name = mono_method_get_name (method);
	size_t length = strlen (name);
	return length == wanted->name_length && memcmp (name, wanted->name, length) == 0 && does_mention (method, wanted);
}

/* The class that a person wrote: the one in which the first class of a compiler is nested. */
static MonoClass *
written_class (MonoClass *klass)
{
	MonoClass *written = klass, *outer;
	for (; klass; klass = outer) {
		outer = mono_class_get_nesting_type (klass);
		if (outer && is_made_class (mono_class_get_name (klass)))
			written = outer;
	}
	return written;
}

/* FSharp.Core has classes of thousands of methods, and is no person's. */
static bool
is_core (MonoClass *klass)
{
	const char *name = mono_image_get_name (mono_class_get_image (klass));
	return name && strcmp (name, "FSharp.Core") == 0;
}

/* An instance of the closure is made, or the only one is used. */
static void
add_closure (mention *wanted, MonoClass *klass)
{
	void *fields = NULL, *methods = NULL;
	MonoClassField *field;
	MonoMethod *method;
	while ((method = mono_class_get_methods (klass, &methods)))
		if (strcmp (mono_method_get_name (method), ".ctor") == 0)
			break;
	while ((field = mono_class_get_fields (klass, &fields)))
		if (mono_field_get_flags (field) & MONO_FIELD_ATTR_STATIC)
			break;
	if (method)
		add_mention (wanted, NEWOBJ, mono_method_get_token (method));
	if (field)
		add_mention (wanted, LDSFLD, mono_class_get_field_token (field));
	add_mention (wanted, INITOBJ, mono_class_get_type_token (klass));
}

static bool
is_generic (MonoClass *klass)
{
	while (klass && !strchr (mono_class_get_name (klass), '`'))
		klass = mono_class_get_nesting_type (klass);
	return klass != NULL;
}

/* Of a file whose types stand in a namespace F# has a class for all that it makes of their members. */
static bool
is_of_startup (MonoClass *klass)
{
	const char *name_space = mono_class_get_namespace (klass);
	return name_space && begins_with (name_space, "<StartupCode$");
}

/* In the classes of an image that stand in no other one: in those, or in the others. */
static MonoMethod *
find_in_image (MonoImage *image, bool of_startup, wanted_method is_wanted, const mention *wanted)
{
	int rows = mono_image_get_table_rows (image, MONO_TABLE_TYPEDEF);
	MonoMethod *method = NULL;
	for (int row = 1; row < rows && row <= METHODS_MOST && !method; row++) {
		MonoClass *klass = mono_class_get (image, MONO_TOKEN_TYPE_DEF | (uint32_t) (row + 1));
		if (klass && !mono_class_get_nesting_type (klass) && is_of_startup (klass) == of_startup)
			method = find_method (klass, is_wanted, wanted, false, 0);
	}
	return method;
}

/* What makes the values of a file mentions closures of values, and none of a member. */
static MonoMethod *
find_member (MonoClass *written, const mention *wanted)
{
	MonoImage *image = mono_class_get_image (written);
	MonoMethod *method = wanted->name ? find_in_image (image, false, mentions_as_named, wanted) : NULL;
	if (!method && !is_large (written))
		method = find_method (written, mentions, wanted, true, 0);
	if (!method || strcmp (mono_method_get_name (method), ".cctor") == 0) {
		MonoMethod *member = find_in_image (image, false, mentions, wanted);
		method = member ? member : method;
	}
	return method;
}

static mention
mention_of (MonoMethod *method, uint32_t *room)
{
	MonoClass *klass = mono_method_get_class (method);
	const char *name = mono_method_get_name (method), *class_name = mono_class_get_name (klass);
	mention wanted = { .itself = method, .token = mono_method_get_token (method), .room = room };
	if (end_of_fsharp (class_name)) {
		wanted.own_class = mono_class_get_type_token (klass);
		wanted.name = class_name;
		wanted.name_length = (size_t) (end_of_fsharp (class_name) - class_name);
		add_mention (&wanted, LDFTN, wanted.token);
		add_closure (&wanted, klass);
	} else if (begins_with (name, vb_lambda)) {
		wanted.is_generic = is_generic (klass);
		add_mention (&wanted, LDFTN, wanted.token);
	} else {
		add_mention (&wanted, CALL, wanted.token);
	}
	return wanted;
}

static MonoMethod *
find_who_mentions (MonoMethod *method, uint32_t *room)
{
	MonoClass *klass = mono_method_get_class (method), *written = written_class (klass);
	mention wanted = mention_of (method, room);
	if (is_core (klass))
		return NULL;
	if (is_of_startup (written))
		return find_member (written, &wanted);
	MonoMethod *named = wanted.name ? find_method (written, mentions_as_named, &wanted, false, 0) : NULL;
	return named || is_large (written) ? named : find_method (written, mentions, &wanted, true, 0);
}

/* Of _Lambda$__2, which VB$StateMachine___Lambda$__2 belongs to. */
static MonoMethod *
lambda_of_machine (MonoClass *machine)
{
	char name[NAME_SIZE];
	MonoClass *klass = mono_class_get_nesting_type (machine);
	snprintf (name, sizeof name, "%s", mono_class_get_name (machine) + sizeof vb_machine - 1);
	name[strcspn (name, "`")] = '\0';
	return klass ? mono_class_get_method_from_name (klass, name + (name[0] == '_' && name[1] == '_'), -1) : NULL;
}

static bool
is_lambda_machine (const char *class_name)
{
	return begins_with (class_name, vb_machine) && begins_with (class_name + sizeof vb_machine - 1, "__Lambda$__");
}

/* "Work" of VB$StateMachine_12_Work`1. */
static void
name_of_machine (const char *class_name, char name[NAME_SIZE])
{
	const char *text = class_name + sizeof vb_machine - 1;
	text += strspn (text, "0123456789");
	text += *text == '_';
	snprintf (name, NAME_SIZE, "%.*s", (int) strcspn (text, "`"), text);
}

/* The method that a person wrote, of which another one was made; NULL: it is not known. */
typedef struct {
	MonoMethod *method; /* of Visual Basic's async methods and iterators what was made of it */
	MonoClass *klass;
	char name[NAME_SIZE];
} writer;

static bool
find_writer (MonoMethod *made, writer *ret_writer)
{
	uint32_t room = READ_MOST;
	MonoMethod *method = find_who_mentions (made, &room);
	for (unsigned i = 0; method && i < NESTING_MOST; i++) {
		MonoClass *klass = mono_method_get_class (method);
		const char *class_name = mono_class_get_name (klass), *name = mono_method_get_name (method);
		ret_writer->method = method;
		ret_writer->klass = written_class (klass);
		if (is_lambda_machine (class_name)) {
			method = lambda_of_machine (klass);
		} else if (begins_with (class_name, vb_machine)) {
			name_of_machine (class_name, ret_writer->name);
			return true;
		} else if (!is_made_method (name) && ret_writer->klass == klass) {
			snprintf (ret_writer->name, NAME_SIZE, "%s", name);
			return true;
		} else {
			method = find_who_mentions (method, &room);
		}
	}
	return false;
}

/* Is it of a class that a person wrote, and is this its name? An F# value has a getter. */
static bool
is_called (MonoMethod *method, const void *wanted)
{
	const char *name = mono_method_get_name (method);
	MonoClass *klass = mono_method_get_class (method);
	return written_class (klass) == klass &&
	       (strcmp (name, wanted) == 0 || (begins_with (name, "get_") && strcmp (name + 4, wanted) == 0));
}

/* --- what it is --------------------------------------------------------------------------------------------------- */

static bool
is_or_implements (MonoClass *klass, const char *name)
{
	for (; klass; klass = mono_class_get_parent (klass)) {
		void *iterator = NULL;
		MonoClass *interface;
		while ((interface = mono_class_get_interfaces (klass, &iterator)))
			if (strcmp (mono_class_get_name (interface), name) == 0)
				return true;
	}
	return false;
}

/* Is it a step of F#'s async { }, or of task { } where the compiler made no state machine of it? */
static bool
is_step (MonoMethod *method, const char *full_name)
{
	const char *parameters = strstr (full_name, ":Invoke (");
	MonoMethodSignature *signature = parameters ? mono_method_signature (method) : NULL;
	char *result = signature ? mono_type_get_name (mono_signature_get_return_type (signature)) : NULL;
	bool is = parameters && (strstr (parameters, "(Microsoft.FSharp.Control.AsyncActivation`1") ||
	                         strstr (parameters, "(Microsoft.FSharp.Core.CompilerServices.ResumableStateMachine`1"));
	is = is || (result && (begins_with (result, "Microsoft.FSharp.Control.FSharpAsync") ||
	                       begins_with (result, "Microsoft.FSharp.Core.CompilerServices.ResumableCode")));
	mono_free (result);
	return is;
}

/* " (async)" and " (iterator)" for what goes on later; NULL: it has parameters. */
static const char *
kind_of (MonoMethod *method, const char *full_name)
{
	MonoClass *klass = mono_method_get_class (method);
	const char *name = mono_method_get_name (method);
	if (strcmp (name, "MoveNext") == 0 && is_or_implements (klass, "IAsyncStateMachine"))
		return " (async)";
	if ((strcmp (name, "MoveNext") == 0 && is_or_implements (klass, "IEnumerator")) ||
	    strcmp (name, "GenerateNext") == 0)
		return " (iterator)";
	return end_of_fsharp (mono_class_get_name (klass)) && is_step (method, full_name) ? " (async)" : NULL;
}

/* --- what it is called -------------------------------------------------------------------------------------------- */

static bool
is_by_fsharp (MonoImage *image)
{
	const MonoTableInfo *table = mono_image_get_table_info (image, MONO_TABLE_ASSEMBLYREF);
	for (int i = 0, rows = table ? mono_table_info_get_rows (table) : 0; i < rows; i++) {
		uint32_t name = mono_metadata_decode_row_col (table, i, MONO_ASSEMBLYREF_NAME);
		if (strcmp (mono_metadata_string_heap (image, name), "FSharp.Core") == 0)
			return true;
	}
	return false;
}

/* The class of this name beside another one. */
static MonoClass *
beside (MonoClass *klass, const char *name)
{
	void *classes = NULL;
	MonoClass *outer = mono_class_get_nesting_type (klass), *nested;
	if (!outer)
		return mono_class_from_name (mono_class_get_image (klass), mono_class_get_namespace (klass), name);
	while ((nested = mono_class_get_nested_types (outer, &classes)))
		if (strcmp (mono_class_get_name (nested), name) == 0)
			break;
	return nested;
}

/* F# calls a module ShapeModule where a type is called Shape, too. */
static bool
has_suffix (MonoClass *klass)
{
	enum { LENGTH = 6, STATIC = MONO_TYPE_ATTR_ABSTRACT | MONO_TYPE_ATTR_SEALED };
	char name[NAME_SIZE];
	size_t length = strlen (mono_class_get_name (klass));
	snprintf (name, sizeof name, "%s", mono_class_get_name (klass));
	if (length <= LENGTH || length >= NAME_SIZE || strcmp (name + length - LENGTH, "Module") != 0 ||
	    (mono_class_get_flags (klass) & STATIC) != STATIC)
		return false;
	name[length - LENGTH] = '\0';
	return is_by_fsharp (mono_class_get_image (klass)) && beside (klass, name);
}

/* What F# does when a file's values are made is in <StartupCode$shop>.$Shop.Program: what is behind that; or NULL. */
static const char *
after_startup (const char *name)
{
	const char *end = begins_with (name, "<StartupCode$") ? strstr (name, ">.$") : NULL;
	return end ? end + 3 : NULL;
}

/* "Shop.Program/Account". */
static void
append_class (char text[NAME_SIZE], MonoClass *klass)
{
	enum { MODULE = 6 };
	char full[NAME_SIZE];
	MonoClass *outer = mono_class_get_nesting_type (klass);
	const char *name = mono_class_get_name (klass), *name_space = outer ? NULL : mono_class_get_namespace (klass);
	snprintf (full, sizeof full, "%s%s%.*s", name_space ? name_space : "", name_space && *name_space ? "." : "",
	          (int) (strlen (name) - (has_suffix (klass) ? MODULE : 0)), name);
	if (outer)
		append_class (text, outer);
	append (text, "%s%s", outer ? "/" : "", after_startup (full) ? after_startup (full) : full);
}

/* The name that F# gives to what is between two |>: "Pipe #1 stage #2 at line 30" -> "pipe.stage2". */
static bool
append_pipe (char text[NAME_SIZE], const char *name)
{
	unsigned pipe, stage = 0;
	if (sscanf (name, "Pipe #%u stage #%u at line ", &pipe, &stage) != 2 &&
	    sscanf (name, "Pipe #%u input at line ", &pipe) != 1)
		return false;
	append (text, pipe > 1 ? "pipe%u." : "pipe.", pipe);
	append (text, stage ? "stage%u" : "input", stage);
	return true;
}

static void
append_basic (char text[NAME_SIZE], MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);
	const char *class_name = mono_class_get_name (klass);
	bool of_lambda = is_lambda_machine (class_name);
	MonoMethod *lambda = of_lambda ? lambda_of_machine (klass) : method;
	writer by;
	if (of_lambda || begins_with (mono_method_get_name (method), vb_lambda)) {
		bool is_known = lambda && find_writer (lambda, &by);
		append_class (text, is_known ? by.klass : written_class (klass));
		append (text, ":%s", is_known ? by.name : "");
		append_lambda (text, ordinal_of (of_lambda ? class_name : mono_method_get_name (method)));
	} else if (begins_with (class_name, vb_machine)) {
		append_class (text, written_class (klass));
		name_of_machine (class_name, by.name);
		append (text, ":%s", by.name);
	} else {
		append_class (text, written_class (klass));
		append (text, ":closure");
	}
}

/* `own`: the name in that of the closure's class, or of a method. */
static void
take_own (const char *made, char own[NAME_SIZE])
{
	bool is_inlined = *made == '<' && strchr (made, '>');
	snprintf (own, NAME_SIZE, "%.*s", (int) (end_of_fsharp (made) - made), made);
	if (is_inlined) {
		memmove (own, own + 1, strlen (own));
		own[strcspn (own, ">")] = '\0';
	}
}

/* What nothing mentions by a known token, as in a generic class, is of the method of its name. */
static bool
find_writer_by_name (MonoMethod *method, const char *own, writer *ret_writer)
{
	MonoClass *klass = mono_method_get_class (method);
	MonoMethod *called;
	if (find_writer (method, ret_writer))
		return true;
	called = find_method (written_class (klass), is_called, own, false, 0);
	*ret_writer = (writer) { called, written_class (called ? mono_method_get_class (called) : klass), "" };
	if (called)
		snprintf (ret_writer->name, NAME_SIZE, "%s", mono_method_get_name (called));
	return called != NULL;
}

static void
append_fsharp (char text[NAME_SIZE], MonoMethod *method, const char *made, bool is_whole)
{
	char own[NAME_SIZE];
	writer by;
	take_own (made, own);
	find_writer_by_name (method, own, &by);
	const char *plain = by.name + (begins_with (by.name, "get_") ? 4 : 0);
	bool is_same = strcmp (plain, own) == 0 || strcmp (by.name, own) == 0;
	append_class (text, by.klass);
	append (text, ":%s", is_same ? own : by.name);
	if (is_same || strcmp (own, "clo") == 0) {
		if (!is_whole)
			append_lambda (text, ordinal_of (made));
		return;
	}
	append (text, by.name[0] ? "." : "");
	if (!append_pipe (text, own))
		append (text, "%s", own);
}

/* A method of a class that a compiler made of one, other than the one that has the source's instructions. */
static bool
is_other (MonoMethod *method, const char *kind)
{
	const char *name = mono_method_get_name (method);
	if (kind || is_made_method (name))
		return false;
	return strcmp (name, "Invoke") != 0;
}

/* "sum.lambda2.Dispose" -> "sum/lambda2.Dispose": what is before the last dot would be taken for a namespace. */
static void
nest (char *name)
{
	char *last = name ? strrchr (name, '.') : NULL;
	if (!last || last[-1] == '.')
		return;
	for (char *at = name + 2; at < last; at++)
		if (*at == '.')
			*at = '/';
}

static void
append_made (char text[NAME_SIZE], MonoMethod *method, const char *full_name)
{
	const char *name = mono_method_get_name (method),
	           *class_name = mono_class_get_name (mono_method_get_class (method));
	const char *kind = kind_of (method, full_name), *parameters = NULL, *dot = strrchr (name, '.');
	if (end_of_fsharp (class_name) || end_of_fsharp (name))
		append_fsharp (text, method, end_of_fsharp (class_name) ? class_name : name, kind || is_other (method, kind));
	else
		append_basic (text, method);
	if (is_other (method, kind) && *name == '.')
		append (text, "%s.%s", end_of_fsharp (class_name) ? ".closure" : "", name);
	else if (is_other (method, kind))
		append (text, ".%s", dot ? dot + 1 : name);
	nest (strchr (text, ':'));
	for (const char *at = full_name; (at = strstr (at, " (")); at++)
		parameters = at;
	append (text, "%s", kind ? kind : parameters ? parameters : " ()");
}

/* F# adds to what a person wrote: the suffix of a module, and '@' where it makes a file's values. */
static bool
is_renamed (MonoMethod *method, const char *full_name)
{
	const char *name = mono_method_get_name (method);
	bool is = *name && name[strlen (name) - 1] == '@';
	for (MonoClass *klass = mono_method_get_class (method); klass && !is; klass = mono_class_get_nesting_type (klass))
		is = has_suffix (klass);
	return is || after_startup (full_name);
}

static void
append_renamed (char text[NAME_SIZE], MonoMethod *method, const char *full_name)
{
	const char *name = mono_method_get_name (method), *rest = strchr (full_name, ':');
	size_t length = strlen (name);
	append_class (text, mono_method_get_class (method));
	append (text, ":%.*s%s", (int) (length - (name[length - 1] == '@')), name, rest ? rest + 1 + length : "");
}

char *
written_name (MonoMethod *method, const char *full_name)
{
	char text[NAME_SIZE] = "";
	MonoClass *klass = mono_method_get_class (method);
	const char *colon = strchr (full_name, ':'), *name = mono_method_get_name (method);
	if (!klass || !colon || begins_with (full_name, "(wrapper "))
		return NULL;
	if (is_made_class (mono_class_get_name (klass)) || is_made_method (name))
		append_made (text, method, full_name);
	else if (is_renamed (method, full_name) && begins_with (colon + 1, name))
		append_renamed (text, method, full_name);
	return text[0] && strlen (text) < NAME_SIZE - 1 ? strdup (text) : NULL;
}

/* The method that was written is the first one of that name: the symbols know it, but not here. */
static MonoMethod *
writer_of_lambda (MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);
	MonoMethod *lambda = is_lambda_machine (mono_class_get_name (klass)) ? lambda_of_machine (klass) : method;
	writer by;
	if (!lambda || !find_writer (lambda, &by))
		return NULL;
	return mono_method_get_class (by.method) == by.klass ? by.method
	                                                     : mono_class_get_method_from_name (by.klass, by.name, -1);
}

/* What makes a file's values, where it mentions a local function in one of them; NULL: it does not. */
static MonoMethod *
find_maker_of_values (MonoMethod *method)
{
	uint32_t room = READ_MOST;
	MonoClass *klass = mono_method_get_class (method);
	mention wanted = mention_of (method, &room);
	return is_core (klass) ? NULL : find_in_image (mono_class_get_image (klass), true, mentions, &wanted);
}

uint32_t
written_in (MonoMethod *method)
{
	char own[NAME_SIZE];
	const char *name = mono_method_get_name (method),
	           *class_name = mono_class_get_name (mono_method_get_class (method));
	const char *made = end_of_fsharp (class_name) ? class_name : end_of_fsharp (name) ? name : NULL;
	writer by = { NULL };
	if (made && *made == '<') /* <sum>__debug@36 is another one of sum, not a part of what calls it */
		return 0;
	if (made) {
		take_own (made, own);
		if (!find_writer_by_name (method, own, &by))
			by.method = find_maker_of_values (method);
	} else if (begins_with (name, vb_lambda) || is_lambda_machine (class_name)) {
		by.method = writer_of_lambda (method);
	}
	return by.method ? mono_method_get_token (by.method) : 0;
}
