/*
 * SPDX-License-Identifier: MIT
 *
 * disassembler.c - IL as text, spelt as Mono spells it:
 *
 *     IL_0009: ldstr     "text"
 *     IL_000e: call      0x0a000011
 *
 * Code is believed to be whole where a caller gives no end. Texts are allocations, so that everything but the names of
 * opcodes is for normal context. ECMA-335 III.1.2.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/opcodes.h>
#include "bytes.h"
#include "records.h"
#include "utf8.h"

/* --- text that grows ---------------------------------------------------------------------------------------------- */

struct text {
	char *data;
	size_t length, size;
	bool failed;
};

static bool
make_room (struct text *text, size_t more)
{
	if (text->failed || text->length + more < text->size)
		return !text->failed;
	size_t size = (text->length + more) * 2 + 64;
	char *data = realloc (text->data, size);
	text->failed = !data;
	if (!data)
		return false;
	text->data = data;
	text->size = size;
	return true;
}

static void
put_bytes (struct text *text, const char *bytes, size_t length)
{
	if (!make_room (text, length))
		return;
	memcpy (text->data + text->length, bytes, length);
	text->length += length;
	text->data[text->length] = 0;
}

static void
put (struct text *text, const char *string)
{
	if (string)
		put_bytes (text, string, strlen (string));
}

static void put_format (struct text *text, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

static void
put_format (struct text *text, const char *format, ...)
{
	char buffer[128];
	va_list arguments;
	va_start (arguments, format);
	vsnprintf (buffer, sizeof buffer, format, arguments);
	va_end (arguments);
	put (text, buffer);
}

/* What a caller's helper allocated. */
static void
put_free (struct text *text, char *string)
{
	put (text, string);
	mono_free (string);
}

/* The text so far, which the caller owns; NULL: no memory. */
static char *
take (struct text *text)
{
	put_bytes (text, "", 0);
	if (!text->failed)
		return text->data;
	free (text->data);
	return NULL;
}

static void
put_utf8 (struct text *text, uint32_t point)
{
	char bytes[4];
	put_bytes (text, bytes, monocle__utf8_encode (point, bytes));
}

static uint32_t
unit (const char *at)
{
	return monocle__le16 ((const uint8_t *) at);
}

/* A string of the #US heap, UTF-16, up to its first NUL as on Mono. Half a pair shows as U+FFFD. */
static void
put_user_string (struct text *text, MonoImage *image, uint32_t token)
{
	const char *at, *blob = mono_metadata_user_string (image, mono_metadata_token_index (token));
	uint32_t units = mono_metadata_decode_blob_size (blob, &at) / 2;
	put (text, "\"");
	for (uint32_t i = 0; blob && i < units && unit (at + 2 * i); i++) {
		uint32_t point = unit (at + 2 * i), low = i + 1 < units ? unit (at + 2 * i + 2) : 0;
		bool is_high = point >= 0xd800 && point < 0xdc00;
		if (is_high && low >= 0xdc00 && low < 0xe000) {
			point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
			i++;
		} else if (point >= 0xd800 && point < 0xe000) {
			point = 0xfffd;
		}
		put_utf8 (text, point);
	}
	put (text, "\"");
}

/* --- instructions ------------------------------------------------------------------------------------------------- */

/* Where an instruction is: code whose first byte is `base`, up to `end`. */
struct code {
	MonoDisHelper *helper;
	MonoMethod *method;
	const mono_byte *base, *at, *end;
};

static uint32_t
read (const mono_byte *at, int bytes)
{
	uint32_t value = 0;
	while (bytes--)
		value = value << 8 | at[bytes];
	return value;
}

/* Of what stands behind a number, also behind one that is no opcode. */
static unsigned
operand_of (int opcode)
{
	return opcode < MONO_CEE_LAST ? mono_opcodes[opcode].argument : MonoInlineNone;
}

/* Bytes of an operand without what follows the count of a switch. */
static int
fixed_size (unsigned operand)
{
	switch (operand) {
	case MonoInlineNone: return 0;
	case MonoShortInlineVar:
	case MonoShortInlineI:
	case MonoShortInlineBrTarget: return 1;
	case MonoInlineVar: return 2;
	case MonoInlineI8:
	case MonoInlineR: return 8;
	default: return 4;
	}
}

/* Bytes of an operand that begins at `at`; -1: it does not fit. A switch is followed by as many targets of four. */
static int64_t
operand_size (unsigned operand, const mono_byte *at, const mono_byte *end)
{
	int64_t size = fixed_size (operand);
	if (end - at < size)
		return -1;
	if (operand == MonoInlineSwitch)
		size += (int64_t) read (at, 4) * 4;
	return end - at < size ? -1 : size;
}

/* A branch to `offset` bytes after `from`; without a format the distance. A helper's format takes one number. */
static void
put_target (struct text *text, const struct code *code, const mono_byte *from, int32_t offset)
{
	char buffer[128];
	if (!code->helper->label_target) {
		put_format (text, "%d", offset);
		return;
	}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf (buffer, sizeof buffer, code->helper->label_target, (unsigned) (from - code->base) + (unsigned) offset);
#pragma GCC diagnostic pop
	put (text, buffer);
}

static void
put_label (struct text *text, const struct code *code)
{
	char buffer[128];
	unsigned offset = (unsigned) (code->at - code->base);
	if (code->helper->indenter)
		put_free (text, code->helper->indenter (code->helper, code->method, offset));
	if (!code->helper->label_format)
		return;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf (buffer, sizeof buffer, code->helper->label_format, offset);
#pragma GCC diagnostic pop
	put (text, buffer);
}

static void
put_switch (struct text *text, const struct code *code, const mono_byte *at)
{
	uint32_t count = read (at, 4);
	const mono_byte *next = at + 4 + (size_t) count * 4;
	put (text, "(");
	for (uint32_t i = 0; i < count; i++) {
		put (text, i ? ", " : "");
		put_target (text, code, next, (int32_t) read (at + 4 + i * 4, 4));
	}
	put (text, ")");
}

static void
put_token (struct text *text, const struct code *code, uint32_t token)
{
	if (code->helper->tokener)
		put_free (text, code->helper->tokener (code->helper, code->method, token));
	else
		put_format (text, "0x%08x", token);
}

static void
put_operand (struct text *text, const struct code *code, unsigned operand, const mono_byte *at)
{
	float single;
	double number;
	switch (operand) {
	case MonoInlineNone:
	case MonoInlineI8: /* Mono prints none here */ break;
	case MonoShortInlineVar: put_format (text, "%u", *at); break;
	case MonoInlineVar: put_format (text, "%u", read (at, 2)); break;
	case MonoShortInlineI: put_format (text, "%d", (int8_t) *at); break;
	case MonoInlineI: put_format (text, "%d", (int32_t) read (at, 4)); break;
	case MonoShortInlineBrTarget: put_target (text, code, at + 1, (int8_t) *at); break;
	case MonoInlineBrTarget: put_target (text, code, at + 4, (int32_t) read (at, 4)); break;
	case MonoInlineSwitch: put_switch (text, code, at); break;
	case MonoShortInlineR:
		memcpy (&single, at, sizeof single);
		put_format (text, "%g", single);
		break;
	case MonoInlineR:
		memcpy (&number, at, sizeof number);
		put_format (text, "%g", number);
		break;
	case MonoInlineString: put_user_string (text, monocle_method_image (code->method), read (at, 4)); break;
	default: put_token (text, code, read (at, 4)); break;
	}
}

/* One instruction; code->at moves behind it. False: there is no whole one. */
static bool
put_instruction (struct text *text, struct code *code)
{
	const mono_byte *at = code->at;
	int opcode = mono_opcode_value (&at, code->end);
	if (opcode == MonoOpcodeEnum_Invalid)
		return false;
	at++;
	int64_t size = operand_size (operand_of (opcode), at, code->end);
	if (size < 0)
		return false;
	put_label (text, code);
	put_format (text, "%-10s", mono_opcode_name (opcode));
	put_operand (text, code, operand_of (opcode), at);
	put (text, code->helper->newline);
	code->at = at + size;
	return true;
}

/* --- mono_disasm_code --------------------------------------------------------------------------------------------- */

/* Labels count from the start of the body that `ip` is in; from `ip` where that is not known. */
static struct code
code_at (MonoDisHelper *helper, MonoMethod *method, const mono_byte *ip, const mono_byte *end)
{
	static MonoDisHelper plain = { .newline = "\n", .label_format = "IL_%04x: ", .label_target = "IL_%04x" };
	struct code code = { helper ? helper : &plain, method, ip, ip, end };
	MonoMethodHeader *header = mono_method_get_header (method);
	uint32_t size;
	const mono_byte *body = mono_method_header_get_code (header, &size, NULL);
	if (body && ip >= body && ip < body + size) {
		code.base = body;
		if (!end)
			code.end = body + size;
	}
	mono_metadata_free_mh (header);
	return code;
}

/* The longest instruction but for a switch. */
enum { LONGEST = 10 };

char *
mono_disasm_code_one (MonoDisHelper *dh, MonoMethod *method, const mono_byte *ip, const mono_byte **endp)
{
	struct text text = { 0 };
	if (!method || !ip)
		return NULL;
	struct code code = code_at (dh, method, ip, NULL);
	if (!code.end)
		code.end = ip + LONGEST;
	put_instruction (&text, &code);
	if (endp)
		*endp = code.at;
	return take (&text);
}

char *
mono_disasm_code (MonoDisHelper *dh, MonoMethod *method, const mono_byte *ip, const mono_byte *end)
{
	struct text text = { 0 };
	if (!method || !ip || !end)
		return NULL;
	struct code code = code_at (dh, method, ip, end);
	while (code.at < end && put_instruction (&text, &code))
		continue;
	return take (&text);
}
