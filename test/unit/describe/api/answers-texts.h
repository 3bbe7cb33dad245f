/*
 * SPDX-License-Identifier: MIT
 *
 * answers-texts.h - the part of answers.c that gives texts and bytes to the runtime and looks at what it makes of them.
 */

/* Rows in columns: clang-format leaves them alone. */
/* clang-format off */

static const char *const assembly_names[] = {
	"mscorlib", "MSCORLIB", "mscorlib, Version=4.0.0.0", "mscorlib, Version=9.0.0.0",
	"mscorlib, Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089",
	"mscorlib, Version=2.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089",
	"metadata", "Metadata", "metadata, Version=1.0.0.0", "metadata, Culture=de", "metadata, Culture=neutral",
	"metadata, PublicKeyToken=b77a5c561934e089", "metadata.exe", "a,b", "a,", "a, ", "", " ", " a", "a ",
	"a , Version=1.0.0.0", "a, Version=1", "a, Version=1.2", "a, Version=1.2.3", "a, Version=1.2.3.4",
	"a, Version=1.2.3.4.5", "a, Version=x", "a, Version=1.", "a, Version=1.2.", "a, Version=1.x", "a, Version=1.2.x",
	"a, Version=1.2.3.x", "a, Version=1.2.3.4x", "a, Version=-1.2", "a, Version= 1.2", "a, Version=1 .2",
	"a, Version=1. 2", "a, Version=", "a, Version=70000.1.1.1", "a, Version=1.*", "a, Version=0.0.0.0",
	"a, Version=1.2.3.4 ", "a,Version=1.2.3.4,Culture=\"\"", "a, version=1.2.3.4, culture=FR", "a, Version = 1.2.3.4",
	"a, Version=1.2.3.4,", "a, Version=1.2.3.4, Version=2.0", "a, Culture=de", "a, Culture=neutral",
	"a, Culture=NEUTRAL", "a, Culture=", "a, Culture=\"de\"", "a, Culture= de", "a, PublicKeyToken=null",
	"a, PublicKeyToken=NULL", "a, PublicKeyToken=", "a, PublicKeyToken=123", "a, PublicKeyToken=B77A5C561934E089",
	"a, PublicKeyToken=zzzzzzzzzzzzzzzz", "a, PublicKeyToken=b77a5c561934e0890", "a, PublicKeyToken=neutral",
	"a, Retargetable=Yes", "a, Retargetable=no",
	"a, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null, Retargetable=Yes",
	"a, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null, Retargetable=yes",
	"a, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null, Retargetable=No",
	"a, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null, Retargetable=1", "a, ProcessorArchitecture=MSIL",
	"a, ProcessorArchitecture=x86", "a, ProcessorArchitecture=AMD64", "a, ProcessorArchitecture=IA64",
	"a, ProcessorArchitecture=ARM", "a, ProcessorArchitecture=None", "a, ProcessorArchitecture=foo",
	"a, ProcessorArchitecture=", "a, Foo=Bar", "a, Custom=null", "a, ContentType=WindowsRuntime",
	"\"a b\", Version=1.0.0.0", "\"a\"", "\"a, b\"", "\"a", "a\"", "a\"b", "a b", "a=b", "a=b, Version=1.0.0.0",
	"Version=1.0.0.0", "a.b.c, Version=1.2.3.4", "\xc3\xa4, Version=1.0.0.0", "a;b", "a\\,b", "a\\", "\"\"",
};

static const char *const equal_names[][2] = {
	{ "a", "a" }, { "a", "A" }, { "a, Version=1.0.0.0", "a" }, { "a, Version=1.0.0.0", "a, Version=2.0.0.0" },
	{ "a, Version=1.0.0.0", "a, Version=1.0.0.1" }, { "a, Version=0.0.0.0", "a, Version=2.0.0.0" },
	{ "a, Version=0.0.0.1", "a, Version=0.0.0.0" }, { "a, Culture=de", "a" }, { "a, Culture=de", "a, Culture=DE" },
	{ "a, Culture=de", "a, Culture=neutral" }, { "a, Culture=neutral", "a" }, { "a, Culture=\"\"", "a" },
	{ "a, PublicKeyToken=b77a5c561934e089", "a" },
	{ "a, PublicKeyToken=b77a5c561934e089", "a, PublicKeyToken=b77a5c561934e088" },
	{ "a, PublicKeyToken=b77a5c561934e089", "a, PublicKeyToken=B77A5C561934E089" },
	{ "a, PublicKeyToken=b77a5c561934e089", "a, PublicKeyToken=null" },
	{ "a, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null, Retargetable=Yes", "a, Version=1.0.0.0" },
};

static void
print_parsed_names (void)
{
	for (size_t i = 0; i < sizeof assembly_names / sizeof *assembly_names; i++) {
		MonoAssemblyName *name = mono_assembly_name_new (assembly_names[i]);
		fprintf (out, "assembly name '%s':", assembly_names[i]);
		if (name) {
			MonoAssembly *loaded = mono_assembly_loaded (name);
			put_free (" ", mono_stringify_assembly_name (name));
			fprintf (out, " culture %s loaded %s", mono_assembly_name_get_culture (name),
			         loaded ? mono_image_get_name (mono_assembly_get_image (loaded)) : "-");
			mono_assembly_name_free (name);
			mono_free (name);
		}
		fputc ('\n', out);
	}
	for (size_t i = 0; i < sizeof equal_names / sizeof *equal_names; i++) {
		MonoAssemblyName *left = mono_assembly_name_new (equal_names[i][0]);
		MonoAssemblyName *right = mono_assembly_name_new (equal_names[i][1]);
		fprintf (out, "equal '%s' '%s': %d\n", equal_names[i][0], equal_names[i][1],
		         mono_assembly_names_equal (left, right));
		mono_assembly_name_free (left);
		mono_assembly_name_free (right);
		mono_free (left);
		mono_free (right);
	}
}

static const unsigned char numbers[][4] = {
	{ 0x00 }, { 0x03 }, { 0x7f }, { 0x80, 0x80 }, { 0xae, 0x57 }, { 0xbf, 0xff }, { 0xc0, 0, 0x40, 0 },
	{ 0xdf, 0xff, 0xff, 0xff }, { 0xff, 0, 0, 0 }, { 0xe0, 1, 2, 3 }, { 0x80, 0x05 }, { 0xc0, 0, 0, 0x05 },
	{ 0x06 }, { 0x7b }, { 0x01 }, { 0x80, 0x81 }, { 0xbf, 0xfe }, { 0xdf, 0xff, 0xff, 0xfe },
	{ 0xdf, 0xff, 0xff, 0xfd },
};

static void
print_numbers (void)
{
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		const char *bytes = (const char *) numbers[i], *end;
		uint32_t value = mono_metadata_decode_value (bytes, &end);
		char written[8] = { 0 }, *written_end = NULL;
		fprintf (out, "number %zu: %x +%d", i, value, (int) (end - bytes));
		value = mono_metadata_decode_blob_size (bytes, &end);
		fprintf (out, " blob %x +%d", value, (int) (end - bytes));
		/* Mono is wrong for numbers that were written longer than need be: see doc/differences.md. */
		if (value >= 0x80 || end == bytes + 1)
			fprintf (out, " signed %d", mono_metadata_decode_signed_value (bytes, &end));
		fprintf (out, " +%d", (int) (end - bytes));
		mono_metadata_encode_value (value, written, &written_end);
		fprintf (out, " written %d %x\n", (int) (written_end - written), hash (written, 4));
	}
	for (uint32_t i = 0; i < 24; i++)
		if ((i & 3) != 3)
			fprintf (out, "coded %u: %x\n", i, mono_metadata_token_from_dor (i));
}

static void
print_modifiers (MonoImage *image)
{
	static const char bytes[] = { 0x1f, 0x09, 0x20, 0x0a, 0x08, 0x1f, (char) 0x80, (char) 0x85, 0x20, 0x04 };
	const char *at = bytes, *end = bytes;
	for (int i = 0; i < 6 && at < bytes + sizeof bytes; i++) {
		MonoCustomMod modifier = { 0, 0 };
		int found = mono_metadata_parse_custom_mod (image, &modifier, at, &end);
		fprintf (out, "modifier %d: %d required %d token %x +%d\n", (int) (at - bytes), found, modifier.required,
		         modifier.token, (int) (end - at));
		at = found ? end : at + 1;
	}
	fprintf (out, "modifier into nothing: %d\n", mono_metadata_parse_custom_mod (image, NULL, bytes, NULL));
	fprintf (out, "coded token %x\n", mono_metadata_parse_typedef_or_ref (image, bytes + 1, NULL));
}

static void
print_array (MonoImage *image, const char *bytes)
{
	const char *end = NULL;
	MonoArrayType *array = mono_metadata_parse_array (image, bytes, &end);
	fprintf (out, "array of %s rank %d sizes", mono_class_get_name (array->eklass), array->rank);
	for (int i = 0; i < array->numsizes; i++)
		fprintf (out, " %d", array->sizes[i]);
	fprintf (out, " bounds");
	for (int i = 0; i < array->numlobounds; i++)
		fprintf (out, " %d", array->lobounds[i]);
	fprintf (out, " +%d\n", (int) (end - bytes));
#ifdef OURS /* Mono takes it from the image's memory and dies when it is freed. */
	mono_metadata_free_array (array);
#endif
}

static const char *const types[] = {
	"\x08", "\x0e", "\x1c", "\x16", "\x10\x08", "\x0f\x08", "\x0f\x01", "\x0f\x0f\x08", "\x1d\x08", "\x1d\x1d\x0e",
	"\x14\x08\x02", "\x14\x08\x03", "\x10\x1d\x08", "\x0f\x1d\x08", "\x45\x08", "\x45\x10\x08", "\x18", "\x19",
	"\x1d\x14\x08\x02",
};

/* Strings end in a NUL, which stands for the missing sizes and bounds of arrays. */
static void
print_parsed_types (MonoImage *image)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		char bytes[16] = { 0 };
		const char *end = NULL;
		strcpy (bytes, types[i]);
		MonoType *type = mono_metadata_parse_type (image, MONO_PARSE_LOCAL, 0, bytes, &end);
		fprintf (out, "type %zu:", i);
		put_type (" ", type);
		fprintf (out, " code %x byref %d +%d", mono_type_get_type (type), mono_type_is_byref (type),
		         (int) (end - bytes));
		put_type (" param ", mono_metadata_parse_param (image, bytes, NULL));
		fputc ('\n', out);
	}
	print_array (image, "\x08\x02\x00\x00");
	print_array (image, "\x08\x03\x02\x04\x05\x02\x02\x7f");
	print_array (image, "\x0e\x01\x01\x81\x00\x01\x80\x81");
}

static const char *const type_names[] = {
	"Q", "Outer", "Outer+In1", "Outer+In1+Deep", "Outer/In1", "Outer+Nope", "I2`1", "I2`1[System.String]",
	"I2`1[[System.String]]", "I2`1[[System.String, mscorlib]]", "N.S.Spaced", "N.S.Spaced+Inner", "N.S.Nope",
	"N.Spaced", "I2`1[[System.String, mscorlib, Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089]]",
	"Q[]", "Q[,]", "Q[][,]", "Q[,][]", "Q*", "Q&", "Q**", "Q*&", "Q*[]", "Q[]*", "Q[]&", "System.Int32",
	"System.Int32, mscorlib", "mscorlib", "System.Collections.Generic.Dictionary`2[System.String,Q]",
	"System.Collections.Generic.Dictionary`2[[System.String, mscorlib],[Q, metadata]]",
	"System.Collections.Generic.Dictionary`2[[System.String, mscorlib],Q]",
	"System.Collections.Generic.Dictionary`2+KeyCollection[System.String,Q]",
	"System.Collections.Generic.List`1[Q][]&", "q", "OUTER", "Nope", "Nope, mscorlib", "Q, nowhere", "", " ", "Q ",
	" Q", "Q,metadata", "Q, metadata", "Q , metadata", "Q,", "Q, ", "I2`1[System.String", "I2`1[]", "Q[", "Q]", "Q&&",
	"Q&[]", "Q&*", "Q+", "+Q", ".Q", "Q.", "I2`1[Q,Q]", "Q[Q]", "Q\\+x", "void", "System.Void", "System.Void*",
	"Q[,,]", "Q[ , ]", "Q[,*]", "Q[*,*]", "I2`1[ System.String ]", "I2`1[ System.String]", "I2`1[System.Int32[]]",
	"I2`1[I2`1[Q]]", "I2`1[I2`1[I2`1[Q]]]", "I2`1[System.Int32*]", "System.Collections.Generic.List`1[[Q]]",
	"I2`1[[Q],[Q]]", "I2`1[[Q],]", "I2`1[,Q]", "I2`1[[Q]", "I2`1[Q][][,]", "Q, metadata, Version=3.0.0.0",
	"Q, metadata, Culture=neutral, PublicKeyToken=null", "Q, metadata, Foo=Bar", "System.Int32[], mscorlib",
	"System.Int32&, mscorlib", "Q[], metadata", "I2`1[Q], metadata", "System.Object", "System.String",
	"System.IntPtr", "System.Enum", "System.Array", "System.Nullable`1[System.Int32]", "<Module>", "Color", "Gen`2",
	"Gen`2+Nested`1", "Gen`2+Nested`1[System.Int32,System.String,Q]", "Gen`2[System.Int32,Q]",
	"Gen`2+Plain[System.Int32,Q]", "Gen`2[System.Int32,Q]+Plain",
};

static void
print_type_name (const char *text, const char *where, MonoImage *image)
{
	char *name = strdup (text);
	MonoType *type = mono_reflection_type_from_name (name, image);
	fprintf (out, "type '%s' in %s:", text, where);
	if (type) {
		put_free (" ", mono_type_get_name (type));
		put_type (" ", type);
		fprintf (out, " code %x byref %d", mono_type_get_type (type), mono_type_is_byref (type));
	}
	fputc ('\n', out);
	free (name);
}

/* --- tokens and patterns ------------------------------------------------------------------------------------------ */

static void
print_token (MonoImage *image, uint32_t token)
{
	MonoClass *kind = NULL;
	void *handle = mono_ldtoken (image, token, &kind, NULL);
	const char *name = kind ? mono_class_get_name (kind) : "";
	fprintf (out, "token %x: %s", token, name);
	if (!handle)
		fprintf (out, " nothing");
	else if (!strcmp (name, "RuntimeTypeHandle"))
		put_type (" ", handle);
	else if (!strcmp (name, "RuntimeMethodHandle"))
		put_free (" ", mono_method_full_name (handle, 1));
	else
		put_free (" ", mono_field_full_name (handle));
	fputc ('\n', out);
}

static void
print_tokens (MonoImage *image)
{
	static const int tables[] = { MONO_TABLE_TYPEREF, MONO_TABLE_TYPEDEF, MONO_TABLE_FIELD, MONO_TABLE_METHOD,
		                          MONO_TABLE_MEMBERREF };
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (int row = 1; row <= rows (image, tables[i]); row++)
			print_token (image, (uint32_t) tables[i] << 24 | (uint32_t) row);
}

static void
print_own_patterns (MonoImage *image)
{
	for (int row = 1; row <= rows (image, MONO_TABLE_METHOD); row++) {
		MonoMethod *method = mono_get_method (image, MONO_TOKEN_METHOD_DEF | (uint32_t) row, NULL);
		MonoMethodDesc *desc = mono_method_desc_from_method (method);
		int others = 0;
		for (int other = 1; other <= rows (image, MONO_TABLE_METHOD); other++)
			others += mono_method_desc_full_match (
			    desc, mono_get_method (image, MONO_TOKEN_METHOD_DEF | (uint32_t) other, NULL));
		fprintf (out, "own pattern %d: match %d full %d is full %d all %d\n", row,
		         mono_method_desc_match (desc, method),
		         mono_method_desc_full_match (desc, method), mono_method_desc_is_full (desc), others);
		mono_method_desc_free (desc);
	}
}

static const char *const patterns[] = {
	"Q:Main", "Q::Main", "Main", ":Main", "*:Main", "Q:*", "*:*", "Q:Mai", "Q:Main()", "Q:Main ()", "Q:Main(int)",
	"Nope:Main", "N.S.Spaced:.ctor", "*.Spaced:.ctor", "Spaced:.ctor", "S.Spaced:.ctor", "*:.ctor", "Outer:M(string)",
	"Outer:M(object)", "Outer:get_Item", "Outer:get_Item(int)", "Gen`2:Method", "Gen:Method",
	"Gen`2:Method(T,W&,U[,]&)", "I2`1:M", "I2:M", "Q:Switches(int,double,single,long)", "Q:Fixed(byte[])",
	"Q:Opt(int,string,object)", "System.String:Concat", "System.String:Concat(string,string)",
	"String:Concat(string,string)", "System.String:Concat(string, string)", "System.Console:WriteLine(string)",
	"System.Int32:ToString()", "Int32:ToString", "*:Concat(string,string)", "System.Collections.Generic.List`1:Add",
	"System.Collections.Generic.List`1:Add(T)", "List`1:Add", "", ":", "::", "Q:", "Q::", "(", "Q:Main(", "Q:Main)",
	"Q.Main", "System.*:Concat",
};

static void
print_search (MonoImage *image, const char *pattern, mono_bool include_namespace)
{
	MonoMethodDesc *desc = mono_method_desc_new (pattern, include_namespace);
	fprintf (out, "pattern '%s' %d in %s:", pattern, include_namespace,
	         image == mono_get_corlib () ? "corlib" : "program");
	if (desc) {
		MonoMethod *method = mono_method_desc_search_in_image (desc, image);
		fprintf (out, " full %d", mono_method_desc_is_full (desc));
		put_free (" ", method ? mono_method_full_name (method, 1) : NULL);
		mono_method_desc_free (desc);
	}
	fputc ('\n', out);
}

static void
print_searches (MonoImage *program)
{
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
		for (mono_bool include_namespace = 0; include_namespace <= 1; include_namespace++) {
			print_search (program, patterns[i], include_namespace);
			print_search (mono_get_corlib (), patterns[i], include_namespace);
		}
}

/* Which of the two images is found. */
static void
print_loaded (const char *how, MonoImage *found, MonoImage *program)
{
	const char *which = found == program ? "program" : found == mono_get_corlib () ? "corlib" : "other";
	if (!found)
		which = "none";
	fprintf (out, "loaded %s: %s\n", how, which);
}

static void
print_images (MonoImage *program)
{
	static const char *const names[] = { "metadata", "Metadata", "metadata.exe", "nope", "" };
	const char *corlib = mono_image_get_name (mono_get_corlib ());
	MonoImageOpenStatus status;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		print_loaded (names[i], mono_image_loaded (names[i]), program);
	print_loaded ("corlib", mono_image_loaded (corlib), program);
	print_loaded ("by path", mono_image_loaded (mono_image_get_filename (program)), program);
	print_loaded ("for reflection", mono_image_loaded_full ("metadata", 1), program);
	print_loaded ("by guid", mono_image_loaded_by_guid (mono_image_get_guid (program)), program);
	print_loaded ("by corlib's guid", mono_image_loaded_by_guid (mono_image_get_guid (mono_get_corlib ())), program);
	print_loaded ("by no guid", mono_image_loaded_by_guid ("01234567-89AB-CDEF-0123-456789ABCDEF"), program);
	print_loaded ("opened", mono_image_open (mono_image_get_filename (program), &status), program);
	print_loaded ("opened nowhere", mono_image_open ("/nowhere.exe", &status), program);
	fprintf (out, "status: %d\n", status);
	MonoAssembly *assembly = mono_assembly_open (mono_image_get_filename (program), &status);
	print_loaded ("opened assembly", mono_assembly_get_image (assembly), program);
	fprintf (out, "status of the assembly: %d\n", status);
	assembly = mono_assembly_load_with_partial_name (corlib, &status);
	print_loaded ("partial name", mono_assembly_get_image (assembly), program);
}

static void
print_texts (MonoImage *program)
{
	print_searches (program);
	print_images (program);
	print_tokens (program);
	print_own_patterns (program);
	print_parsed_names ();
	print_numbers ();
	print_modifiers (program);
	print_parsed_types (program);
	for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++) {
		print_type_name (type_names[i], "program", program);
		print_type_name (type_names[i], "corlib", mono_get_corlib ());
	}
	/* Mono dies of other names without an image. */
	print_type_name ("System.Int32", "nothing", NULL);
	print_type_name ("Q", "nothing", NULL);
}
