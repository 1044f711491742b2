/* SPDX-License-Identifier: MIT */
/*
 * `rastrum bench template TEMPLATES ENTRIES`: AIX entries to text. ENTRIES has one entry a line, "32
 * 010A0005DEADBEEF"; bench/gen_trcfmt.py makes both files. Plain are templates without SWITCH, LOOP, BITFLAGS
 * and calls.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/verbs.h"
#include "template/compile/bind.h"
#include "template/machine/code.h"

struct bench_entry {
	const uint8_t *bytes;
	size_t n_bytes;
	const struct unit *unit;
	bool is_64;
};

struct entries {
	struct template_set *set;
	struct arena arena; /* bytes */
	struct bench_entry *rows;
	size_t n_rows, room;
	uint64_t n_bytes;
};

/* --- what is plain -------------------------------------------------------------------------------------- */

static bool is_plain(const struct stanza *stanza)
{
	for (const struct node *node = stanza->body; node; node = node->next) {
		if (node->kind == NODE_SWITCH || node->kind == NODE_LOOP || node->kind == NODE_BITFLAGS)
			return false;
		if (node->kind == NODE_MACRO && key_is_hook(node->macro.name.bytes, node->macro.name.n_bytes))
			return false;
	}
	return true;
}

/* --- reading -------------------------------------------------------------------------------------------- */

static enum rst_status load_set(struct entries *entries, const char *path, struct rst_error *err)
{
	struct diags diags = { 0 };
	struct template_file *file;
	enum rst_status status;

	entries->set = template_set_new("aix");
	if (!entries->set)
		return error_nomem(err);
	error_try(template_file_read(&file, path, err));
	status = template_set_add(entries->set, file, &diags);
	diags_done(&diags);
	return status < 0 ? error_nomem(err) : RST_OK;
}

/* "64 8000…" in place of its own text. false: it is no entry. */
static bool read_entry(struct bench_entry *row, char *line)
{
	uint8_t *bytes = (uint8_t *)line;
	size_t n_bytes = 0;

	if (strncmp(line, "32 ", 3) != 0 && strncmp(line, "64 ", 3) != 0)
		return false;
	row->is_64 = line[0] == '6';
	for (const char *at = line + 3;
		text_digit(at[0]) < TEXT_NO_DIGIT && text_digit(at[1]) < TEXT_NO_DIGIT; at += 2)
		bytes[n_bytes++] = (uint8_t)(text_digit(at[0]) << 4 | text_digit(at[1]));
	row->bytes = bytes;
	row->n_bytes = n_bytes;
	return true;
}

static const struct unit *find_unit(struct entries *entries, const struct bench_entry *row)
{
	const struct aix_hook_spec spec = {
		.is_64 = row->is_64, .hook_type = -1, .hook_data = -1, .hook_id = -1
	};
	const struct binding binding = { .word_bytes = row->is_64 ? 8 : 4 };
	struct diags diags = { 0 };
	struct entry entry = { 0 };
	struct aix_hook hook;
	struct stanza *stanza = NULL;
	const struct unit *unit;

	if (entry_of_aix(&entry, &hook, row->bytes, row->n_bytes, &spec))
		stanza = template_set_find_event(entries->set, hook.name, hook.n_name);
	unit = stanza ? bind_stanza(entries->set, stanza, &binding, &diags) : NULL;
	diags_done(&diags);
	return unit;
}

static bool add_entry(struct entries *entries, char *line)
{
	struct bench_entry row = { 0 };
	struct bench_entry *rows;
	void *bytes;

	if (!read_entry(&row, line) || !(row.unit = find_unit(entries, &row)))
		return true; /* nothing to measure */
	rows = array_room(entries->rows, entries->n_rows, &entries->room, sizeof(*rows));
	bytes = arena_copy(&entries->arena, row.bytes, row.n_bytes);
	if (!rows || !bytes)
		return false;
	row.bytes = bytes;
	entries->rows = rows;
	rows[entries->n_rows++] = row;
	entries->n_bytes += row.n_bytes;
	return true;
}

static enum rst_status load_entries(struct entries *entries, const char *path, struct rst_error *err)
{
	struct template_file *file;
	char *line, *rest;
	bool is_good = true;

	error_try(template_file_read(&file, path, err));
	char *text = malloc(file->n_bytes + 1);

	rest = text ? memcpy(text, file->text, file->n_bytes + 1) : NULL;
	while (is_good && rest && (line = strsep(&rest, "\n")) != NULL)
		is_good = add_entry(entries, line);
	is_good = is_good && text;
	free(text);
	template_file_free(file);
	if (!is_good)
		return error_nomem(err);
	if (entries->n_rows)
		return RST_OK;
	error_set(err, RST_E_DAMAGED, RST_NO_OFFSET, "there is no entry that the templates serve");
	error_advise(err, "bench/gen_trcfmt.py makes both files");
	error_name(err, path);
	return RST_E_DAMAGED;
}

/* --- measuring ------------------------------------------------------------------------------------------ */

static int64_t give_number(const struct entry *entry, enum macro_id macro)
{
	(void)entry;
	return (int64_t)macro;
}

static struct text give_text(const struct entry *entry, enum macro_id macro)
{
	(void)entry;
	(void)macro;
	return (struct text){ "log", 3 };
}

static struct text give_process(const struct entry *entry, uint64_t pid)
{
	(void)entry;
	(void)pid;
	return (struct text){ 0 };
}

static const struct entry_host host = { give_number, give_text, give_process };

struct running {
	const struct entries *entries;
	uint64_t n_wanted; /* entries to print, over and over */
	int fd;
};

static size_t run_all(const struct running *running, struct runner *runner, size_t n_wanted)
{
	size_t n_run = 0;

	for (size_t i = 0; i < running->entries->n_rows && n_run < n_wanted; i++) {
		const struct bench_entry *row = &running->entries->rows[i];
		const struct aix_hook_spec spec = {
			.is_64 = row->is_64, .hook_type = -1, .hook_data = -1, .hook_id = -1
		};
		struct entry entry = { .host = &host, .path = { "worker", 6 } };
		struct aix_hook hook;

		entry_of_aix(&entry, &hook, row->bytes, row->n_bytes, &spec);
		if (!outbuf_reserve(runner->out, row->unit->room + 1))
			return 0;
		runner->out->at = run_unit(runner, row->unit, &entry, runner->out->at);
		*runner->out->at++ = '\n';
		n_run++;
	}
	return n_run;
}

static bool run_entries(void *context)
{
	const struct running *running = context;
	struct runner *runner = calloc(1, sizeof(*runner));
	struct timer_slot *timers = calloc(RUN_TIMERS, sizeof(*timers));
	struct outbuf out;
	size_t n_left = running->n_wanted, n_run = 1;
	bool is_good = runner && timers && outbuf_init(&out, running->fd);

	if (!is_good)
		return false;
	runner->out = &out;
	runner->timers = timers;
	runner->room_after = 1;
	while (n_left && n_run) {
		n_run = run_all(running, runner, n_left);
		n_left -= n_run;
	}
	return n_left == 0 && outbuf_flush(&out); /* memory goes with the process */
}

static void keep_plain(struct entries *plain, const struct entries *all)
{
	plain->rows = calloc(all->n_rows, sizeof(struct bench_entry));
	for (size_t i = 0; plain->rows && i < all->n_rows; i++)
		if (is_plain(all->rows[i].unit->stanza)) {
			plain->rows[plain->n_rows++] = all->rows[i];
			plain->n_bytes += all->rows[i].n_bytes;
		}
}

static bool entries_measure(const struct entries *all, uint64_t n_entries, unsigned n_runs)
{
	struct floor_records floor = { 0 };
	struct entries plain = { 0 };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	keep_plain(&plain, all);
	struct running every = { .entries = all, .n_wanted = n_entries, .fd = null };
	struct running simple = { .entries = &plain, .n_wanted = n_entries, .fd = null };
	struct bench_row rows[] = {
		{ .name = "hand_formatter",
			.work = floor_line_long,
			.context = &floor,
			.n_bytes = n_entries * 32,
			.is_unit = true },
		{ .name = "plain", .work = run_entries, .context = &simple, .n_bytes = plain.n_bytes },
		{ .name = "all", .work = run_entries, .context = &every, .n_bytes = all->n_bytes },
	};
	const size_t n_rows = sizeof(rows) / sizeof(rows[0]);
	bool is_good = null >= 0 && plain.n_rows && floor_make(&floor, n_entries, null) &&
		       bench_run(rows, n_rows, n_runs);

	if (is_good) {
		bench_print(rows, n_rows, n_runs, n_entries, stdout);
		for (size_t i = 1; i < n_rows; i++)
			printf("rate %s %.1f million entries a second\n", rows[i].name,
				(double)n_entries * 1e3 / rows[i].user_ns[n_runs / 2]);
	}
	floor_done(&floor);
	free(plain.rows);
	if (null >= 0)
		close(null);
	return is_good;
}

/* --- loading -------------------------------------------------------------------------------------------- */

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static void bind_all(struct template_set *set, struct diags *diags)
{
	for (unsigned word_bytes = 4; word_bytes <= 8; word_bytes += 4)
		for (size_t i = 0; i < set->n_stanzas; i++)
			bind_stanza(
				set, set->stanzas[i], &(struct binding){ .word_bytes = word_bytes }, diags);
}

/* Compiles the file to code for words of both sizes. */
static bool load_once(const char *path, uint64_t *ret_ns)
{
	struct template_set *set = template_set_new("aix");
	struct template_file *file;
	struct diags diags = { 0 };
	uint64_t start = cpu_ns();
	bool is_good = set && template_file_read(&file, path, NULL) == RST_OK &&
		       template_set_add(set, file, &diags) == RST_OK;

	if (is_good)
		bind_all(set, &diags);
	*ret_ns = cpu_ns() - start;
	diags_done(&diags);
	template_set_free(set);
	return is_good;
}

static void tell_load(const char *path, unsigned n_runs)
{
	uint64_t least = UINT64_MAX, ns;

	for (unsigned run = 0; run < n_runs; run++)
		if (load_once(path, &ns) && ns < least)
			least = ns;
	if (least != UINT64_MAX)
		printf("load %.2f ms from file to code, the least of %u runs\n", (double)least / 1e6, n_runs);
}

int verb_template(const struct bench_args *args, char *const *files)
{
	struct entries entries = { 0 };
	struct rst_error err;
	enum rst_status status = load_set(&entries, files[0], &err);
	int exit_status;

	if (status >= 0)
		status = load_entries(&entries, files[1], &err);
	if (status < 0)
		exit_status = common_fail(&err);
	else
		exit_status = entries_measure(&entries, args->n_events, (unsigned)args->n_runs) ? EXIT_GOOD
												: EXIT_IO;
	if (exit_status == EXIT_GOOD)
		tell_load(files[0], (unsigned)args->n_runs);
	free(entries.rows);
	arena_done(&entries.arena);
	template_set_free(entries.set);
	return exit_status;
}
