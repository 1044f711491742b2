/* SPDX-License-Identifier: MIT */
/*
 * Parses lines into rules. The first error in a line becomes its fault; the other lines are parsed
 * nevertheless.
 */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "query/line.h"
#include "query/metric.h"

/* --- titles --------------------------------------------------------------------------------------------- */

static const struct metric *metric_find(const char *word, size_t n_word)
{
	for (size_t i = 0; metrics[i]; i++)
		if (strlen(metrics[i]->name) == n_word && memcmp(metrics[i]->name, word, n_word) == 0)
			return metrics[i];
	return NULL;
}

static bool is_rule(const char *p)
{
	const size_t n_word = line_word(p);
	const struct metric *metric = metric_find(p, n_word);

	p += n_word;
	p += strspn(p, " \t");
	return metric && *p == (metric->has_sql ? '"' : '(');
}

/*
 * The colon behind the title. A colon may also be part of a name or of a title, so the title ends at the
 * first colon before a metric. If there is no such colon (the metric is misspelt), it ends at the first colon
 * before a blank. Returns NULL if there is no title.
 */
static const char *title_end(const char *p)
{
	bool is_quoted = false;

	if (is_rule(p))
		return NULL;
	for (const char *colon = strchr(p, ':'); colon; colon = strchr(colon + 1, ':'))
		if (is_rule(colon + 1 + strspn(colon + 1, " \t")))
			return colon;
	for (; *p; p++) {
		is_quoted ^= *p == '"';
		if (*p == ':' && !is_quoted && strchr(" \t", p[1]))
			return p;
	}
	return NULL;
}

/* --- selectors ------------------------------------------------------------------------------------------ */

/* "event, irq or thread": what stands at this place. */
static void takes_put(const struct metric *metric, size_t n, char *text, size_t n_text)
{
	const char *word;
	size_t n_used = 0;

	*text = '\0';
	for (size_t i = 0; (word = selector_kind_word(i)); i++) {
		struct selector selector;

		selector_kind_find(word, strlen(word), &selector);
		if (!(metric->takes[n] >> selector.form & 1) || n_used >= n_text)
			continue;
		n_used += (size_t)snprintf(text + n_used, n_text - n_used, "%s%s", n_used ? ", " : "", word);
	}
}

static bool kind_fault(struct line *line, const struct metric *metric, size_t n, size_t n_word)
{
	struct similar similar = { .word = line->p, .n_word = n_word };
	const char *behind = line->p + n_word, *word;
	char allowed[240], near[SIMILAR_TEXT_MAX];

	takes_put(metric, n, allowed, sizeof(allowed));
	if (!n_word) {
		line_lacks(line, "a selector, such as thread NAME,");
		return line_advise(line, "%s() takes: %s", metric->name, allowed);
	}
	behind += strspn(behind, " \t");
	if (strchr(",)", *behind) || strncmp(behind, "->", 2) == 0) {
		line_fault(line, line->p, "the kind is missing in front of the name '%.*s'", (int)n_word,
			line->p);
		return line_advise(line, "%s() takes: %s", metric->name, allowed);
	}
	line_fault(line, line->p, "there is no kind '%.*s'", (int)n_word, line->p);
	for (size_t i = 0; (word = selector_kind_word(i)); i++)
		similar_offer(&similar, word);
	return similar_text(&similar, near) ? line_advise(line, "%s", near)
					    : line_advise(line, "%s() takes: %s", metric->name, allowed);
}

/* Whether a selector begins here: a kind, and then a name. */
static bool is_selector(const char *p)
{
	const size_t n_word = line_word(p), n_blanks = strspn(p + n_word, " \t");
	struct selector selector;

	return n_blanks && selector_kind_find(p, n_word, &selector) &&
	       !strchr(",)<>=#", p[n_word + n_blanks]);
}

/*
 * Finds the end of a name without quotes: a comma, an arrow, or a parenthesis that the name has not opened.
 * It also ends at a blank before another piece, so that the parser can report what is missing before that
 * piece. The name of an event also ends where its fields begin.
 */
static const char *name_end(const struct selector *selector, const char *p)
{
	const char *marks = selector->form == SELECTOR_EVENT ? "<>=#,)-{" : "<>=#,)-", *end = p;
	unsigned n_open = 0;

	for (; *p && *p != ',' && *p != '"' && strncmp(p, "->", 2) != 0; end = ++p) {
		const size_t n_blanks = strspn(p, " \t");

		if (n_blanks && (is_selector(p + n_blanks) || strchr(marks, p[n_blanks])))
			return p;
		if ((*p == ')' && n_open-- == 0) || (*p == '{' && selector->form == SELECTOR_EVENT))
			return p;
		n_open += *p == '(';
	}
	return end;
}

static bool name_parse(struct line *line, const struct selector *selector, const char **ret_name)
{
	const char *start, *p;

	line_blanks(line);
	if (*line->p == '"' || *line->p == '\'') {
		start = line->p;
		if (!line_quoted(line, ret_name))
			return false;
		return **ret_name || line_fault(line, start, "the name is empty");
	}
	start = line->p;
	p = name_end(selector, start);
	if (p == start) {
		char what[64];

		snprintf(what, sizeof(what), "the name of the %s", selector->kind);
		return line_lacks(line, what);
	}
	*ret_name = line_copy(line, start, p);
	line->last = line->p = p;
	return *ret_name != NULL;
}

static bool fields_parse(struct line *line, const struct metric *metric, struct selector *selector)
{
	line_blanks(line);
	if (*line->p == '{' && !metric->takes_fields)
		return line_fault(line, line->p, "%s() takes no fields", metric->name);
	return line_fields(line, selector);
}

static bool selector_parse(
	struct line *line, const struct metric *metric, size_t n, struct selector *selector)
{
	const char *start;
	size_t n_word;

	line_blanks(line);
	start = line->p;
	n_word = line_word(start);
	if (!n_word || !selector_kind_find(start, n_word, selector))
		return kind_fault(line, metric, n, n_word);
	if (!(metric->takes[n] >> selector->form & 1)) {
		char allowed[240];

		takes_put(metric, n, allowed, sizeof(allowed));
		line_fault(line, start, "%s() takes no %s here", metric->name, selector->kind);
		return line_advise(line, "it takes: %s", allowed);
	}
	line->last = line->p = start + n_word;
	if (!name_parse(line, selector, &selector->name))
		return false;
	return selector->form != SELECTOR_EVENT || fields_parse(line, metric, selector);
}

/* Reports that a mark is missing here. */
static bool mark_fault(struct line *line, const char *mark)
{
	const bool is_name = !line_ends(line) && line_word(line->p) > 0;

	line_lacks(line, mark);
	return is_name &&
	       line_advise(line, "a name with blanks in it stands in quotes: thread \"my thread\"");
}

static bool selectors_parse(struct line *line, struct rule *rule)
{
	const struct metric *metric = rule->metric;

	if (!line_take(line, "("))
		return line_lacks(line, "'('");
	while (rule->n_selectors < metric->n_selectors_max) {
		const size_t n = rule->n_selectors;

		if (n && metric->has_arrow && !line_take(line, "->"))
			return mark_fault(line, "'->'");
		if (n && !metric->has_arrow && !line_take(line, ","))
			break;
		if (!selector_parse(line, metric, n, &rule->selectors[n]))
			return false;
		rule->n_selectors++;
	}
	if (line_take(line, ")"))
		return true;
	mark_fault(line, "')'");
	return !line_ends(line) && strchr("-,", *line->p) && line_advise(line, "it is %s", metric->usage) &&
	       false;
}

/* --- ranges --------------------------------------------------------------------------------------------- */

static bool form_fault(
	struct line *line, const char *at, const struct metric *metric, enum quantity_form form)
{
	const unsigned takes = metric->quantities;

	if (takes & QUANTITY_BIT(QUANTITY_COUNT)) {
		line_fault(line, at, "%s() counts: a number without a unit is meant here", metric->name);
	} else if (form == QUANTITY_COUNT) {
		line_fault(line, at, "a time is meant here: the unit of the number is missing");
		return line_advise(line, "write 5us, 5ms, 5s or 5ticks%s",
			takes & QUANTITY_BIT(QUANTITY_SHARE) ? ", or 5%" : "");
	} else {
		line_fault(line, at, "%s() has no share in %%", metric->name);
	}
	return line_advise(line, "it is %s", metric->usage);
}

/* Only some metrics measure numbers that may be less than 0 or not whole. */
static bool number_judge(
	struct line *line, const char *at, const struct metric *metric, const struct quantity *quantity)
{
	if (metric->takes_numbers || (!quantity->is_negative && quantity->parts == 1))
		return true;
	return quantity->is_negative ? line_fault(line, at, "%s() is never less than 0", metric->name)
				     : line_fault(line, at, "a whole number is meant here");
}

static bool quantity_take(
	struct line *line, const struct metric *metric, struct quantity *quantity, const char **ret_at)
{
	const char *why = NULL, *end;

	line_blanks(line);
	*ret_at = line->p;
	if (line_ends(line))
		return line_lacks(line, "a number");
	end = quantity_parse(line->p, quantity, &why);
	if (!end)
		return line_fault(line, line->p, "%s", why);
	line->last = line->p = end;
	if (!(metric->quantities >> quantity->form & 1))
		return form_fault(line, *ret_at, metric, quantity->form);
	return number_judge(line, *ret_at, metric, quantity);
}

static const struct {
	const char *mark;
	bool is_least, is_most, is_out;
} comparisons[] = {
	{ "<=", false, true, false },
	{ ">=", true, false, false },
	{ "==", true, true, false },
	{ "<", false, true, true },
	{ ">", true, false, true },
};

/* `< 2ms`; false if no comparison is there. */
static bool comparison_take(struct line *line, struct range *range)
{
	for (size_t i = 0; i < sizeof(comparisons) / sizeof(comparisons[0]); i++) {
		if (!line_take(line, comparisons[i].mark))
			continue;
		*range = (struct range){ .has_least = comparisons[i].is_least,
			.has_most = comparisons[i].is_most,
			.is_least_out = comparisons[i].is_out,
			.is_most_out = comparisons[i].is_out };
		return true;
	}
	return false;
}

static bool range_lacks(struct line *line, const struct metric *metric)
{
	const char *p = line->p;

	if (!line_ends(line) && *p == '!')
		line_fault(line, p, "a range cannot leave out a value: there is no !=");
	else if (!line_ends(line) && *p == '=')
		line_fault(line, p, "equality is written ==");
	else
		line_lacks(line, "the range");
	return line_advise(line, "it is %s", metric->usage);
}

static bool is_number(const char *p)
{
	p += *p == '-';
	return text_is_digit(*p);
}

static bool range_parse(struct line *line, struct rule *rule)
{
	struct range *range = &rule->range;
	const bool has_sign = rule->metric->takes_numbers;
	const char *first, *second;

	line_blanks(line);
	rule->range_column = line_column(line, line->p);
	if (comparison_take(line, range)) {
		if (!quantity_take(line, rule->metric, &range->least, &first))
			return false;
		range->most = range->least;
		return !range_is_void(range, has_sign) || line_fault(line, first, "nothing is less than 0");
	}
	if (!is_number(line->p))
		return range_lacks(line, rule->metric);
	*range = (struct range){ .has_least = true, .has_most = true };
	if (!quantity_take(line, rule->metric, &range->least, &first))
		return false;
	if (!line_take(line, ".."))
		return line_lacks(line, "'..' and the end of the range");
	if (!quantity_take(line, rule->metric, &range->most, &second))
		return false;
	if (range->least.form != range->most.form)
		return line_fault(
			line, second, "both ends of a range are of one unit: times, ticks, or shares");
	return !range_is_void(range, has_sign) ||
	       line_fault(line, first, "the range is reversed: its begin is greater than its end");
}

static bool per_parse(struct line *line, struct rule *rule)
{
	const char *at = line->p, *why = NULL, *end;

	if (!rule->metric->takes_per) {
		line_fault(line, at, "%s() has no parts: there is no per", rule->metric->name);
		return line_advise(line, "it is %s", rule->metric->usage);
	}
	line->last = line->p += strlen("per");
	if (line_ends(line))
		return line_lacks(line, "the duration, such as 10ms,");
	at = line->p;
	end = quantity_parse(at, &rule->per, &why);
	if (!end)
		return line_fault(line, at, "%s", why);
	line->last = line->p = end;
	rule->has_per = true;
	if (rule->per.form != QUANTITY_TIME && rule->per.form != QUANTITY_TICKS) {
		line_fault(line, at, "per takes a length of time");
		return line_advise(line, "write 10ms, or 1000ticks");
	}
	return rule->per.value || line_fault(line, at, "a part of no length has nothing in it");
}

/* --- rules ---------------------------------------------------------------------------------------------- */

static bool metric_parse(struct line *line, struct rule *rule)
{
	const size_t n_word = line_word(line->p);
	struct similar similar = { .word = line->p, .n_word = n_word };
	char text[SIMILAR_TEXT_MAX];

	rule->metric = metric_find(line->p, n_word);
	if (rule->metric) {
		line->last = line->p += n_word;
		return true;
	}
	if (n_word)
		line_fault(line, line->p, "there is no metric '%.*s'", (int)n_word, line->p);
	else
		line_lacks(line, "a metric");
	for (size_t i = 0; metrics[i]; i++)
		similar_offer(&similar, metrics[i]->name);
	return n_word && similar_text(&similar, text) ? line_advise(line, "%s", text)
						      : line_advise(line, "it is one of %s", similar.all);
}

static bool rule_parse(struct line *line, struct rule *rule)
{
	if (!metric_parse(line, rule))
		return false;
	if (rule->metric->has_sql) {
		line_blanks(line);
		if (*line->p != '"')
			return line_lacks(line, "the question in quotes");
		rule->line_start = line->start;
		rule->sql_at = line->p + 1;
		return line_quoted(line, &rule->sql);
	}
	if (!selectors_parse(line, rule) || !range_parse(line, rule))
		return false;
	return line_ends(line) || strncmp(line->p, "per", 3) != 0 || line_word(line->p) != 3 ||
	       per_parse(line, rule);
}

static struct rule *rule_add(struct rules *rules)
{
	struct rule *all = array_room(rules->all, rules->n, &rules->room, sizeof(*all));

	if (!all)
		return NULL;
	rules->all = all;
	all[rules->n] = (struct rule){ 0 };
	return &all[rules->n];
}

static bool line_parse(struct line *line)
{
	struct rule *rule;
	const char *colon, *start;

	if (line_ends(line))
		return true;
	if (line->rules->n == RULES_MAX)
		return line->number && line_fault(line, line->p, "there are more than %d rules", RULES_MAX);
	rule = rule_add(line->rules);
	if (!rule)
		return !(line->has_no_memory = true);
	start = line->p;
	colon = title_end(start);
	if (colon == start)
		return line_fault(line, start, "the title in front of the colon is missing");
	if (colon) {
		rule->title = line_copy(line, start, colon);
		line->last = line->p = colon + 1;
		line_blanks(line);
	}
	rule->line = line->number;
	rule->column = line_column(line, line->p);
	start = line->p;
	if (!rule_parse(line, rule))
		return false;
	rule->text = line_copy(line, start, line->last);
	if (!rule->title)
		rule->title = rule->text;
	if (!line_ends(line)) {
		line_fault(line, line->p, "the rule has ended; what is this?");
		return line_advise(line, "it is %s; a comment begins with #", rule->metric->usage);
	}
	line->rules->n++;
	return true;
}

static bool bytes_are_text(struct line *line, const char *bytes, size_t n_bytes)
{
	if (n_bytes > RULE_LINE_MAX)
		return line_fault(line, line->start, "the line has more than %d bytes", RULE_LINE_MAX);
	return !memchr(bytes, '\0', n_bytes) ||
	       line_fault(line, line->start, "the line is no text: it has a NUL");
}

bool rules_parse(struct rules *rules, const char *bytes, size_t n_bytes)
{
	struct line line = { .rules = rules };

	if (n_bytes >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
		bytes += 3;
		n_bytes -= 3;
	}
	for (size_t at = 0; at < n_bytes && rules->n_faults < RULE_FAULTS_MAX && !line.has_no_memory;) {
		const char *end = memchr(bytes + at, '\n', n_bytes - at);
		const size_t n_line = end ? (size_t)(end - bytes) - at : n_bytes - at;
		size_t n_text = n_line;
		char *copy;

		if (n_text && bytes[at + n_text - 1] == '\r')
			n_text--;
		line.number++;
		line.start = line.p = line.last = "";
		if (bytes_are_text(&line, bytes + at, n_text)) {
			copy = arena_copy(&rules->arena, bytes + at, n_text);
			if (!copy)
				return false;
			line.start = line.p = line.last = copy;
			line_parse(&line);
		}
		at += n_line + 1;
	}
	return !line.has_no_memory;
}

void rules_done(struct rules *rules)
{
	free(rules->all);
	free(rules->faults);
	arena_done(&rules->arena);
}
