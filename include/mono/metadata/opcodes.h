/*
 * SPDX-License-Identifier: MIT
 *
 * opcodes.h - what the opcodes of IL are called, and what follows them. Any context.
 */
#ifndef MONO_METADATA_OPCODES_H
#define MONO_METADATA_OPCODES_H

#include <mono/utils/mono-publib.h>

MONO_BEGIN_DECLS

/* The first byte of Mono's own opcodes; its wrappers hold them. */
#define MONO_CUSTOM_PREFIX 0xf0

#define OPDEF(name, ...) MONO_##name,
typedef enum MonoOpcodeEnum {
	MonoOpcodeEnum_Invalid = -1,
#include "mono/cil/opcode.def"
	MONO_CEE_LAST
} MonoOpcodeEnum;
#undef OPDEF

enum {
	MONO_FLOW_NEXT,
	MONO_FLOW_BRANCH,
	MONO_FLOW_COND_BRANCH,
	MONO_FLOW_ERROR, /* throws, or stops for a debugger */
	MONO_FLOW_CALL,
	MONO_FLOW_RETURN,
	MONO_FLOW_META /* belongs to the next instruction */
};

/* The operand; Short: of one byte, but for a float of four. */
enum {
	MonoInlineNone = 0,
	MonoInlineType = 1,
	MonoInlineField = 2,
	MonoInlineMethod = 3,
	MonoInlineTok = 4,
	MonoInlineString = 5,
	MonoInlineSig = 6,
	MonoInlineVar = 7,
	MonoShortInlineVar = 8,
	MonoInlineBrTarget = 9,
	MonoShortInlineBrTarget = 10,
	MonoInlineSwitch = 11,
	MonoInlineR = 12,
	MonoShortInlineR = 13,
	MonoInlineI = 14,
	MonoShortInlineI = 15,
	MonoInlineI8 = 16
};

typedef struct {
	unsigned char argument;  /* MonoInlineNone ... */
	unsigned char flow_type; /* MONO_FLOW_NEXT ... */
	unsigned short opval;    /* its number */
} MonoOpcode;

/* MONO_CEE_LAST of them, by number. The only data among Mono's names. */
MONO_API_DATA const MonoOpcode mono_opcodes[];

/* Its text; "" for a number that is none (Mono reads what is there). */
MONO_API const char *mono_opcode_name (int opcode);
/* The number at *ip, which moves to the opcode's last byte; MonoOpcodeEnum_Invalid when the code ends before. */
MONO_API MonoOpcodeEnum mono_opcode_value (const mono_byte **ip, const mono_byte *end);

MONO_END_DECLS

#endif
