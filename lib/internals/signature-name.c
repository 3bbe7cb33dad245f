/*
 * SPDX-License-Identifier: MIT
 *
 * signature-name.c - a signature as text, namespaces included: int(string,int).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/debug-helpers.h>
#include "internals.h"

char *
mono_signature_full_name (MonoMethodSignature *signature)
{
	if (!signature)
		return strdup ("<invalid signature>");
	char *result = mono_type_full_name (mono_signature_get_return_type (signature));
	char *params = mono_signature_get_desc (signature, 1), *text = NULL;
	if (result && params && asprintf (&text, "%s(%s)", result, params) < 0)
		text = NULL;
	free (result);
	free (params);
	return text;
}
