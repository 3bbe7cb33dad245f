/*
 * SPDX-License-Identifier: MIT
 *
 * host.h - what a runtime implements to be profiled (the embedding API).
 *
 * A *host* is anything that runs code worth profiling: the CoreCLR adapter, a Lua interpreter, a test script. It
 * calls monocle_host_init () once, describes what it runs as records (images, classes, methods), and raises events.
 * Profiler modules see Mono's API over these records and never learn which host made them.
 *
 * Three conventions hold everywhere in this file.
 *
 *   Versions.  A struct that crosses the border begins with `uint32_t size`, set by its owner to sizeof. The core
 *              reads no field beyond it and treats what is missing as zero.
 *   Results.   Functions that can fail return 0 or a negative monocle_error; constructors of records return NULL only
 *              when memory is exhausted.
 *   Lifetime.  A record (MonoImage, MonoClass, MonoMethod, ...) is never freed: monocle_image_unload () and friends
 *              turn it into a tombstone whose names still answer. Strings that a host passes in are copied.
 *
 * Async safety: record constructors, finders and monocle_raise_* () may be called in any context, a signal handler
 * included; they take no lock and call no allocator but the core's own mmap arena. A raise function runs the modules'
 * callbacks, which know their event's context. What may not says so.
 */
#ifndef MONOCLE_HOST_H
#define MONOCLE_HOST_H

#include <stddef.h>
#include <stdint.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/mono-gc.h>
#include <mono/metadata/profiler.h>
#include <monocle/ext.h>

MONO_BEGIN_DECLS

#define MONOCLE_HOST_API_VERSION 1

typedef enum {
	MONOCLE_OK           = 0,
	MONOCLE_E_INVALID    = -1, /* an argument breaks its contract */
	MONOCLE_E_NO_MEMORY  = -2,
	MONOCLE_E_UNKNOWN    = -3, /* the host cannot tell (now, or ever) */
	MONOCLE_E_BUSY       = -4, /* another host owns this process, or a live Mono does */
	MONOCLE_E_NOT_FOUND  = -5, /* a module: no file, no entry point, a missing symbol */
	MONOCLE_E_REFUSED    = -6, /* too late, or not granted by the runtime */
} monocle_error;

/*
 * One number per event, which stays for ever: Mono's from 0 on in the order of <mono/metadata/profiler-events.h>, those
 * of <monocle/ext-events.h> from MONOCLE_EVENT_EXT_BEGIN on in theirs, so that either table may grow. Numbers between
 * the two belong to no event.
 */
typedef enum {
#define MONOCLE_MONO_EVENT_ROW(name, ...) MONOCLE_EVENT_##name,
#include <monocle/event-rows.h>
	MONOCLE_EVENT_MONO_END,
	MONOCLE_EVENT_EXT_BEGIN   = 128,
	MONOCLE__EVENT_BEFORE_EXT = MONOCLE_EVENT_EXT_BEGIN - 1, /* the next one has the number that follows */
#define MONOCLE_EXT_EVENT_ROW(name, ...) MONOCLE_EVENT_##name,
#include <monocle/event-rows.h>
	MONOCLE_EVENT_COUNT /* one more than the largest number */
} monocle_event;

/* What mono_profiler_enable_* asks for. */
typedef enum {
	MONOCLE_FEATURE_SAMPLING,
	MONOCLE_FEATURE_COVERAGE,
	MONOCLE_FEATURE_ALLOCATIONS,
	MONOCLE_FEATURE_CLAUSES,
	MONOCLE_FEATURE_CALL_CONTEXT,
	MONOCLE_FEATURE_COUNT
} monocle_feature;

/* What a call context shows: the mono_profiler_call_context_get_* () functions. */
typedef enum {
	MONOCLE_CALL_THIS,
	MONOCLE_CALL_ARGUMENT,
	MONOCLE_CALL_LOCAL,
	MONOCLE_CALL_RESULT,
	MONOCLE_CALL_AWAITED_RESULT, /* in its place where monocle_method_get_awaited_type () has a type */
} monocle_call_value;

/* --- descriptions: what the core asks a host about a record, once, when it is first wanted ------------------------ */

typedef struct {
	uint32_t size;
	const char *name;             /* "Main", ".ctor" */
	uint32_t flags, iflags;       /* MethodAttributes, MethodImplAttributes */
	MonoClass *klass;             /* declaring class (the definition) */
	uint32_t generic_params;      /* of the method itself */
} monocle_method_info;

typedef struct {
	uint32_t size;
	const char *name;             /* with arity: "Dictionary`2" */
	const char *name_space;       /* "" for nested classes */
	uint32_t flags;               /* TypeAttributes */
	MonoClass *nesting;           /* enclosing class or NULL */
	uint32_t generic_params;      /* those of the enclosing classes included, as in metadata */
	uint32_t element_type;        /* MONO_TYPE_CLASS, _VALUETYPE, or the primitive that a corlib class is */
	uint32_t enum_base;           /* of an enum: MONO_TYPE_* of its underlying type; 0: no enum, or unknown */
} monocle_class_info;

typedef struct {
	uint32_t size;
	const char *assembly_name;    /* simple name */
	uint16_t version[4];
	const char *culture;          /* "" for neutral */
	uint8_t public_key_token[8];
	uint32_t has_public_key_token;
	uint32_t flags;               /* AssemblyFlags */
	const char *guid;             /* MVID, upper case with dashes, or NULL */
	const uint32_t *table_rows;   /* rows of each of the 64 metadata tables, or NULL */
	const char *module_name;      /* the name in the Module table, or NULL */
	uint32_t entry_point;         /* token, 0: none */
	const uint8_t *public_key;    /* as in the Assembly table, as long as the image is loaded; NULL: none */
	uint32_t public_key_size;
} monocle_image_info;

typedef struct {
	uint32_t size;
	MonoType *ret;                /* NULL when unknown */
	MonoType *const *params;      /* borrowed during the call only */
	uint32_t param_count;
	uint32_t call_convention;     /* ECMA-335 II.23.2.1 first byte, low nibble */
	uint32_t has_this, explicit_this;
	uint32_t generic_params;
	uint32_t sentinel;            /* one more than the number of parameters before it; 0: there is none (II.23.2.2) */
} monocle_signature_info;

/* The shape of an array type, as a signature spells it (II.23.2.13). */
typedef struct {
	uint32_t size;
	uint32_t rank;                /* 1 to 255 */
	uint32_t is_general;          /* of rank 1: no vector, but T[*] */
	uint32_t size_count, bound_count;
	const int32_t *sizes, *bounds; /* of the first dimensions; borrowed during the call only */
} monocle_array_info;

/* What a class definition lists, in the order of its metadata. */
typedef enum {
	MONOCLE_MEMBER_METHOD,
	MONOCLE_MEMBER_FIELD,
	MONOCLE_MEMBER_PROPERTY,
	MONOCLE_MEMBER_EVENT,
	MONOCLE_MEMBER_NESTED,        /* a nested class */
	MONOCLE_MEMBER_INTERFACE,     /* an interface that the class itself names */
	MONOCLE_MEMBER_KINDS
} monocle_member_kind;

enum { MONOCLE_MEMBER_METHODS_MAX = 8 };

/*
 * One member. Types, classes and methods are given as in the definition: its own generic parameters are in them, and
 * the core replaces them for instances.
 */
typedef struct {
	uint32_t size;
	uint32_t token;               /* of the member; 0 of an interface */
	const char *name;             /* not of methods, nested classes and interfaces, whose records know it */
	uint32_t flags;               /* FieldAttributes, PropertyAttributes, EventAttributes */
	MonoType *type;               /* of a field, of a property, of an event's delegate */
	MonoClass *klass;             /* the nested class, the interface */
	/* the method; a property's getter, setter; an event's add, remove, raise; then the others. NULL: there is none */
	MonoMethod *methods[MONOCLE_MEMBER_METHODS_MAX];
	const void *data;             /* of a field with an RVA: its initial bytes */
	uint32_t constant_type;       /* of a literal field, of a property: MONO_TYPE_* of its constant; 0: there is none */
	const void *constant;         /* the constant's blob (ECMA-335 II.22.9) */
	uint32_t constant_size;
} monocle_member_info;

/* A parameter of a method definition; number 0 is what it returns. */
typedef struct {
	uint32_t size;
	uint32_t token;               /* 0: metadata has no row for it */
	const char *name;             /* NULL: unnamed */
	uint32_t flags;               /* ParamAttributes */
	const void *marshal;          /* the marshalling descriptor (II.23.4), NULL: none */
	uint32_t marshal_size;
} monocle_param_info;

/* A method body as in the image, whatever the runtime executes instead. */
typedef struct {
	uint32_t size;
	const uint8_t *code;          /* as long as the image is loaded */
	uint32_t code_size, max_stack, init_locals;
	uint32_t locals_token;        /* StandAloneSig, 0: no locals */
	uint32_t local_count;
	MonoType *const *locals;      /* borrowed during the call only */
	uint32_t clause_count;
} monocle_body_info;

typedef struct {
	uint32_t size;
	uint32_t flags;               /* MonoExceptionEnum */
	uint32_t try_offset, try_length, handler_offset, handler_length;
	uint32_t filter_offset;       /* of a filter clause */
	MonoClass *catch_class;       /* of a catch clause, NULL: unknown */
} monocle_clause_info;

typedef struct {
	uint32_t size;
	MonoMethod *constructor;      /* NULL: its image is not loaded */
	MonoClass *klass;             /* the attribute's class, NULL: unknown */
	const void *data;             /* the value blob (II.23.3), as long as the image is loaded */
	uint32_t data_size;
} monocle_attribute_info;

typedef struct {
	uint32_t size;
	const char *file;             /* as the compiler wrote it */
	uint32_t row, column;         /* from 1; column 0: unknown */
	uint32_t il_offset;           /* of the sequence point */
	uint32_t end_row, end_column; /* 0: unknown */
} monocle_source_info;

/* A local variable as the symbols name it. */
typedef struct {
	uint32_t size;
	const char *name;             /* as long as the image is loaded; not terminated */
	uint32_t name_length;
	uint32_t slot;                /* in the signature of the locals */
	uint32_t scope;               /* number of its scope; UINT32_MAX: the whole method */
} monocle_local_info;

/* A scope of local variables. */
typedef struct {
	uint32_t size;
	uint32_t start, end;          /* IL offsets, [start, end) */
	uint32_t parent;              /* number of the scope around it, UINT32_MAX: there is none */
	uint32_t kind;                /* 0: unknown; 1: of the source; 2: the compiler's own; others as in .mdb files */
} monocle_scope_info;

/* Machine code from here to the next point belongs to the IL from here on. */
typedef struct {
	uint32_t native_offset, il_offset; /* an IL offset of UINT32_MAX: to none, as in a prologue */
} monocle_code_point;

typedef struct {
	uint32_t size;
	const void *start;
	uint32_t code_size;
	uint32_t point_count;         /* that there are, however many were asked for */
	uint32_t prologue_end;        /* native offset, 0: unknown */
	uint32_t epilogue_begin;      /* the same */
} monocle_code_info;

/* Sizes as the runtime laid the class out. */
typedef struct {
	uint32_t size;
	uint32_t instance_size;       /* of an object, header included; of a value type: boxed */
	uint32_t header_size;         /* what comes before the fields: 16 on Mono, 8 on CoreCLR */
	uint32_t alignment;           /* of a value, 0: unknown */
	uint32_t static_size;         /* of all static fields, 0: none or unknown */
} monocle_layout_info;

/* The heaps and other parts of an image, for those who read metadata themselves. */
typedef enum {
	MONOCLE_HEAP_STRINGS,
	MONOCLE_HEAP_BLOB,            /* answers start after the length */
	MONOCLE_HEAP_USER_STRINGS,    /* the same */
	MONOCLE_HEAP_GUID,            /* by index, from 1 */
	MONOCLE_HEAP_RVA,             /* by relative virtual address */
	MONOCLE_HEAP_KINDS
} monocle_heap_kind;

typedef enum {
	MONOCLE_REF_STRONG,
	MONOCLE_REF_PINNED,
	MONOCLE_REF_WEAK,
	MONOCLE_REF_WEAK_TRACKING,    /* survives finalisation */
} monocle_ref_kind;

/* Is shown the stacks of all threads. */
typedef struct {
	void (*begin) (void *data);                  /* once, first */
	void (*thread) (uintptr_t tid, void *data);  /* for each thread */
	monocle_frame_visitor frame;                 /* for each of its managed frames, innermost first */
	void *data;
} monocle_threads_visitor;

typedef struct {
	uint32_t size;                /* sizeof (monocle_host_ops) */
	uint32_t api_version;         /* MONOCLE_HOST_API_VERSION */
	const char *name;             /* "coreclr", "lua" */
	const char *runtime_version;  /* what mono_get_runtime_build_info () copies */
	void *host;                   /* passed back as the first argument of every operation */

	/* All operations are optional. Those under "any context" may be called from a signal handler or a call probe. */

	/*
	 * any context: the first listener for an event came (1), or the last one left (0). Where threads cross each other
	 * the host may be told the same value twice; the last call is authoritative. Not called during shutdown.
	 */
	void (*event_wanted)(void *host, monocle_event event, int wanted);
	/* any context: what comes of an event; NULL: all of Mono's come, exactly, and those of <monocle/ext.h> do not. */
	MonocleSupport (*event_support)(void *host, monocle_event event);
	/*
	 * init window, monocle_host_init () included: may this process have the feature? A positive answer grants it. 0
	 * refuses it, and the core says so; with a negative one the host has said it, and why. NULL refuses all.
	 */
	int (*enable)(void *host, monocle_feature feature);
	/*
	 * any context: a handle got, lost or exchanged a call instrumentation filter or a coverage filter. Not called
	 * during shutdown.
	 */
	void (*filter_changed)(void *host);

	/*
	 * any context: describe a record that was made from an (image, token). 0 or MONOCLE_E_UNKNOWN. What is returned is
	 * copied before the next operation in the same context; a signal handler that interrupts the copying is another
	 * context, so a host whose handlers ask for names answers them from other buffers.
	 */
	int (*describe_image)(void *host, MonoImage *image, monocle_image_info *ret_info);
	int (*describe_class)(void *host, MonoClass *klass, monocle_class_info *ret_info);
	int (*describe_method)(void *host, MonoMethod *method, monocle_method_info *ret_info);
	int (*describe_signature)(void *host, MonoMethod *method, monocle_signature_info *ret_info);
	/* any context: name of generic parameter `index` of a class (method NULL) or method definition. NULL: unknown. */
	const char *(*generic_param_name)(void *host, MonoClass *klass, MonoMethod *method, uint32_t index);
	/* any context: the base class of a definition, NULL: none or unknown. */
	MonoClass *(*class_parent)(void *host, MonoClass *klass);

	/*
	 * any context: what is in definitions. Counts are 0, results MONOCLE_E_UNKNOWN, pointers NULL when the host cannot
	 * tell. `klass`, `method` are definitions made from an (image, token).
	 */
	uint32_t (*member_count)(void *host, MonoClass *klass, monocle_member_kind kind);
	int (*describe_member)(void *host, MonoClass *klass, monocle_member_kind kind, uint32_t index,
	                       monocle_member_info *ret_info);
	int (*describe_param)(void *host, MonoMethod *method, uint32_t number, monocle_param_info *ret_info);
	int (*describe_body)(void *host, MonoMethod *method, monocle_body_info *ret_info);
	int (*describe_clause)(void *host, MonoMethod *method, uint32_t index, monocle_clause_info *ret_info);
	/* The custom attributes on any token of an image, in the order of the table. MONOCLE_E_NOT_FOUND: past the last. */
	int (*describe_attribute)(void *host, MonoImage *image, uint32_t token, uint32_t index,
	                          monocle_attribute_info *ret_info);

	/*
	 * any context: tokens and blobs of an image. `klass` and `method` are the definitions whose generic parameters
	 * are meant; both may be NULL.
	 */
	MonoClass *(*class_of_token)(void *host, MonoImage *image, uint32_t token, MonoClass *klass, MonoMethod *method);
	/* MethodDef, MemberRef, MethodSpec. */
	MonoMethod *(*method_of_token)(void *host, MonoImage *image, uint32_t token, MonoClass *klass, MonoMethod *method);
	/* Field, MemberRef: the class (an instance as it may be) and the field's index among its definition's. */
	int (*field_of_token)(void *host, MonoImage *image, uint32_t token, MonoClass *klass, MonoMethod *method,
	                      MonoClass **ret_klass, uint32_t *ret_index);
	/* One type at *at, which moves past it; NULL when malformed. */
	MonoType *(*read_type)(void *host, MonoImage *image, const uint8_t **at, const uint8_t *end, MonoClass *klass,
	                       MonoMethod *method);
	/* A method signature (MethodDefSig, MethodRefSig, StandAloneMethodSig) at *at, which moves past it. */
	int (*read_signature)(void *host, MonoImage *image, const uint8_t **at, const uint8_t *end, MonoClass *klass,
	                      MonoMethod *method, monocle_signature_info *ret_info);
	/* Raw metadata: NULL or MONOCLE_E_UNKNOWN when out of range. Rows count from 1. */
	const void *(*metadata_heap)(void *host, MonoImage *image, monocle_heap_kind heap, uint32_t offset,
	                             uint32_t *ret_size);
	int (*metadata_column)(void *host, MonoImage *image, uint32_t table, uint32_t row, uint32_t column,
	                       uint32_t *ret_value);

	/*
	 * normal context: the sequence point at or before an IL offset. May open files the first time. MONOCLE_E_NOT_FOUND:
	 * there are symbols of the method, but they name no source there.
	 */
	int (*source_of)(void *host, MonoMethod *method, uint32_t il_offset, monocle_source_info *ret_info);
	/* normal context: what the method's symbols name, by number from 0; MONOCLE_E_UNKNOWN: no more, or no symbols. */
	int (*describe_local)(void *host, MonoMethod *method, uint32_t index, monocle_local_info *ret_info);
	int (*describe_scope)(void *host, MonoMethod *method, uint32_t index, monocle_scope_info *ret_info);
	/* normal context: these bytes, which are copied, are the image's symbols, whatever files there are. */
	int (*set_symbols)(void *host, MonoImage *image, const void *data, uint32_t size);
	/*
	 * normal context: the IL offset of a native offset into a piece of the method's code, which begins at `start`;
	 * NULL: the newest.
	 */
	int (*il_offset_of)(void *host, MonoMethod *method, const void *start, uint32_t native_offset,
	                    uint32_t *ret_il_offset);
	/*
	 * normal context: the methods that stand for a native offset into the method's code at `start`, innermost first,
	 * `capacity` at most and never without `method` itself, which is the last. 0: nothing was inlined there.
	 */
	uint32_t (*inlined_at)(void *host, MonoMethod *method, const void *start, uint32_t native_offset,
	                       monocle_inlined *ret, uint32_t capacity);
	/*
	 * normal context: the newest code of a method and its map, at most `capacity` points of it, by ascending native
	 * offset. `points` may be NULL when capacity is 0.
	 */
	int (*describe_code)(void *host, MonoMethod *method, monocle_code_info *ret_info, monocle_code_point *points,
	                     uint32_t capacity);
	/* normal context: the code at an address of which no record was made yet; NULL: there is none. */
	MonoJitInfo *(*find_code)(void *host, const void *address);
	/* any context: the same, as far as the host knows without asking its runtime; code that is compiled ahead. */
	MonoJitInfo *(*code_at)(void *host, const void *address);
	/*
	 * The frames of the calling thread, innermost first: managed ones and stubs, native ones too when `flags` has
	 * MONOCLE_WALK_NATIVE. `context`: the ucontext_t of the signal handler that we are in, and the walk is async-safe,
	 * starting with what was interrupted; NULL: normal context, starting with what called the host. 0: the root was
	 * reached; 1: the visitor stopped; negative: no frame, or lost before the root. What cannot be walked from here is
	 * MONOCLE_E_REFUSED.
	 */
	int (*walk_stack)(void *host, const void *context, uint32_t flags, monocle_frame_visitor visit, void *data);

	/* normal context: what only a running runtime knows. `klass` may be an instance or an array. */
	int (*describe_layout)(void *host, MonoClass *klass, monocle_layout_info *ret_info);
	/* Offset of an instance field, object header included; of a static one: MONOCLE_E_UNKNOWN. */
	int (*field_offset)(void *host, MonoClass *klass, uint32_t index, uint32_t *ret_offset);
	/* Where a static field is for the calling thread now; NULL: not initialised yet, or unknown. */
	void *(*static_address)(void *host, MonoClass *klass, uint32_t index);

	/* normal context */
	MonoClass *(*class_from_name)(void *host, MonoImage *image, const char *name_space, const char *name);
	void (*gc_collect)(void *host, int generation);
	int (*gc_max_generation)(void *host);
	int64_t (*gc_heap_size)(void *host, int used);

	/* any context where the object may be looked at: its class; NULL: unknown here. */
	MonoClass *(*object_class)(void *host, MonoObject *object);
	/* in the same contexts: its size in bytes, header included, not rounded up; 0: unknown here. */
	uint64_t (*object_size)(void *host, MonoObject *object);
	/* in the same contexts: the characters of a string and how many they are. */
	const uint16_t *(*string_chars)(void *host, MonoObject *string, uint32_t *ret_length);
	/* in the same contexts: elements of an array; how many they are, over all dimensions. */
	void *(*array_data)(void *host, MonoObject *array, uint64_t *ret_length);
	/* in the same contexts: generation of the object, from 0; -1: unknown. */
	int (*object_generation)(void *host, MonoObject *object);
	/* any context: how often a generation was collected since the start; -1: unknown. */
	int64_t (*gc_collection_count)(void *host, int generation);
	/* normal context: a reference that the collector knows; NULL: refused. */
	void *(*ref_new)(void *host, MonoObject *object, monocle_ref_kind kind);
	MonoObject *(*ref_target)(void *host, void *reference);
	void (*ref_free)(void *host, void *reference);
	/* What comes before the fields of every object: 16 bytes on Mono, 8 on CoreCLR. 0: unknown. */
	uint32_t object_header;
	/*
	 * inside gc_event with MONO_GC_EVENT_PRE_START_WORLD: calls `callback` for every object, as mono_gc_walk_heap ()
	 * says. 0, or MONOCLE_E_REFUSED elsewhere, MONOCLE_E_BUSY while something else is at work on the heap,
	 * MONOCLE_E_UNKNOWN where it cannot be walked.
	 */
	int (*gc_walk_heap)(void *host, MonoGCReferences callback, void *data);

	/*
	 * normal context: the program that embeds the runtime says that it will not use it any more (monocle_runtime_end ()
	 * in <monocle/embed.h>). The host ends as when the runtime says so, with monocle_host_shutdown () at last. NULL:
	 * that is not waited for.
	 */
	void (*end)(void *host);

	/*
	 * inside method_enter and method_leave, on their thread, any context: a value of the call that `context` shows,
	 * which is what the host passed to monocle_raise_method_enter () or _leave (). `position` counts declared
	 * parameters and locals from 0. *ret_data: its bytes, good until the callback returns; NULL: they are all zero.
	 * *ret_size: how many, mono_type_size () of the type. MONOCLE_E_UNKNOWN: there is no such value. NULL: contexts
	 * show nothing.
	 */
	int (*call_value)(void *host, const MonoProfilerCallContext *context, monocle_call_value value, uint32_t position,
	                  const void **ret_data, uint32_t *ret_size);

	/*
	 * any context: a handle got, lost or exchanged its callback of this event, also at the end, when all lose theirs.
	 * Of use to a host that keeps callbacks where its code finds them faster than in monocle_event_handles ().
	 */
	void (*callback_changed)(void *host, monocle_event event);

	/*
	 * any context: asks for the stacks of all of the runtime's threads, as they are at one moment soon. The visitor is
	 * copied, and called later, on a thread of the host and in normal context. 0: it is asked for; MONOCLE_E_BUSY: it
	 * was asked for already and not shown yet; MONOCLE_E_REFUSED: it cannot be had now.
	 */
	int (*visit_threads)(void *host, const monocle_threads_visitor *visitor);

	/*
	 * normal context: asks the filters about all methods again, and gives code that runs already the probes that they
	 * want now. 0: it is under way. A negative error: it cannot be, and the host has said why.
	 */
	int (*reinstrument)(void *host);

	/*
	 * normal context: shows what is counted, or would be, of a method: a definition. The same plan whenever it is
	 * asked for with this mode. 0 when it was shown; MONOCLE_E_UNKNOWN: there is nothing to count in it;
	 * MONOCLE_E_INVALID: it has no body.
	 */
	int (*coverage_plan)(void *host, MonoMethod *method, MonocleCoverageMode mode,
	                     void (*show) (void *data, const MonocleCoveragePlan *plan), void *data);

	/* any context: raises gc_finalizing and gc_finalized soon, on a thread where modules may ask for a collection. */
	void (*gc_finalize_notify)(void *host);

	/*
	 * Of a host that stays in a program, idle, when an attach is over (monocle_host_stand_by ()). Both on the core's
	 * thread for commands, one at a time; NULL: it is done; else why it is not, as the text of an error, which stays.
	 *
	 * load: begins as if it were attached again; `settings` are those of monocle_host_settings (), which the host makes
	 * known itself. It ends by itself after so many milliseconds, unless there are none. Modules run when it returns.
	 * unload: ends that attach now; its files are complete, and the host is idle, when it returns.
	 */
	const char *(*load)(void *host, uint32_t milliseconds, const char *const *settings);
	const char *(*unload)(void *host);

	/*
	 * normal context, once, when nothing is delivered any more but runtime_shutdown_end: waits, with a bound, until no
	 * thread is inside a raise function. 0: one does not come out, and cleanup callbacks are left out. NULL: no thread
	 * raises events while the host calls monocle_host_quieten () or monocle_host_shutdown ().
	 */
	mono_bool (*silence)(void *host);

	/*
	 * any context: is the runtime being asked about code that a walk has met and of which nothing was known?
	 * *ret_found: the pieces of such code that were found since the process began, and that the next walk shows.
	 */
	mono_bool (*code_awaited)(void *host, uint64_t *ret_found);

	/*
	 * as ref_target, for a number that the host raised gc_handle_created with: its index, the number without its last
	 * three bits, is at least 2^24; the core numbers the handles that modules make from 0. NULL: it has no target, or
	 * is no handle any more.
	 */
	MonoObject *(*gchandle_target)(void *host, uint32_t handle);

	/*
	 * normal context, on a plain thread: threads are about to be interrupted, and their stacks walked, once, although
	 * no module may have asked for samples. Makes ready for that what sampling needs, and waits for it, for a second or
	 * two at most. 0: it cannot be. NULL: it can be where sampling was granted.
	 */
	mono_bool (*walks)(void *host);
} monocle_host_ops;

/* --- start and end ------------------------------------------------------------------------------------------------ */

/*
 * Registers the host of this process, for ever. `ops` and its two strings are copied. Not async-safe; call before
 * anything else. The program may have loaded modules before (mono_profiler_load ()); for what they enabled, `enable` is
 * called inside this function, and a line says what it refuses.
 * MONOCLE_E_BUSY: there is a host already, another copy of the core has one, or a Mono (a defined `mono_jit_init`
 * outside the core) is in the process; the reason was logged. MONOCLE_E_INVALID: no ops, or of another API version.
 * MONOCLE_E_NO_MEMORY.
 */
MONO_API int monocle_host_init (const monocle_host_ops *ops);

/*
 * Loads the modules named by the environment: MONOCLE_PROFILE (shell-like words, each NAME[:ARGS]); when it is unset,
 * the `--profile=` options of MONO_ENV_OPTIONS, and what MONO_PROFILE names (one NAME[:ARGS]). Returns how many modules
 * were loaded; failures are logged by name, and end the process where MONOCLE_STRICT=1 says so, as in
 * monocle_host_load (). Normal context.
 */
MONO_API int monocle_host_load_from_env (void);

/*
 * As mono_profiler_load (), with the outcome: 0 (also when the module was loaded before), or MONOCLE_E_NOT_FOUND,
 * MONOCLE_E_NO_MEMORY, MONOCLE_E_REFUSED after shutdown; the reason was logged. With MONOCLE_STRICT=1 in the
 * environment a failure ends the process with exit (1).
 */
MONO_API int monocle_host_load (const char *desc);

/*
 * Does any module have a handle, whoever loaded it? 0: there is nobody to deliver events to. Any context.
 */
MONO_API int monocle_host_has_handles (void);

/*
 * Does the environment want this process to be profiled? 0 when MONOCLE_ENABLED is 0 or false, or when MONOCLE_PROCESS,
 * a list GLOB[,!GLOB]..., does not choose the program's base name or its main assembly or script (path or base name, as
 * on the command line). *ret_reason, when wanted, then says why; it is valid until the next call. Normal context, any
 * time.
 */
MONO_API int monocle_host_process_enabled (const char **ret_reason);

/* The name of the host of this process, NULL before monocle_host_init (). Any context. */
MONO_API const char *monocle_host_name (void);

/*
 * Closes the init window: from now on events are delivered and mono_profiler_enable_* () answer 0. A host that lets
 * modules be loaded into a running program opens a second window with monocle_host_reopen () and closes it again with
 * monocle_host_startup_done (); events are delivered meanwhile. Normal context.
 */
MONO_API void monocle_host_startup_done (void);
MONO_API void monocle_host_reopen (void);

/*
 * Does a module expect that no other thread raises events in runtime_shutdown_end, as on Mono, where none runs by then?
 * Those that need Mono's internal functions do, and a host stops the program's threads for them if it can. Any context.
 */
MONO_API mono_bool monocle_host_ends_alone (void);
/*
 * From now on nothing is delivered but runtime_shutdown_end. Listener counts are 0, and no thread is inside a module's
 * callback, unless one does not come out of it. Normal context.
 */
MONO_API void monocle_host_quieten (void);

/*
 * The end, after runtime_shutdown_end was raised: every callback slot is cleared, then the cleanup callbacks run,
 * newest handle first. Modules stay mapped. Events raised afterwards go nowhere. Idempotent.
 */
MONO_API void monocle_host_shutdown (void);

/*
 * After monocle_host_shutdown (), for a host that was attached to a running program and leaves it: closes the modules
 * that are ours (others stay, and are not started again), ends the threads of the core, and makes monocle_host_init ()
 * possible once more. Records stay. No thread may be inside a raise function or a module's callback, and none may call
 * the core meanwhile. MONOCLE_E_BUSY: a thread is in a signal handler of the core and does not come out; everything
 * stays as it is, and the host may try again. MONOCLE_E_INVALID: not after the end. Normal context.
 */
MONO_API int monocle_host_leave (void);

/*
 * For such a host too, one whose `load` is not NULL, before monocle_host_shutdown (): it will stay. The control socket
 * stays with it, whatever is asked waits until monocle_host_leave (), and then `load` may come. 0: it cannot leave
 * after all, nothing waits any more, and `load` has to refuse. Normal context, on the thread that calls
 * monocle_host_leave ().
 */
MONO_API void monocle_host_stand_by (mono_bool will);

/*
 * For a host that was attached to a running program, before anything else: NAME=VALUE texts, copied, the last one NULL.
 * From now on they are what the core, the toolkit and the host see of variables whose names begin with MONOCLE_ or
 * MONO_; the program's environment is not asked. NULL: it is again. MONOCLE_E_NO_MEMORY. Normal context. From the first
 * settings on messages never go to a stderr that another program may read.
 */
MONO_API int monocle_host_settings (const char *const *settings);
/*
 * 1: there are settings, and *ret_value is what they say (NULL: nothing). 0: ask the environment. "attached" is
 * none of them: 1, and a text, once there have been some. Any context.
 */
MONO_API int monocle_host_setting (const char *name, const char **ret_value);

/* --- events ------------------------------------------------------------------------------------------------------- */

/*
 * A handle as the dispatcher sees it. Handles form a list, newest first, that only grows; each slot is one pointer,
 * exchanged atomically by mono_profiler_set_*_callback (). Read both with acquire loads.
 */
struct _MonoProfilerDesc {
	struct _MonoProfilerDesc *next;
	MonoProfiler *prof;
	void *callbacks[MONOCLE_EVENT_COUNT]; /* written by setters in any context, read by raising threads */
	/* more follows, private to the core */
};

/* The event's name as in its row; NULL for a number that is none. Any context. */
MONO_API const char *monocle_event_name (monocle_event event);

/*
 * Listener counts, one per event: the test to make before raising. Returns an array of MONOCLE_EVENT_COUNT, valid
 * for ever; keep the pointer. Counts are zero outside the time when events are delivered.
 */
MONO_API const uint32_t *monocle_event_counts (void);

/* Where the list of handles begins. *result is NULL outside the time when events are delivered. Valid for ever. */
MONO_API struct _MonoProfilerDesc *const *monocle_event_handles (void);

/* monocle_raise_NAME (arguments as in the row): dispatch to every handle, newest first. */
#define MONOCLE_EVENT_ROW(name, setter, Callback, parameters, raised, ...) MONO_API void monocle_raise_##name raised;
#include <monocle/event-rows.h>

/*
 * The call instrumentation flags that all handles together ask for `method`: every installed filter is asked, the
 * answers are OR-ed. 0 when no filter is installed. Runs module code: not from a signal handler.
 */
MONO_API MonoProfilerCallInstrumentationFlags monocle_call_flags (MonoMethod *method);
/* Is any call instrumentation filter installed? Any context. */
MONO_API int monocle_call_filter_installed (void);
/* The same for coverage filters: every one is asked. 0 unless coverage was granted. */
MONO_API int monocle_coverage_wanted (MonoMethod *method);
MONO_API int monocle_coverage_filter_installed (void);

/*
 * Where the counters of a method that is wanted are, which is about to get them: plan->counter_count of them, of
 * monocle_coverage_mode () bytes each, for as long as the process lives. The same place whenever the same method is
 * asked about with as many counters. NULL: it is not to be counted, a module has no room, or there is no memory. Not
 * async-safe.
 */
MONO_API void *monocle_coverage_counters (const MonocleCoveragePlan *plan);
/* What is counted in this process: hits or executions. Settled before anything is counted. Any context. */
MONO_API MonocleCoverageMode monocle_coverage_mode (void);

/*
 * Which values of calls any module may read, as bits (1 << MONOCLE_CALL_THIS ...): what it imports says so, and one
 * that looks the getters up by name may read all but locals. 0: call contexts were not granted. Only grows. Of use to a
 * host that has to copy values before it raises; a context is passed wherever flags ask for one, this or no. Any
 * context.
 */
MONO_API uint32_t monocle_call_values_wanted (void);

/* --- records -------------------------------------------------------------------------------------------------------
 * A record is known by what it is: a definition by (image, token), an instance by its definition and arguments, an
 * array by element and rank. The constructors intern: asking twice gives the same record.
 */

/* The root domain. There is only this one: a host with several shows all its images in it. */
MONO_API MonoDomain *monocle_domain_root (void);
MONO_API void monocle_domain_set_name (MonoDomain *domain, const char *friendly_name);

enum {
	MONOCLE_IMAGE_CORLIB  = 1,
	MONOCLE_IMAGE_MAIN    = 2,
	MONOCLE_IMAGE_DYNAMIC = 4, /* rows may be added while it lives */
};

/*
 * A new image (never interned: a reloaded file is another image). `filename` is the path as opened. `method_rows` and
 * `class_rows` size the tables by token; 0 for a dynamic image, whose tables grow. `data` is the host's, returned by
 * monocle_image_data (). The image's assembly is made with it; monocle_image_assembly () gives it.
 */
MONO_API MonoImage *monocle_image_new (const char *filename, uint32_t flags, uint32_t class_rows, uint32_t method_rows,
                                       void *data);
MONO_API void *monocle_image_data (MonoImage *image);
MONO_API MonoAssembly *monocle_image_assembly (MonoImage *image);
/* Until called, mono_image_get_assembly () answers NULL, as between Mono's image_loaded and assembly_loading. */
MONO_API void monocle_image_set_assembly_visible (MonoImage *image);
/* Copies every name that is still read from the image's memory, then forgets `data`. Records stay. Normal context. */
MONO_API void monocle_image_unload (MonoImage *image);

MONO_API MonoClass *monocle_class_def (MonoImage *image, uint32_t typedef_token);
/*
 * Composites nest at most 128 deep; a deeper one is refused: NULL, as for no memory. So walks over types end.
 */
MONO_API MonoClass *monocle_class_inst (MonoClass *definition, uint32_t count, MonoType *const *arguments);
MONO_API MonoClass *monocle_class_array (MonoClass *element, uint32_t rank); /* rank 1: a vector, T[] */
MONO_API MonoClass *monocle_class_pointer (MonoClass *element);
MONO_API MonoClass *monocle_class_fnptr (void);                           /* any function pointer: Mono prints "*()" */
/* Generic parameter `index` of a class or method definition: "T", or T_REF, the stand-in for any reference type. */
MONO_API MonoClass *monocle_class_param (MonoClass *klass, MonoMethod *method, uint32_t index, int shared_ref);
/* The corlib class of a primitive, string, object, typedbyref: by MONO_TYPE_*. Corlib need not be known yet. */
MONO_API MonoClass *monocle_class_primitive (uint32_t element_type);
/* A class known by name only (a TypeRef whose image is not loaded): interned by names. */
MONO_API MonoClass *monocle_class_named (const char *assembly, const char *name_space, const char *name,
                                         int is_valuetype);

MONO_API MonoType *monocle_type (MonoClass *klass);       /* by value */
MONO_API MonoType *monocle_type_byref (MonoClass *klass);
/*
 * Types that say more than a class does. Interned: equal parts give the same type, and where a class says it all, that
 * class's type. NULL for NULL parts.
 */
MONO_API MonoType *monocle_type_array (MonoType *element, const monocle_array_info *shape);
MONO_API MonoType *monocle_type_pointer (MonoType *pointee);
MONO_API MonoType *monocle_type_fnptr (const monocle_signature_info *signature);
/*
 * The same type by reference, when `byref` is set, and with custom modifiers before those that it has: types of their
 * classes, in the order of the signature, at most 64. Bit i of `required` is set when modifiers[i] is a modreq.
 */
MONO_API MonoType *monocle_type_with (MonoType *type, int byref, uint32_t modifier_count, MonoType *const *modifiers,
                                      uint64_t required);

MONO_API MonoMethod *monocle_method_def (MonoImage *image, uint32_t methoddef_token);
/*
 * The same for a host that knows the declaring class already: mono_method_get_class () then answers without a
 * description. Filters that look at the image only stay cheap over 40,000 methods.
 */
MONO_API MonoMethod *monocle_method_def_in (MonoClass *klass, uint32_t methoddef_token);
/* `klass`: the (instantiated) class; count may be 0 for a plain method of a generic class. */
MONO_API MonoMethod *monocle_method_inst (MonoMethod *definition, MonoClass *klass, uint32_t count,
                                          MonoType *const *arguments);
/* A method that no image lists: the program or the runtime makes it while it runs. */
typedef struct {
	uint32_t size;
	const char *wrapper;          /* Mono's word for its kind: "dynamic-method", "managed-to-native", ... */
	const char *name;
	uint32_t flags, iflags;       /* MethodAttributes, MethodImplAttributes */
	MonoClass *klass;             /* what it is counted to; its image is the method's */
	const monocle_signature_info *signature; /* NULL: nothing is taken, nothing returned */
} monocle_wrapper_info;

/*
 * Not interned: each call gives a method of its own until that is given back with monocle_method_wrapper_free (). Full
 * names begin with "(wrapper KIND) ", as on Mono; the token is 0. NULL also for an incomplete `info`. Any context.
 */
MONO_API MonoMethod *monocle_method_wrapper_new (const monocle_wrapper_info *info);
/*
 * The method is gone. Its record goes on answering, and becomes that of the next wrapper which is spelled the same, so
 * that making and dropping equal ones takes no memory. Any context; nothing for what is not a wrapper.
 */
MONO_API void monocle_method_wrapper_free (MonoMethod *method);
MONO_API MonoMethod *monocle_method_definition (MonoMethod *method);
MONO_API MonoImage *monocle_method_image (MonoMethod *method);
MONO_API uint32_t monocle_method_token (MonoMethod *method);
MONO_API uint32_t monocle_class_token (MonoClass *klass);
/* The definition under an instance, any other class itself; how many type arguments an instance has, and which. */
MONO_API MonoClass *monocle_class_definition (MonoClass *klass);
MONO_API uint32_t monocle_class_arguments (MonoClass *klass, MonoType *const **ret_arguments);
/*
 * The arguments of an instance as Mono keeps them, for modules that read that: two pointers, to the list of the class's
 * and to that of the method's own arguments, NULL where it has none; in a list an id, from byte 4 the count in 22 bits,
 * from byte 8 the types. Lives for ever, one list for equal arguments. NULL for what is no instance. Any context.
 */
MONO_API MonoGenericContext *monocle_class_context (MonoClass *klass);
MONO_API MonoGenericContext *monocle_method_context (MonoMethod *method);
/* Is it T_REF, whosever? */
MONO_API mono_bool monocle_class_is_stand_in (MonoClass *klass);
/*
 * There may be objects of the class from now on: raises vtable_loading and vtable_loaded, unless this was done before
 * or there can be none (interfaces, generic definitions, pointers); of an array class_loading and class_loaded before
 * them. Only while somebody listens; normal context, or where the module that walks the heap has not met the object.
 */
MONO_API void monocle_class_set_up (MonoClass *klass);
/* One word per record that belongs to the host; NULL at first. Use atomics where threads meet. */
MONO_API void **monocle_method_slot (MonoMethod *method);
MONO_API void **monocle_class_slot (MonoClass *klass);
/* The method table entry if a record exists already, else NULL; makes nothing. */
MONO_API MonoMethod *monocle_method_def_if_known (MonoImage *image, uint32_t methoddef_token);

/*
 * The one copy of a text that lives as long as records do: equal texts give the same pointer. NULL without memory. Any
 * context.
 */
MONO_API const char *monocle_intern (const char *text);
/*
 * How many bytes records and their names take, tombstones included: what never shrinks. Any context.
 */
MONO_API uint64_t monocle_records_size (void);

/* A piece of machine code of a method. Later bodies of one method are further records. Any context. */
MONO_API MonoJitInfo *monocle_jit_info_new (MonoMethod *method, const void *start, uint32_t size);
MONO_API void monocle_jit_info_free_code (const void *start); /* the address may be reused from now on */
/* The piece that holds the address, of those that were made. NULL: none. Any context. */
MONO_API MonoJitInfo *monocle_jit_info_find (const void *address);
/* One word per piece that belongs to the host; NULL at first. Use atomics where threads meet. */
MONO_API void **monocle_jit_info_slot (MonoJitInfo *info);
/* The host operation inlined_at knows parts of it; it does not of new pieces. Any context. */
MONO_API void monocle_jit_info_set_inlined (MonoJitInfo *info);
MONO_API mono_bool monocle_jit_info_has_inlined (const MonoJitInfo *info);

/* --- ids: a lock-free map from the runtime's ids to records; for hosts whose runtime speaks in ids ---------------- */

typedef enum { MONOCLE_ID_IMAGE, MONOCLE_ID_CLASS, MONOCLE_ID_METHOD, MONOCLE_ID_SPACES } monocle_id_space;

MONO_API void *monocle_id_find (monocle_id_space space, uintptr_t id);              /* any context */
MONO_API int monocle_id_bind (monocle_id_space space, uintptr_t id, void *record);  /* replaces; any context */
MONO_API void monocle_id_drop (monocle_id_space space, uintptr_t id);               /* the runtime may reuse the id */

/* --- threads ------------------------------------------------------------------------------------------------------ */

/* Tells the core of a managed thread, so that mono_thread_current () and friends answer. On the thread itself. */
MONO_API MonoThread *monocle_thread_attach (uintptr_t tid);
MONO_API void monocle_thread_detach (uintptr_t tid);
/*
 * The same for threads that ran before the host was there, from any thread. The system knows them by numbers, modules
 * by their pthread_self (), which the system tells of a thread that glibc has made. Another one is interrupted once and
 * asked. ret_tids[i] is 0 for one that has ended, and for such another one that has the signal blocked. At most
 * MONOCLE_THREADS_ASKED at a time; it takes as long as the slowest needs, and not longer than `milliseconds`. Normal
 * context, one thread at a time.
 */
enum { MONOCLE_THREADS_ASKED = 1024 };
MONO_API void monocle_threads_ask (const uint64_t *os_ids, uint32_t count, uint32_t milliseconds, uintptr_t *ret_tids);
MONO_API MonoThread *monocle_thread_meet (uintptr_t tid, uint64_t os_id);
/* What mono_thread_get_name_utf8 () answers from now on; NULL: unnamed. Any context. */
MONO_API void monocle_thread_set_name (uintptr_t tid, const char *name);
/* Was it attached, and not detached since? By whomever. Any context. */
MONO_API mono_bool monocle_thread_is_attached (uintptr_t tid);
/*
 * Whose the callbacks are that run on the calling thread: pthread_self (), unless the thread stands for another one.
 * mono_thread_current () answers for that one, too. Any context.
 */
MONO_API uintptr_t monocle_thread_self (void);
/*
 * From now on the calling thread stands for the thread `tid`, whose end is told here; 0: for itself again. Any context.
 */
MONO_API void monocle_thread_stand_for (uintptr_t tid);

/* --- sampling ----------------------------------------------------------------------------------------------------- */

/*
 * The signal by which attached threads are interrupted for sample_hit, once a host has granted sampling. The core
 * chooses threads, sends it and raises the event; a host only has to keep it out of places where its runtime does not
 * tolerate a signal. Any context.
 */
MONO_API int monocle_sampling_signal (void);

/* --- the one way to speak ----------------------------------------------------------------------------------------- */

/*
 * Writes "monocle: MESSAGE\n" in one write(2): to the file that MONOCLE_LOG names, or to the command that waits, or to
 * a file of the process, or to stderr, as doc/messages.md says. Async-safe as far as vsnprintf and getenv are. Never
 * fails visibly.
 */
#ifdef __GNUC__
#define MONOCLE_PRINTF __attribute__ ((format (printf, 1, 2)))
#else
#define MONOCLE_PRINTF
#endif
MONO_API void monocle_log (const char *format, ...) MONOCLE_PRINTF;

MONO_END_DECLS

#endif
