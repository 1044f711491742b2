/* SPDX-License-Identifier: MIT */
/* Pieces of JSON that the formats made of it share. */
#ifndef EXPORT_JSON_H
#define EXPORT_JSON_H

#include "base/text.h"
#include "export/export.h"

static inline void json_text(struct outbuf *out, struct text text)
{
	if (outbuf_reserve(out, 6 * text.n_bytes + 2))
		out->at = text_put_json(out->at, text.bytes ? text.bytes : "", text.n_bytes);
}

/* Writes the name of a thing, or its number if it has no name. */
static inline void json_entity(struct outbuf *out, const struct rst_entity *entity)
{
	if (entity->name)
		json_text(out, (struct text){ entity->name, entity->name_bytes });
	else
		outbuf_printf(out,
			entity->is_number || entity->form == RST_ENTITY_NUMBER ? "\"%llu\"" : "\"0x%llx\"",
			(unsigned long long)entity->id);
}

#endif
