/* SPDX-License-Identifier: MIT */
#include "cli/completion.h"

#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = {
	[COMPLETION_WORDS] = "words",
	[COMPLETION_LIST] = "list",
	[COMPLETION_PART] = "part",
	[COMPLETION_FILES] = "files",
	[COMPLETION_PROGRAM] = "program",
};

void completion_begin(struct completion *completion, enum completion_kind kind, size_t n)
{
	completion->text += n;
	completion->n_kept += n;
	outbuf_printf(completion->out, "%s %zu\n", kind_names[kind], completion->n_kept);
}

/* A control character would end the candidate or the line: such a name cannot be completed. */
static bool has_control(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == '\177')
			return true;
	return false;
}

void completion_offer(struct completion *completion, const char *name, const char *what)
{
	if (!name[0] || has_control(name) || strncmp(name, completion->text, strlen(completion->text)) != 0)
		return;
	outbuf_puts(completion->out, name);
	if (what && what[0]) {
		outbuf_puts(completion->out, "\t");
		outbuf_clean(completion->out, what);
	}
	outbuf_puts(completion->out, "\n");
}

bool completion_offer_choices(struct completion *completion, const char *choices)
{
	char word[40];

	if (!strchr(choices, '|') || choices[strcspn(choices, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")])
		return false;
	for (size_t n; *choices; choices += n + (choices[n] == '|')) {
		n = strcspn(choices, "|");
		snprintf(word, sizeof(word), "%.*s", (int)n, choices);
		completion_offer(completion, word, NULL);
	}
	return true;
}

void completion_begin_program(struct completion *completion, int index)
{
	outbuf_printf(completion->out, "%s %d\n", kind_names[COMPLETION_PROGRAM], index);
}
