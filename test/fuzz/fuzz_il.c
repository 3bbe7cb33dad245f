/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_il.c - any bytes as a method body. What can be read must also be written, edited, and read again (il_check.h).
 */
#include <stdio.h>
#include <stdlib.h>

#include "il_check.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* Where code is inserted depends on the bytes alone (FNV-1a), so that a finding can be repeated. */
static uint32_t
hash (const uint8_t *data, size_t size)
{
	uint32_t value = 2166136261;

	for (size_t i = 0; i < size; i++)
		value = (value ^ data[i]) * 16777619;
	return value;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	const char *wrong = il_check (data, size, hash (data, size), NULL);

	if (wrong) {
		fprintf (stderr, "%s\n", wrong);
		abort ();
	}
	return 0;
}
