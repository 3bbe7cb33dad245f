/*
 * SPDX-License-Identifier: MIT
 *
 * fence.c - methods that native code calls, [UnmanagedCallersOnly]: no poll of the collector after they have left
 * managed mode.
 *
 * Such a method changes the thread to cooperative mode when it begins, and back to preemptive mode by a helper's call
 * before its one return. For a call that suppresses this change, as those of probes do, the compiler puts a poll
 * at the end of the block that the call is in, whatever else is in that block (fgInsertGCPolls). On .NET 9 and later
 * the helper's call is there by then. Where a probe and the return are in one block the poll comes after the helper:
 *
 *     call  probe;  call REVERSE_PINVOKE_EXIT;  cmp [collecting], 0;  jne poll;  ret
 *
 * The poll of .NET 10 ends in cooperative mode. The method then returns to native code in that mode: collections wait
 * for the thread as long as it stays there, and the next such method that it calls ends the process.
 *
 * So there is a branch between all probes and each return, on a value that the compiler cannot know:
 *
 *          ldc.i8 ZERO; conv.i; volatile. ldind.i4; brfalse OUT
 *          ldc.i8 ZERO; conv.i; ldc.i4.0; volatile. stind.i4
 *     OUT: ret
 *
 * Whatever ends before it, a probe of this method, of one that was inlined, of a finally block that was copied, has its
 * poll before it as well. The branch stays, for a volatile store is made only where the program makes it.
 *
 * Methods that no filter wants get it, too: what is inlined into them may have probes.
 */
#include "fence.h"
#include "attribute.h"
#include "images/emitted.h"
#include "images/image.h"
#include "rewrite.h"

/* Read by all code with a fence, never written. */
static int zero;

static bool
is_needed_in_emitted (monocle__clr_image *image, mdToken token)
{
	monocle__emitted_facts facts = { .is_called_by_native = false };
	monocle__emitted_capture *capture = monocle__emitted_open (image);
	bool known = monocle__emitted_method_facts (image, token, &facts);
	if (capture)
		monocle__emitted_close (capture);
	return known && facts.is_called_by_native;
}

bool
monocle__fence_is_needed (monocle__clr_image *image, mdToken token)
{
	static const char name_space[] = "System.Runtime.InteropServices";
	const monocle__ecma_image *ecma = &image->cli.ecma;
	if (image->is_emitted)
		return is_needed_in_emitted (image, token);
	return monocle__attribute_find (ecma, token, name_space, "UnmanagedCallersOnlyAttribute") ||
	       monocle__attribute_find (ecma, token, name_space, "NativeCallableInternalAttribute");
}

static uint32_t
push_zero (monocle__il_instruction *out)
{
	out[0] = monocle__il_op (MONOCLE__IL_LDC_I8, (int64_t) (uintptr_t) &zero);
	out[1] = monocle__il_op (MONOCLE__IL_CONV_I, 0);
	return 2;
}

uint32_t
monocle__fence_write (monocle__il_instruction *out, uint32_t at)
{
	uint32_t n = push_zero (out);
	out[n++] = monocle__il_op (MONOCLE__IL_VOLATILE, 0);
	out[n++] = monocle__il_op (MONOCLE__IL_LDIND_I4, 0);
	out[n] = monocle__il_op (MONOCLE__IL_BRFALSE, 0);
	out[n++].operand.target = MONOCLE__IL_INSERTED (at + MONOCLE__FENCE_SIZE);
	n += push_zero (out + n);
	out[n++] = monocle__il_op (MONOCLE__IL_LDC_I4_0, 0);
	out[n++] = monocle__il_op (MONOCLE__IL_VOLATILE, 0);
	out[n++] = monocle__il_op (MONOCLE__IL_STIND_I4, 0);
	return n;
}

int
monocle__fence_insert (const monocle__rewriting *j, monocle__il_edit *edit)
{
	monocle__il_instruction code[MONOCLE__FENCE_SIZE];
	uint32_t n = monocle__fence_write (code, 0);
	int result = 0;
	for (uint32_t i = 0; i < j->body.count && result == 0; i++)
		if (j->body.code[i].opcode == MONOCLE__IL_RET)
			result = monocle__il_insert (edit, i, MONOCLE__IL_JUMPS_HIT, code, n);
	return result;
}

void
monocle__fence_drop_tail_calls (monocle__il_body *body)
{
	for (uint32_t i = 0; i < body->count; i++)
		if (body->code[i].opcode == MONOCLE__IL_TAIL)
			body->code[i].opcode = MONOCLE__IL_NOP;
}
