/*
 * SPDX-License-Identifier: MIT
 *
 * mono-debug.h - source lines: of IL offsets, of native offsets. Normal context throughout.
 */
#ifndef MONO_METADATA_MONO_DEBUG_H
#define MONO_METADATA_MONO_DEBUG_H

#include <mono/utils/mono-publib.h>
#include <mono/metadata/image.h>
#include <mono/metadata/appdomain.h>

MONO_BEGIN_DECLS

typedef struct _MonoSymbolTable            MonoSymbolTable;
typedef struct _MonoDebugDataTable         MonoDebugDataTable;
typedef struct _MonoSymbolFile             MonoSymbolFile;
typedef struct _MonoPPDBFile               MonoPPDBFile;
typedef struct _MonoDebugHandle            MonoDebugHandle;
typedef struct _MonoDebugLineNumberEntry   MonoDebugLineNumberEntry;
typedef struct _MonoDebugVarInfo           MonoDebugVarInfo;
typedef struct _MonoDebugMethodJitInfo     MonoDebugMethodJitInfo;
typedef struct _MonoDebugMethodAddress     MonoDebugMethodAddress;
typedef struct _MonoDebugMethodAddressList MonoDebugMethodAddressList;
typedef struct _MonoDebugClassEntry        MonoDebugClassEntry;
typedef struct _MonoDebugMethodInfo        MonoDebugMethodInfo;
typedef struct _MonoDebugLocalsInfo        MonoDebugLocalsInfo;
typedef struct _MonoDebugMethodAsyncInfo   MonoDebugMethodAsyncInfo;
typedef struct _MonoDebugSourceLocation    MonoDebugSourceLocation;
typedef struct _MonoDebugList              MonoDebugList;

typedef enum {
	MONO_DEBUG_FORMAT_NONE     = 0,
	MONO_DEBUG_FORMAT_MONO     = 1,
	MONO_DEBUG_FORMAT_DEBUGGER = 2,
} MonoDebugFormat;

struct _MonoDebugSourceLocation {
	char *source_file;
	uint32_t row, column; /* from 1; column 0: unknown */
	uint32_t il_offset;
};

/* Where a variable lives in the code of a method. */
struct _MonoDebugVarInfo {
	uint32_t index;       /* MONO_DEBUG_VAR_ADDRESS_MODE_* and a register */
	uint32_t offset;
	uint32_t size;
	uint32_t begin_scope;
	uint32_t end_scope;
	MonoType *type;
};

#define MONO_DEBUG_VAR_ADDRESS_MODE_FLAGS           0xf0000000
#define MONO_DEBUG_VAR_ADDRESS_MODE_REGISTER        0
#define MONO_DEBUG_VAR_ADDRESS_MODE_REGOFFSET       0x10000000
#define MONO_DEBUG_VAR_ADDRESS_MODE_TWO_REGISTERS   0x20000000
#define MONO_DEBUG_VAR_ADDRESS_MODE_DEAD            0x30000000
#define MONO_DEBUG_VAR_ADDRESS_MODE_REGOFFSET_INDIR 0x40000000
#define MONO_DEBUG_VAR_ADDRESS_MODE_GSHAREDVT_LOCAL 0x50000000
#define MONO_DEBUG_VAR_ADDRESS_MODE_VTADDR          0x60000000

struct _MonoDebugMethodJitInfo {
	const mono_byte *code_start;
	uint32_t code_size;
	uint32_t prologue_end;
	uint32_t epilogue_begin;
	const mono_byte *wrapper_addr;
	uint32_t num_line_numbers;
	MonoDebugLineNumberEntry *line_numbers;
	uint32_t has_var_info;
	uint32_t num_params;
	MonoDebugVarInfo *this_var;
	MonoDebugVarInfo *params;
	uint32_t num_locals;
	MonoDebugVarInfo *locals;
	MonoDebugVarInfo *gsharedvt_info_var;
	MonoDebugVarInfo *gsharedvt_locals_var;
};

/* The symbols of one image. */
struct _MonoDebugHandle {
	uint32_t index;
	char *image_file;
	MonoImage *image;
	MonoDebugDataTable *type_table;
	MonoSymbolFile *symfile;
	MonoPPDBFile *ppdb;
};

/* Nonzero when line information is kept. Any context. */
MONO_API mono_bool mono_debug_enabled (void);
/* Asks for line information, as --debug does. Init window. On Mono this makes code slower. */
MONO_API void mono_debug_init (MonoDebugFormat format);

/*
 * The symbols of an image, borrowed; NULL where lines are not kept. Of its fields only `image` is set everywhere, and
 * `ppdb` or `symfile` where a symbol file was found.
 */
MONO_API MonoDebugHandle *mono_debug_get_handle (MonoImage *image);
/* Gives an image its symbols, a portable PDB or an .mdb, which are copied; without effect when they are not its own. */
MONO_API void mono_debug_open_image_from_memory (MonoImage *image, const mono_byte *raw_contents, int size);
MONO_API void mono_debug_close_image (MonoImage *image);

/* The line of a native offset in a method's code; NULL when it is not known. Free with the function below. */
MONO_API MonoDebugSourceLocation *mono_debug_lookup_source_location (MonoMethod *method, uint32_t address,
                                                                     MonoDomain *domain);
/* NULL is ignored. Not async-safe. */
MONO_API void mono_debug_free_source_location (MonoDebugSourceLocation *location);
/* The symbols of a method, borrowed; NULL without. The line of one of its IL offsets; to be freed. */
MONO_API MonoDebugMethodInfo *mono_debug_lookup_method (MonoMethod *method);
MONO_API MonoDebugSourceLocation *mono_debug_method_lookup_location (MonoDebugMethodInfo *minfo, int il_offset);
/* The IL offset of a native offset, -1 when it is not known. */
MONO_API int32_t mono_debug_il_offset_from_address (MonoMethod *method, MonoDomain *domain, uint32_t native_offset);
/* "at NS.T.M (args) [0x00001] in file:line", or "at NS.T.M (args) <0x0000a>" without symbols. Caller frees. */
MONO_API char *mono_debug_print_stack_frame (MonoMethod *method, uint32_t native_offset, MonoDomain *domain);
/* Names of a method's locals, NULL without symbols. Opaque; mono_debug_free_locals (), in no header, gives it back. */
MONO_API MonoDebugLocalsInfo *mono_debug_lookup_locals (MonoMethod *method);
/* What the JIT knows of a compiled method; NULL without. Free with the function below. */
MONO_API MonoDebugMethodJitInfo *mono_debug_find_method (MonoMethod *method, MonoDomain *domain);
/* Not async-safe. */
MONO_API void mono_debug_free_method_jit_info (MonoDebugMethodJitInfo *jit);

/* Set and ask whether a debugger is there. Any context. */
MONO_API void mono_set_is_debugger_attached (mono_bool attached);
MONO_API mono_bool mono_is_debugger_attached (void);

MONO_END_DECLS

#endif
