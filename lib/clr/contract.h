/*
 * SPDX-License-Identifier: MIT
 *
 * contract.h - what the runtime says of its own data, for debuggers: offsets of fields, places of variables, by name.
 *
 * From .NET 9 on each runtime has such a description inside of it (docs/design/datacontracts of dotnet/runtime). A name
 * that it does not have is unknown here.
 */
#ifndef MONOCLE_CLR_CONTRACT_H
#define MONOCLE_CLR_CONTRACT_H

#include <stdbool.h>
#include <stdint.h>

/* Before anything runs. Nothing is known without it. */
void monocle__contract_open (void);
/* False: the runtime does not say. Any context, as the two others. */
bool monocle__contract_offset (const char *type, const char *field, uint32_t *ret_offset);
/* Of one of a type. */
bool monocle__contract_size (const char *type, uint32_t *ret_size);
/* Where a variable of the runtime is. */
bool monocle__contract_variable (const char *name, const void *const **ret_variable);

#endif
