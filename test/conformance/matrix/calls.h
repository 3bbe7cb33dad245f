/*
 * SPDX-License-Identifier: MIT
 *
 * calls.h - what the rows of matrix.def look at, and calls that take more than an expression.
 */
#ifndef MATRIX_CALLS_H
#define MATRIX_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <mono/jit/jit.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/mono-config.h>
#include <mono/metadata/mono-debug.h>
#include <mono/metadata/mono-gc.h>
#include <mono/metadata/object.h>
#include <mono/metadata/profiler.h>
#include <mono/metadata/reflection.h>
#include <mono/metadata/threads.h>
#include <mono/utils/mono-error.h>

/* What a context has for the functions to look at: set as the runtime shows it, kept for the contexts that follow. */
typedef struct {
	MonoDomain *domain;
	MonoImage *image;
	MonoAssembly *assembly;
	MonoClass *klass;
	MonoClass *nullable; /* int? */
	MonoMethod *method;
	MonoMethodSignature *signature;
	MonoMethodHeader *header;
	MonoClassField *field, *static_field;
	MonoProperty *property;
	MonoEvent *event;
	MonoJitInfo *ji;
	MonoObject *object; /* these only within the event that shows them */
	MonoString *text;
	MonoArray *numbers;
	MonoObject *boxed;
} subject;

/* Mono's header of opcodes is generated, and not among ours. */
const char *mono_opcode_name (int opcode);
int mono_opcode_value (const mono_byte **ip, const mono_byte *end);

/* calls.c */
size_t text_length (const char *text);
const char *base_name (const char *path);
size_t build_info_length (void);
int first_opcode (void);
int assemblies_counted (void);
int domains_counted (void);
const void *header_of (MonoMethod *method);
int matches (const char *pattern, MonoMethod *method);
int matches_name (const char *pattern, MonoMethod *method);
int pattern_is_full (const char *pattern);
MonoMethod *found_in_class (const char *pattern, MonoClass *klass);
MonoMethod *found_in_image (const char *pattern, MonoImage *image);
int empty_error_is_ok (void);
int referenced_and_closed (MonoImage *image);
const void *code_owner (const subject *s);
const char *own_assembly_name (MonoImage *image);
const char *first_reference (MonoImage *image);
int parsed_version (const char *name);
MonoAssembly *opened_assembly (MonoImage *image);
MonoAssembly *opened_assembly_full (MonoImage *image);
MonoAssembly *loaded_assembly (MonoAssembly *assembly);
MonoAssembly *loaded_assembly_full (MonoAssembly *assembly);
MonoAssembly *made_assembly (MonoImage *image);
MonoAssembly *made_assembly_full (MonoImage *image);
MonoAssembly *loaded_partially (const char *name);
MonoImage *opened_image (MonoImage *image);
MonoImage *opened_image_full (MonoImage *image);
MonoImage *opened_file (MonoImage *image);
MonoImage *opened_nonsense (void);
MonoClass *first_typeref_checked (MonoImage *image);
MonoClassField *field_of_token (MonoImage *image, MonoClassField *field);
int static_number (const subject *s);
MonoMethodHeader *checked_header_of (MonoMethod *method);
const char *first_parameter (MonoMethod *method);
MonoMethod *constrained_method (const subject *s);
void *token_loaded (const subject *s);
int matches_itself (MonoMethod *method);
int marshalled_parameters (MonoMethod *method);
uint32_t code_size (MonoMethodHeader *header);
int disassembled (const subject *s);
int disassembled_one (const subject *s);
uint32_t local_count (MonoMethodHeader *header);
int first_clause (const subject *s);
int counted (MonoCustomAttrInfo *info);
int has_marker (const subject *s);
int row_of_code (const subject *s);
int row_of_il (MonoMethod *method);
int frame_names_method (const subject *s);
const void *compiled_method (const subject *s);
const void *locals_of (MonoMethod *method);
int pointer_is_named (MonoJitInfo *ji);
int strong_handle_holds (MonoObject *object);
int weak_handle_holds (MonoObject *object);
const char *called_class (MonoObject *object);
MonoObject *read_reference (MonoObject *object, const char *name);
MonoObject *boxed_reference (const subject *s, const char *name);
int first_utf16 (MonoString *text);
int first_utf32 (MonoString *text);
char *checked_utf8 (MonoString *text);

/* metadata-calls.c */
uint32_t name_in_row (MonoImage *image);
uint32_t name_in_table_row (MonoImage *image);
uint32_t column (MonoImage *image, int table, int row, unsigned int number);
uint32_t row_of_class (MonoClass *klass);
int interfaces_listed (const subject *s);
uint32_t packing_of (const subject *s);
uint32_t offset_in_field_row (const subject *s);
const char *name_in_heap (const subject *s);
int blob_begins (const subject *s);
const char *body_in_file (const subject *s);
int encoded_bytes (uint32_t value);
int required_modifier (MonoImage *image);
int parsed_rank (MonoImage *image);
int parsed_type (MonoImage *image);
int parsed_param (MonoImage *image);
int parsed_field_type (MonoImage *image);
int spec_type (MonoImage *image);
int parsed_parameters (MonoImage *image);
int allocated_parameters (MonoImage *image);
int copied_parameters (MonoMethodSignature *signature);
uint32_t parsed_code_size (const subject *s);
int parsed_native_type (MonoImage *image);
MonoType *type_by_name (const subject *s);

#endif
