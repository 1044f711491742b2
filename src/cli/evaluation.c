/* SPDX-License-Identifier: MIT */
#include "cli/evaluation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/facts.h"
#include "report/aix_line.h"
#include "template/search.h"

const char *const evaluation_kind_names[N_EVALUATION_KINDS] = { "text", "line", "parse" };

/* --- words to numbers --------------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	const char *at = c ? strchr(digits, c) : NULL;
	int value = at ? (int)(at - digits) : -1;

	return value < 16 ? value : value - 6;
}

/* As many bytes as there are, to the byte, so that sanitizers see what reads beyond them. Free *ret_bytes. */
static enum rst_status parse_bytes(
	const char *text, uint8_t **ret_bytes, size_t *ret_n_bytes, struct rst_error *err)
{
	uint8_t *bytes = malloc(strlen(text) / 2 + 1);
	size_t n_bytes = 0;

	if (!bytes)
		return error_nomem(err);
	for (const char *at = text; *at;) {
		int high = hex_digit(at[0]), low = high < 0 ? -1 : hex_digit(at[1]);

		if (*at == ' ') {
			at++;
			continue;
		}
		if (low < 0) {
			free(bytes);
			return error_set(err, RST_E_USAGE, RST_NO_OFFSET,
				"--entry needs pairs of hexadecimal digits, not '%.40s'", at);
		}
		bytes[n_bytes++] = (uint8_t)(high << 4 | low);
		at += 2;
	}
	uint8_t *exact = realloc(bytes, n_bytes ? n_bytes : 1);

	*ret_bytes = exact ? exact : bytes;
	*ret_n_bytes = n_bytes;
	return RST_OK;
}

/* Up to four hexadecimal digits; NULL leaves *ret_number as it is. */
static enum rst_status parse_hex(const char *name, const char *text, int *ret_number, struct rst_error *err)
{
	const size_t n_digits = text ? strlen(text) : 0;
	bool is_good = n_digits >= 1 && n_digits <= 4;
	int number = 0;

	if (!text)
		return RST_OK;
	for (size_t i = 0; i < n_digits && is_good; i++) {
		is_good = hex_digit(text[i]) >= 0;
		number = number << 4 | hex_digit(text[i]);
	}
	if (!is_good)
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"--%s needs up to four hexadecimal digits, not '%.40s'", name, text);
	*ret_number = number;
	return RST_OK;
}

/* A hook id may be written in three digits or four, hhh being hhh0 (D30); a hook word of 32 bits has three. */
static enum rst_status parse_hook(const struct evaluation *evaluation, int *ret_id, struct rst_error *err)
{
	const char *hook = evaluation->hook;
	char key[5];

	error_try(parse_hex("hook", hook, ret_id, err));
	if (!hook || !parse_is_hook(hook, strlen(hook)))
		return RST_OK;
	parse_key(key, hook, strlen(hook));
	error_try(parse_hex("hook", key, ret_id, err));
	if (evaluation->is_64 && strlen(key) == 3)
		*ret_id <<= 4;
	return RST_OK;
}

/* --- one entry ---------------------------------------------------------------------------------------------- */

/* What is run over what. */
struct job {
	struct entry entry;
	struct facts facts;
	struct aix_hook hook; /* of an entry of AIX */
	char id[12];	      /* as a line begins with */
	const struct stanza *stanza;
	const struct unit *unit; /* NULL: its template has errors */
	uint8_t *bytes;
	size_t n_bytes;
};

/* The stanza of a hook, or what stands in for it. */
static struct stanza *find_hook(struct template_set *set, const struct aix_hook *hook)
{
	struct stanza *stanza = template_set_find_event(set, hook->name, hook->n_name);

	if (!stanza)
		stanza = template_set_find_event(set, "007", 3);
	return stanza ? stanza : generate_unknown(set);
}

static enum rst_status bind_aix(struct evaluation *evaluation, struct job *job, struct rst_error *err)
{
	const struct binding binding = { .word_bytes = evaluation->is_64 ? 8 : 4 };
	struct aix_wish wish = {
		.is_64 = evaluation->is_64, .hook_type = -1, .hook_data = -1, .hook_id = -1
	};
	struct stanza *stanza;

	error_try(parse_hex("type", evaluation->type, &wish.hook_type, err));
	error_try(parse_hex("data", evaluation->data, &wish.hook_data, err));
	error_try(parse_hook(evaluation, &wish.hook_id, err));
	if (!entry_of_aix(&job->entry, &job->hook, job->bytes, job->n_bytes, &wish))
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"--entry needs a hook word: %d bytes, not %zu", evaluation->is_64 ? 8 : 4,
			job->n_bytes);
	snprintf(job->id, sizeof(job->id), "%s", job->hook.name);
	stanza = find_hook(evaluation->set, &job->hook);
	if (!stanza)
		return error_nomem(err);
	job->stanza = stanza;
	job->unit = bind_stanza(evaluation->set, stanza, &binding, &evaluation->diags);
	return RST_OK;
}

static enum rst_status bind_event(struct evaluation *evaluation, struct job *job, struct rst_error *err)
{
	const struct rst_type *type = catalogue_find(&evaluation->catalogue, evaluation->event, 0);
	const struct binding binding = { .word_bytes = 4, .type = type };
	struct stanza *stanza;

	if (!type) {
		error_set(err, RST_E_USAGE, RST_NO_OFFSET, "the dialect %s has no event '%.80s'",
			evaluation->set->dialect, evaluation->event);
		error_advise(err, "`rastrum template doc '*'` tells of all");
		return RST_E_USAGE;
	}
	job->entry = (struct entry){
		.bytes = job->bytes,
		.n_bytes = job->n_bytes,
		.hook_data = (uint16_t)type->id,
		.hook_bytes = (uint32_t)job->n_bytes,
	};
	snprintf(job->id, sizeof(job->id), "%03X", type->id);
	stanza = template_set_find_event(evaluation->set, evaluation->event, strlen(evaluation->event));
	if (!stanza)
		stanza = template_set_find_event(evaluation->set, type->name, type->name_bytes);
	if (!stanza)
		stanza = generate_stanza(evaluation->set, type);
	if (!stanza)
		return error_nomem(err);
	job->stanza = stanza;
	job->unit = bind_stanza(evaluation->set, stanza, &binding, &evaluation->diags);
	return RST_OK;
}

/* A timer of the facts was started by an entry before: here is one. false when memory ran out. */
static bool start_timer(struct runner *runner, const struct facts *facts, size_t n)
{
	static const uint8_t hook_word[] = { 0x01, 0x09, 0x00, 0x00 };
	const struct binding binding = { .word_bytes = 4 };
	const struct facts then = { .numbers = { [MACRO_NOW] = facts->timers[n].start_ns } };
	const struct entry entry = {
		.bytes = hook_word, .n_bytes = sizeof(hook_word), .host = &facts_host, .host_data = &then
	};
	struct template_set *set = template_set_new("aix");
	struct diags diags = { 0 };
	const struct unit *unit = NULL;
	char text[100];

	snprintf(text, sizeof(text), "010 1.0 \"@\" starttimer(%" PRId64 ", %" PRId64 ")",
		facts->timers[n].first, facts->timers[n].second);
	struct template_file *file = set ? template_file_of("timer", text, strlen(text)) : NULL;

	if (file && template_set_add(set, file, &diags) == RST_OK)
		unit = bind_stanza(set, template_set_find(set, "010", 3), &binding, &diags);
	if (unit)
		runner->out->at = run_unit(runner, unit, &entry, runner->out->at);
	diags_done(&diags);
	template_set_free(set);
	return unit != NULL;
}

static enum rst_status run_job(struct evaluation *evaluation, struct job *job, struct rst_error *err)
{
	const enum level level = job->stanza->level;
	const bool is_line = evaluation->kind == EVALUATION_LINE;
	struct outbuf *out = &evaluation->out;
	struct runner *runner = calloc(1, sizeof(*runner));
	struct timer_slot *timers = calloc(RUN_TIMERS, sizeof(*timers));
	bool is_good = runner && timers && outbuf_reserve(out, AIX_LINE_ROOM);

	if (is_good)
		*runner = (struct runner){ .out = out, .timers = timers };
	for (size_t i = 0; i < job->facts.n_timers && is_good; i++)
		is_good = start_timer(runner, &job->facts, i);
	if (is_good && is_line) {
		runner->margin = aix_line_margin(level);
		out->at = aix_line_head(out->at, job->id, strlen(job->id), (uint64_t)job->facts.elapsed_ns,
			job->facts.delta_ns, level);
	}
	if (is_good) {
		out->at = run_unit(runner, job->unit, &job->entry, out->at);
		evaluation->is_hidden = runner->outcome == RUN_SKIP;
		is_good = out->error == 0;
	}
	free(runner);
	free(timers);
	return is_good ? RST_OK : error_nomem(err);
}

static enum rst_status run_entry(struct evaluation *evaluation, struct job *job, struct rst_error *err)
{
	error_try(facts_parse(&job->facts, evaluation->context ? evaluation->context : "", err));
	if (!evaluation->entry)
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET, "there is no entry: --entry HEX");
	error_try(parse_bytes(evaluation->entry, &job->bytes, &job->n_bytes, err));
	if (evaluation->set->is_aix)
		error_try(bind_aix(evaluation, job, err));
	else if (evaluation->event)
		error_try(bind_event(evaluation, job, err));
	else
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"templates of the dialect %s need --event NAME", evaluation->set->dialect);
	job->entry.host = &facts_host;
	job->entry.path = job->facts.texts[MACRO_EXECPATH];
	job->entry.host_data = &job->facts;
	job->facts.numbers[MACRO_TRACEID] = (int64_t)strtoull(job->id, NULL, 16);
	return job->unit && !evaluation->diags.n_errors ? run_job(evaluation, job, err) : RST_OK;
}

/* --- all ---------------------------------------------------------------------------------------------------- */

static enum rst_status load(struct evaluation *evaluation, struct template_file *file, struct rst_error *err)
{
	const char *dialect = catalogue_dialect(template_file_dialect(file), err);
	enum rst_status status = dialect ? RST_OK : RST_E_USAGE;

	if (status == RST_OK) {
		evaluation->has_catalogue = true;
		status = catalogue_init(&evaluation->catalogue, dialect, err);
	}
	if (status == RST_OK)
		evaluation->set = template_set_new(dialect);
	if (status == RST_OK && !evaluation->set)
		status = error_nomem(err);
	for (size_t i = 0; i < evaluation->n_below && status == RST_OK; i++)
		status = template_search_path(evaluation->set, evaluation->below[i], &evaluation->diags, err);
	if (status != RST_OK) {
		template_file_free(file);
		return status;
	}
	return template_set_add(evaluation->set, file, &evaluation->diags) < 0 ? error_nomem(err) : RST_OK;
}

enum rst_status evaluate(struct evaluation *evaluation, struct template_file *file, struct rst_error *err)
{
	struct job job = { 0 };
	enum rst_status status = load(evaluation, file, err);

	if (status != RST_OK)
		return status;
	evaluation->has_out = outbuf_init(&evaluation->out, OUTBUF_MEMORY);
	if (!evaluation->has_out)
		return error_nomem(err);
	if (evaluation->kind == EVALUATION_PARSE)
		catalogue_bind(&evaluation->catalogue, evaluation->set, file, evaluation->is_64 ? 8 : 4,
			&evaluation->diags);
	else if (!evaluation->diags.n_errors)
		status = run_entry(evaluation, &job, err);
	facts_done(&job.facts);
	free(job.bytes);
	if (status == RST_OK && evaluation->diags.has_no_memory)
		return error_nomem(err);
	if (evaluation->diags.n_errors)
		outbuf_puts(&evaluation->out, "ERROR");
	else if (evaluation->kind == EVALUATION_PARSE)
		outbuf_puts(&evaluation->out, "ok");
	return status;
}

void evaluation_done(struct evaluation *evaluation)
{
	evaluation->set = template_set_free(evaluation->set);
	if (evaluation->has_catalogue)
		catalogue_done(&evaluation->catalogue);
	if (evaluation->has_out)
		outbuf_done(&evaluation->out);
	diags_done(&evaluation->diags);
}
