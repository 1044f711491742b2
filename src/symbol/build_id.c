/* SPDX-License-Identifier: MIT */
/*
 * Finds the build id of an ELF file: a note that linkers write, which identifies a program even without its
 * symbols.
 */
#include <elf.h>
#include <string.h>

#include "symbol/elf_parts.h"

enum { NOTES_MAX = 64, NOTE_BYTES_MAX = 64 << 10 };

static const uint8_t *id_among(Elf_Data *data, size_t *ret_n_bytes)
{
	size_t at = 0, n_name, n_desc;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &n_name, &n_desc)) > 0) {
		const uint8_t *bytes = data->d_buf;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof(ELF_NOTE_GNU) ||
			memcmp(bytes + n_name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) != 0 || !note.n_descsz ||
			note.n_descsz > BUILD_ID_MAX)
			continue;
		*ret_n_bytes = note.n_descsz;
		return bytes + n_desc;
	}
	return NULL;
}

static const uint8_t *id_by_segments(Elf *elf, size_t *ret_n_bytes)
{
	size_t n_headers = 0;
	const uint8_t *id = NULL;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &n_headers) != 0)
		return NULL;
	for (size_t i = 0; i < n_headers && i < NOTES_MAX && !id; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_NOTE ||
			header.p_filesz > NOTE_BYTES_MAX)
			continue;
		Elf_Type type = header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;

		id = id_among(elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz, type),
			ret_n_bytes);
	}
	return id;
}

/* Files with separate symbols may have only sections. */
static const uint8_t *id_by_sections(Elf *elf, size_t *ret_n_bytes)
{
	const uint8_t *id = NULL;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	for (unsigned n = 0; n < NOTES_MAX && !id && (section = elf_nextscn(elf, section));) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE ||
			header.sh_size > NOTE_BYTES_MAX)
			continue;
		id = id_among(elf_getdata(section, NULL), ret_n_bytes);
		n++;
	}
	return id;
}

const uint8_t *symbol_build_id(Elf *elf, size_t *ret_n_bytes)
{
	const uint8_t *id = id_by_segments(elf, ret_n_bytes);

	return id ? id : id_by_sections(elf, ret_n_bytes);
}
