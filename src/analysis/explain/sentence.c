/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdarg.h>

#include "analysis/explain/explain.h"
#include "base/text.h"
#include "model/clock.h"

void sentence_words(struct sentence *sentence, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	sentence->n = text_print(sentence->text, sentence->n, sizeof(sentence->text), format, args);
	va_end(args);
}

void findings_forget_names(struct findings *findings)
{
	table_done(&findings->names);
	findings->names = (struct table){ 0 };
	findings->lacks_names = false;
}

struct text party_name(struct findings *findings, const struct party *party)
{
	struct table_cell cell;

	if (!subject_name(&findings->history.parties, &party->subject, &findings->names, &cell))
		findings->lacks_names = true;
	else if (cell.is_there)
		return cell.text;
	return (struct text){ "?", 1 };
}

static bool is_thread(const struct rst_entity *entity)
{
	return entity->kind && strcmp(entity->kind, "thread") == 0;
}

/* A kind as it reads: event_flags are "event flags". */
static void sentence_kind(struct sentence *sentence, const char *kind)
{
	for (; *kind; kind++)
		sentence_words(sentence, "%c", *kind == '_' ? ' ' : *kind);
	sentence_words(sentence, " ");
}

void sentence_name(struct sentence *sentence, const struct party *party)
{
	const struct rst_entity *entity = &party->subject.entity;
	const struct text name = party_name(sentence->findings, party);
	const char *quote = entity->name ? "'" : "";

	if (entity->form == RST_ENTITY_NUMBER)
		sentence_words(sentence, "interrupt ");
	else if (!is_thread(entity) || !entity->name)
		sentence_kind(sentence, entity->kind ? entity->kind : "object");
	sentence_words(sentence, "%s%.*s%s", quote, (int)name.n_bytes, name.bytes, quote);
}

void sentence_names(struct sentence *sentence, struct party *const *parties, size_t n, size_t n_more)
{
	for (size_t i = 0; i < n; i++) {
		sentence_words(sentence, "%s", i == 0 ? "" : i + 1 < n || n_more ? ", " : " and ");
		sentence_name(sentence, parties[i]);
	}
	sentence_words(sentence, "%s", n_more ? " and others" : "");
}

void sentence_time(struct sentence *sentence, uint64_t ticks)
{
	const uint64_t hz = sentence->findings->scan->times.hz;
	char text[TEXT_DURATION_MAX + 1];

	if (!hz) {
		sentence_words(sentence, "%" PRIu64 " tick%s", ticks, ticks == 1 ? "" : "s");
		return;
	}
	*text_put_duration(text, clock_ns(ticks, hz)) = '\0';
	sentence_words(sentence, "%s", text);
}

void sentence_count(struct sentence *sentence, uint64_t n, const char *one, const char *several)
{
	sentence_words(sentence, "%" PRIu64 " %s", n, n == 1 ? one : several);
}

const char *finding_say(struct findings *findings, const struct finding *finding, struct sentence *sentence)
{
	sentence->findings = findings;
	sentence->n = 0;
	sentence->text[0] = '\0';
	finding->kind->say(finding, sentence);
	if (!finding->is_certain)
		sentence_words(sentence, " This is not certain: the recording does not show all of it.");
	return sentence->text;
}
