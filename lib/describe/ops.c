/*
 * SPDX-License-Identifier: MIT
 *
 * ops.c - the operations of a host that lib/describe answers.
 */
#include "describe-priv.h"

void
monocle__describe_fill_ops (monocle_host_ops *ops)
{
	monocle__describe_describe_ops (ops);
	monocle__describe_member_ops (ops);
	monocle__describe_body_ops (ops);
	monocle__describe_attribute_ops (ops);
	monocle__describe_token_ops (ops);
	monocle__describe_source_ops (ops);
	monocle__describe_coverage_ops (ops);
}
