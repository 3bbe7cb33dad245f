/*
 * SPDX-License-Identifier: MIT
 *
 * slots.c - see slots.h.
 */
#include "slots.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "arch/arch.h"

/* glibc relocates these pointers in place, others leave them as offsets. */
static const void *
pointer_of (const struct link_map *map, const ElfW (Dyn) *entry)
{
	return (const void *) (entry->d_un.d_ptr < map->l_addr ? map->l_addr + entry->d_un.d_ptr : entry->d_un.d_ptr);
}

bool
monocle__slots_read (const struct link_map *map, monocle__slots *ret_slots)
{
	monocle__slots s = { .map = map };
	for (const ElfW (Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
		switch (entry->d_tag) {
		case DT_SYMTAB: s.symbols = pointer_of (map, entry); break;
		case DT_STRTAB: s.strings = pointer_of (map, entry); break;
		case DT_RELA: s.tables[0] = pointer_of (map, entry); break;
		case DT_RELASZ: s.counts[0] = entry->d_un.d_val / sizeof (ElfW (Rela)); break;
		case DT_JMPREL: s.tables[1] = pointer_of (map, entry); break;
		case DT_PLTRELSZ: s.counts[1] = entry->d_un.d_val / sizeof (ElfW (Rela)); break;
		}
	*ret_slots = s;
	return s.symbols && s.strings && monocle__arch_has_thunks ();
}

void
monocle__slots_each (const monocle__slots *slots, void (*each) (void *data, const char *name, void **word), void *data)
{
	for (int t = 0; t < 2; t++)
		for (size_t i = 0; slots->tables[t] && i < slots->counts[t]; i++) {
			const ElfW (Rela) *relocation = &slots->tables[t][i];
			const ElfW (Sym) *symbol = &slots->symbols[ELF64_R_SYM (relocation->r_info)];
			if (monocle__arch_is_address (ELF64_R_TYPE (relocation->r_info)) && !relocation->r_addend &&
			    symbol->st_shndx == SHN_UNDEF)
				each (data, slots->strings + symbol->st_name, (void **) (slots->map->l_addr + relocation->r_offset));
		}
}

bool
monocle__slots_write (void **word, void *value)
{
	uintptr_t page = (uintptr_t) sysconf (_SC_PAGESIZE), start = (uintptr_t) word & ~(page - 1);
	if (mprotect ((void *) start, page, PROT_READ | PROT_WRITE) != 0)
		return false;
	__atomic_store_n (word, value, __ATOMIC_RELEASE);
	return true;
}

static int
protect_again (struct dl_phdr_info *info, size_t size, void *map)
{
	uintptr_t page = (uintptr_t) sysconf (_SC_PAGESIZE);
	if (info->dlpi_addr != ((const struct link_map *) map)->l_addr)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW (Phdr) *header = &info->dlpi_phdr[i];
		uintptr_t start = (info->dlpi_addr + header->p_vaddr) & ~(page - 1);
		uintptr_t end = (info->dlpi_addr + header->p_vaddr + header->p_memsz) & ~(page - 1);
		if (header->p_type == PT_GNU_RELRO && end > start)
			mprotect ((void *) start, end - start, PROT_READ);
	}
	return 1;
}

void
monocle__slots_protect (const monocle__slots *slots)
{
	dl_iterate_phdr (protect_again, (void *) slots->map);
}

bool
monocle__slots_read_of (const void *code, monocle__slots *ret_slots)
{
	struct link_map *map;
	Dl_info info;
	return dladdr1 (code, &info, (void **) &map, RTLD_DL_LINKMAP) && monocle__slots_read (map, ret_slots);
}

typedef struct {
	const monocle__slots_row *rows;
	size_t count;
	bool is_done;
} replacing;

static void
lead_there (void *data, const char *name, void **word)
{
	replacing *r = data;
	for (size_t i = 0; *word && i < r->count; i++)
		if (!strcmp (r->rows[i].function, name))
			r->is_done = monocle__slots_write (word, r->rows[i].replacement) && r->is_done;
}

bool
monocle__slots_replace (const void *code, const monocle__slots_row *rows, size_t count)
{
	monocle__slots slots;
	replacing r = { rows, count, true };
	if (!monocle__slots_read_of (code, &slots))
		return false;
	monocle__slots_each (&slots, lead_there, &r);
	monocle__slots_protect (&slots);
	return r.is_done;
}
