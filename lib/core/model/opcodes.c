/*
 * SPDX-License-Identifier: MIT
 *
 * opcodes.c - the opcodes of IL by number. Any context.
 */
#include <mono/metadata/opcodes.h>

enum { PREFIX = 0xfe };

/* clang-format off */

/* The second byte alone makes no number: the row's place does. */
#define OPDEF(name, text, pop, push, operand, holds, size, first, second, flow) \
	[MONO_##name] = { Mono##operand, MONO_FLOW_##flow, MONO_##name },
const MonoOpcode mono_opcodes[MONO_CEE_LAST] = {
#include <mono/cil/opcode.def>
};
#undef OPDEF

#define OPDEF(name, text, ...) [MONO_##name] = text,
static const char *const names[MONO_CEE_LAST] = {
#include <mono/cil/opcode.def>
};
#undef OPDEF

/* clang-format on */

_Static_assert(MONO_CEE_PREFIXREF == 0xff && MONO_CEE_ARGLIST == 0x100, "the place of a row is its number");

const char *
mono_opcode_name (int opcode)
{
	return opcode >= 0 && opcode < MONO_CEE_LAST ? names[opcode] : "";
}

MonoOpcodeEnum
mono_opcode_value (const mono_byte **ip, const mono_byte *end)
{
	if (!ip || *ip >= end)
		return MonoOpcodeEnum_Invalid;
	mono_byte first = **ip;
	if (first != PREFIX && first != MONO_CUSTOM_PREFIX)
		return (MonoOpcodeEnum) first;
	if (end - *ip < 2)
		return MonoOpcodeEnum_Invalid;
	++*ip;
	return (MonoOpcodeEnum) ((first == PREFIX ? MONO_CEE_ARGLIST : MONO_CEE_MONO_ICALL) + **ip);
}
