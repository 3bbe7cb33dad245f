/*
 * SPDX-License-Identifier: MIT
 *
 * ops.c - the operations of a host that lib/cli answers.
 */
#include "cli-priv.h"

void
monocle__cli_fill_ops (monocle_host_ops *ops)
{
	monocle__cli_describe_ops (ops);
	monocle__cli_member_ops (ops);
	monocle__cli_body_ops (ops);
	monocle__cli_attribute_ops (ops);
	monocle__cli_token_ops (ops);
	monocle__cli_source_ops (ops);
}
