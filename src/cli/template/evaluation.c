/* SPDX-License-Identifier: MIT */
#include "cli/template/evaluation.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/template/host_values.h"
#include "lines/aix_line.h"
#include "template/compile/bind.h"
#include "template/machine/code.h"
#include "template/set/search.h"

const char *const evaluation_kind_names[N_EVALUATION_KINDS] = { "text", "line", "parse" };

/* --- words to numbers ----------------------------------------------------------------------------------- */

/* As many bytes as there are, to the byte, so that sanitizers see what reads beyond them. Free *ret_bytes. */
static enum rst_status parse_bytes(
	const char *text, uint8_t **ret_bytes, size_t *ret_n_bytes, struct rst_error *err)
{
	uint8_t *bytes = malloc(strlen(text) / 2 + 1);
	size_t n_bytes = 0;

	if (!bytes)
		return error_nomem(err);
	for (const char *at = text; *at;) {
		if (*at == ' ') {
			at++;
			continue;
		}
		unsigned high = text_digit(at[0]), low = high < TEXT_NO_DIGIT ? text_digit(at[1]) : high;

		if (low == TEXT_NO_DIGIT) {
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
	unsigned number = 0;

	if (!text)
		return RST_OK;
	for (size_t i = 0; i < n_digits && is_good; i++) {
		is_good = text_digit(text[i]) != TEXT_NO_DIGIT;
		number = number << 4 | text_digit(text[i]);
	}
	if (!is_good)
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"--%s needs up to four hexadecimal digits, not '%.40s'", name, text);
	*ret_number = (int)number;
	return RST_OK;
}

/*
 * A hook id may be written in three digits or four, hhh being hhh0 (D30); a hook word of 32 bits has three.
 */
static enum rst_status parse_hook(const struct evaluation *evaluation, int *ret_id, struct rst_error *err)
{
	const char *hook = evaluation->hook;
	char key[5];

	error_try(parse_hex("hook", hook, ret_id, err));
	if (!hook || !key_is_hook(hook, strlen(hook)))
		return RST_OK;
	key_normalise(key, hook, strlen(hook));
	error_try(parse_hex("hook", key, ret_id, err));
	if (evaluation->is_64 && strlen(key) == 3)
		*ret_id <<= 4;
	return RST_OK;
}

/* --- one entry ------------------------------------------------------------------------------------------ */

/* A template and the entry that it runs over. */
struct job {
	struct entry entry;
	struct host_values values;
	struct aix_hook hook; /* of an entry of AIX */
	char id[12];	      /* as a line begins with */
	const struct stanza *stanza;
	const struct unit *unit; /* NULL if its template has errors */
	uint8_t *bytes;
	size_t n_bytes;
};

/* The file's own stanza for the entry has errors: no other is tried, as it would be in a report. */
static bool is_own_bad(const struct evaluation *evaluation, struct text key)
{
	const struct stanza *stanza = template_set_find(evaluation->set, key.bytes, key.n_bytes);

	return stanza && stanza->is_bad && stanza->file == evaluation->file;
}

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
	struct aix_hook_spec spec = {
		.is_64 = evaluation->is_64, .hook_type = -1, .hook_data = -1, .hook_id = -1
	};
	struct stanza *stanza;

	if (evaluation->event) {
		error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"the templates are for entries of AIX, not for '%.80s'", evaluation->event);
		error_advise(err, "files for events begin with a line like # dialect: threadx");
		return RST_E_USAGE;
	}
	error_try(parse_hex("type", evaluation->type, &spec.hook_type, err));
	if (!evaluation->is_64 && spec.hook_type > 0xf)
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"--type is one hexadecimal digit with 32 bits, not '%s'", evaluation->type);
	error_try(parse_hex("data", evaluation->data, &spec.hook_data, err));
	error_try(parse_hook(evaluation, &spec.hook_id, err));
	if (!entry_of_aix(&job->entry, &job->hook, job->bytes, job->n_bytes, &spec))
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"--entry needs a hook word: %d bytes, not %zu", evaluation->is_64 ? 8 : 4,
			job->n_bytes);
	snprintf(job->id, sizeof(job->id), "%s", job->hook.name);
	evaluation->is_bad = is_own_bad(evaluation, (struct text){ job->hook.name, job->hook.n_name });
	stanza = find_hook(evaluation->set, &job->hook);
	if (!stanza)
		return error_nomem(err);
	job->stanza = stanza;
	job->unit = bind_stanza(evaluation->set, stanza, &binding, &evaluation->diags);
	return RST_OK;
}

static enum rst_status bind_event(struct evaluation *evaluation, struct job *job, struct rst_error *err)
{
	struct template_set *set = evaluation->set;
	const struct rst_layout *layout =
		catalogue_event(&evaluation->catalogue, set->dialect, evaluation->event, err);
	const struct binding binding = { .word_bytes = 4, .layout = layout };
	char room[120];
	uint32_t id;

	if (!layout)
		return RST_E_USAGE;
	const struct text key = catalogue_key(layout, evaluation->event, room, sizeof(room), &id);
	struct stanza *stanza = template_set_find_event(set, key.bytes, key.n_bytes);

	job->entry = (struct entry){
		.bytes = job->bytes,
		.n_bytes = job->n_bytes,
		.hook_data = (uint16_t)id,
		.hook_bytes = (uint32_t)job->n_bytes,
	};
	snprintf(job->id, sizeof(job->id), "%03X", id);
	evaluation->is_bad = is_own_bad(evaluation, key);
	if (!stanza)
		stanza = generate_stanza(set, layout);
	if (!stanza)
		return error_nomem(err);
	job->stanza = stanza;
	job->unit = bind_stanza(set, stanza, &binding, &evaluation->diags);
	return RST_OK;
}

/* --- what it calls -------------------------------------------------------------------------------------- */

struct calls {
	const struct template_set *set;
	bool has_bad;
};

/* Names were resolved when the entry's stanza was bound. */
static void look_at_call(void *context, const struct node *node)
{
	struct calls *calls = context;
	const struct target *target = &node->macro.target;
	const struct stanza *callee = NULL;

	if (node->kind != NODE_MACRO)
		return;
	if (target->kind == TARGET_STANZA)
		callee = target->stanza;
	else if (target->kind == TARGET_BUILTIN && target->builtin->id == MACRO_DEFAULT)
		callee = template_set_find(calls->set, "008", 3);
	calls->has_bad |= callee && callee->is_bad;
}

/* The set was only bound for this one entry, so its units are the stanza's and what that calls. */
static bool calls_bad(const struct template_set *set)
{
	struct calls calls = { .set = set };
	const struct tree_visitor visitor = { .node = look_at_call, .context = &calls };

	for (size_t i = 0; i < set->n_units; i++) {
		calls.has_bad |= set->units[i]->is_bad;
		if (!set->units[i]->is_bad)
			tree_visit(&visitor, set->units[i]->stanza->body);
	}
	return calls.has_bad;
}

/* As the default report has it. */
static void put_front(struct outbuf *out, struct runner *runner, const struct job *job, enum level level)
{
	const struct aix_times times = { .elapsed = (uint64_t)job->values.elapsed_ns,
		.delta = job->values.delta_ns };
	struct aix_look look = { .columns = 1U << AIX_ID };
	struct aix_line line = { .look = &look, .at = out->at };

	aix_look_measure(&look);
	aix_line_put(&line, AIX_ID, (struct text){ job->id, strlen(job->id) }, (unsigned)strlen(job->id));
	aix_line_times(&line, &times, level);
	runner->margin = aix_line_margin(&look, level);
	out->at = line.at;
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
	for (size_t i = 0; i < job->values.n_timers && is_good; i++)
		run_start_timer(runner, job->values.timers[i].first, job->values.timers[i].second,
			job->values.timers[i].start_ns);
	if (is_good && is_line)
		put_front(out, runner, job, level);
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
	job->values.numbers[MACRO_RELLINENO] = 1;
	error_try(host_values_parse(&job->values, evaluation->context ? evaluation->context : "", err));
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
	job->entry.host = &host_values_host;
	job->entry.path = job->values.texts[MACRO_EXECPATH];
	job->entry.host_data = &job->values;
	job->values.numbers[MACRO_TRACEID] = (int64_t)strtoull(job->id, NULL, 16);
	evaluation->is_bad |= !job->unit || calls_bad(evaluation->set);
	return evaluation->is_bad ? RST_OK : run_job(evaluation, job, err);
}

/* --- all ------------------------------------------------------------------------------------------------ */

/* Entries of AIX see what is named and nothing else; events what a report would find. */
static enum rst_status evaluation_load_below(struct evaluation *evaluation, struct rst_error *err)
{
	struct template_set *set = evaluation->set;
	struct diags *diags = &evaluation->diags;

	if (!set->is_aix)
		return template_search(set, NULL, evaluation->n_below, evaluation->below, diags, err);
	for (size_t i = 0; i < evaluation->n_below; i++)
		error_try(template_search_path(set, evaluation->below[i], diags, err));
	return RST_OK;
}

static enum rst_status evaluation_load(struct evaluation *evaluation, struct rst_error *err)
{
	const char *dialect = catalogue_dialect(template_file_dialect(evaluation->file), err);

	if (!dialect)
		return RST_E_USAGE;
	evaluation->has_catalogue = true;
	error_try(catalogue_init(&evaluation->catalogue, dialect, err));
	evaluation->set = template_set_new(dialect);
	return evaluation->set ? evaluation_load_below(evaluation, err) : error_nomem(err);
}

static enum rst_status run_kind(struct evaluation *evaluation, uint64_t n_errors_below, struct rst_error *err)
{
	struct job job = { 0 };
	enum rst_status status = RST_OK;

	if (evaluation->kind == EVALUATION_PARSE) {
		catalogue_bind(&evaluation->catalogue, evaluation->set, evaluation->file,
			evaluation->is_64 ? 8 : 4, &evaluation->diags);
		evaluation->is_bad = evaluation->diags.n_errors > n_errors_below;
	} else {
		status = run_entry(evaluation, &job, err);
	}
	host_values_done(&job.values);
	free(job.bytes);
	return status;
}

enum rst_status evaluate(struct evaluation *evaluation, struct template_file *file, struct rst_error *err)
{
	uint64_t n_errors_below;
	enum rst_status status;

	evaluation->file = file;
	status = evaluation_load(evaluation, err);
	n_errors_below = evaluation->diags.n_errors;
	if (status < 0) {
		template_file_free(file);
		return status;
	}
	if (template_set_add(evaluation->set, file, &evaluation->diags) < 0)
		return error_nomem(err);
	evaluation->has_out = outbuf_init(&evaluation->out, OUTBUF_MEMORY);
	if (!evaluation->has_out)
		return error_nomem(err);
	error_try(run_kind(evaluation, n_errors_below, err));
	if (evaluation->diags.has_no_memory)
		return error_nomem(err);
	if (evaluation->is_bad)
		outbuf_puts(&evaluation->out, "ERROR");
	else if (evaluation->kind == EVALUATION_PARSE)
		outbuf_puts(&evaluation->out, "ok");
	return RST_OK;
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
