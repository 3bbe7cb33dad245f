/*
 * SPDX-License-Identifier: MIT
 *
 * r2r.h - code that was compiled ahead: the ReadyToRun tables of an image
 * (docs/design/coreclr/botr/readytorun-format.md of dotnet/runtime, versions 5 to 16 were read).
 *
 * A method's code is one or more *functions*: its body, then its funclets, and a cold part where the compiler split it.
 * They are sorted by address. Which method a function begins is in two tables that lead only from a method to its code;
 * a caller that wants the way back visits them once. Nothing allocates, locks, or believes the file.
 *
 * This is for x86-64 code only: on other processors a function's row has another layout. A component of a composite
 * image names no functions of its own and is refused too.
 */
#ifndef MONOCLE_ECMA_R2R_H
#define MONOCLE_ECMA_R2R_H

#include "ecma.h"

typedef struct {
	const monocle__ecma_image *image;
	uint16_t major, minor;
	uint32_t flags;
	const uint8_t *functions; /* rows of 12 bytes: begin, end, unwind data */
	uint32_t function_count;
	const uint8_t *methods; /* functions by row of MethodDef; NULL: none */
	uint32_t methods_size;
	const uint8_t *instances; /* functions of generic instances by their signature's hash; NULL: none */
	uint32_t instances_size;
	const uint8_t *cold; /* pairs: a cold function, the one it was split from; NULL: none */
	uint32_t cold_count;
	const uint8_t *manifest; /* metadata with further assembly references; NULL: none */
	uint32_t manifest_size;
	uint32_t thunks_rva, thunks_size; /* calls that are bound when first made; size 0: none */
} monocle__r2r;

typedef struct {
	uint32_t begin, end, unwind; /* RVAs */
} monocle__r2r_function;

/* Of an open PE image, which is kept. MONOCLE__ECMA_E_RANGE: it holds no code that can be read here. */
int monocle__r2r_open (monocle__r2r *ret, const monocle__ecma_image *image);

/* `index` is below function_count. A contradictory row is empty: begin and end are the same. */
monocle__r2r_function monocle__r2r_get (const monocle__r2r *r2r, uint32_t index);
/* The function that holds the RVA, out of those from `first` to `last`, which exist. UINT32_MAX: none. */
uint32_t monocle__r2r_find (const monocle__r2r *r2r, uint32_t rva, uint32_t first, uint32_t last);
/* UNWIND_INFO of a function, whose codes are all there: 4 + 2 * data[2] bytes; NULL: malformed. */
const uint8_t *monocle__r2r_unwind (const monocle__r2r *r2r, const monocle__r2r_function *function);

/*
 * Every method definition that was compiled: its row in MethodDef and the function it begins with. Malformed parts are
 * left out; a row comes once at most.
 */
typedef void (*monocle__r2r_visit_method) (uint32_t row, uint32_t function, void *data);
void monocle__r2r_each_method (const monocle__r2r *r2r, monocle__r2r_visit_method visit, void *data);
/* Every generic instance: where its signature begins in `instances`. The same function may come again in a bad file. */
typedef void (*monocle__r2r_visit_instance) (uint32_t signature, uint32_t function, void *data);
void monocle__r2r_each_instance (const monocle__r2r *r2r, monocle__r2r_visit_instance visit, void *data);
/* Every cold part. */
typedef void (*monocle__r2r_visit_cold) (uint32_t cold, uint32_t function, void *data);
void monocle__r2r_each_cold (const monocle__r2r *r2r, monocle__r2r_visit_cold visit, void *data);

/* --- signatures of methods in native code ------------------------------------------------------------------------- */

enum {
	MONOCLE__R2R_METHOD_INSTANCE = 0x04,  /* type arguments of the method follow */
	MONOCLE__R2R_METHOD_SLOT = 0x08,      /* of an array or an interface: no token */
	MONOCLE__R2R_METHOD_MEMBERREF = 0x10, /* the row is one of MemberRef, else of MethodDef */
	MONOCLE__R2R_METHOD_CONSTRAINT = 0x20,
	MONOCLE__R2R_METHOD_OWNER = 0x40,   /* the class comes first */
	MONOCLE__R2R_METHOD_CONTEXT = 0x80, /* another module's tokens */
};

/* Element types that occur in such signatures only. */
enum {
	MONOCLE__R2R_ET_NATIVE_VALUETYPE = 0x3D,
	MONOCLE__R2R_ET_CANON = 0x3E,  /* any reference type */
	MONOCLE__R2R_ET_MODULE = 0x3F, /* a number of an assembly reference, and a type with its tokens */
};

/* The parts of a method's signature. Counts and offsets only: the types are read by who knows classes. */
typedef struct {
	uint32_t flags, context, row, argument_count;
	monocle__ecma_cursor owner, arguments; /* at their types; empty where there are none */
} monocle__r2r_signature;

/* At *cursor, which moves past it. 0 or a negative code. */
int monocle__r2r_read_signature (monocle__ecma_cursor *cursor, monocle__r2r_signature *ret);
/* The name of the assembly that a number means, NULL: the image itself (0), or there is none. */
const char *monocle__r2r_assembly (const monocle__r2r *r2r, uint32_t number);

#endif
