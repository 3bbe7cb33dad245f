/*
 * SPDX-License-Identifier: MIT
 *
 * mlpd-names.h - what the addresses in an mlpd file are called. Texts stay where they are in the file's bytes.
 */
#ifndef MONOCLE_REPORT_MLPD_NAMES_H
#define MONOCLE_REPORT_MLPD_NAMES_H

#include "mlpd-decode.h"
#include "mlpd-map.h"
#include "mlpd-paths.h"

typedef struct {
	uint64_t method; /* of symbols 0 */
	uint64_t code, size;
	const char *name;
	size_t number; /* of those of its kind, in the order of the file */
} monocle__mlpd_code;

/* Begins as zeros with a profile, whose allowance is taken. */
typedef struct {
	monocle__profile *profile;
	monocle__mlpd_map methods; /* to an index of `codes`, from 1 */
	monocle__mlpd_map classes; /* to where the name is */
	monocle__mlpd_map vtables; /* to a class */
	monocle__mlpd_code *codes;
	size_t code_count, code_capacity;
	monocle__mlpd_code *symbols; /* sorted by address after _sort () */
	size_t symbol_count, symbol_capacity;
	monocle__mlpd_code *binaries; /* the same */
	size_t binary_count, binary_capacity;
	monocle__mlpd_code *by_code; /* those of `codes` that have code, by its address; after _sort () */
	size_t by_code_count;
	char program
	    [256]; /* the first assembly that is no library of the runtime's, which the program is; "": none was told */
} monocle__mlpd_names;

void monocle__mlpd_names_done (monocle__mlpd_names *names);

/* Takes events of METHOD, CLASS, ASSEMBLY, VTABLE, SYMBOL and BINARY. false: out of memory. */
bool monocle__mlpd_names_add (monocle__mlpd_names *names, const monocle__mlpd_event *event);

/* After the last one: symbols and code can be looked up. false: out of memory. */
bool monocle__mlpd_names_sort (monocle__mlpd_names *names);
/* The method whose code is there; 0: none. */
uint64_t monocle__mlpd_names_find_method (const monocle__mlpd_names *names, uint64_t address);
/* The symbol or binary there, as the address of a frame; the last one is for what is not known. */
uint64_t monocle__mlpd_names_find_symbol (const monocle__mlpd_names *names, uint64_t address);

/* What a frame is called, in `buffer` or in the file. */
const char *monocle__mlpd_names_of (const monocle__mlpd_names *names, monocle__mlpd_frame_kind kind, uint64_t address,
                                    char *buffer, size_t size);

#endif
