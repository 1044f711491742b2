/* SPDX-License-Identifier: MIT */
/*
 * The notes of the reader, which `rastrum info` shows, too: transfers in text mode, kernels that are known to
 * record something else, guesses. The reader finds these facts; here is what to change.
 */
#include <inttypes.h>
#include <string.h>

#include "analysis/doctor/doctor.h"

/* Some words of a note. */
struct known_note {
	const char *words;
	const struct diagnosis *diagnosis; /* NULL if nothing is wrong */
	enum weight weight;
	const char *wrong, *change;
	const char *code; /* or NULL */
};

/* The first row that fits holds. A note without a row is a guess. */
static const struct known_note known_notes[] = {
	{ "an older ThreadX, by its bare priorities", &diagnosis_vendor, WEIGHT_WARNING,
		"The kernel is an older ThreadX: its recorder writes 0 for what an interrupt interrupted, "
		"whatever ran, and no "
		"preemption thresholds.",
		"Use the recorder of ThreadX 6, or ours in its place (embed/threadx).", NULL },
	{ "taken to wrap at 1000000000", &diagnosis_guess, WEIGHT_HINT,
		"The clock's mask in the header is wrong: the clock counts nanoseconds within a second.",
		"Say so, since a dump cannot; or correct the mask in tx_user.h.", "--opt wrap=1000000000" },
	{ "the clock is taken to run down", &diagnosis_guess, WEIGHT_HINT,
		"The header does not tell that the clock counts down; most stamps fall.",
		"Say so, since a dump cannot.", "--opt direction=down" },
	{ "time stamps with one bit that", &diagnosis_guess, WEIGHT_WARNING,
		"Single bits of time stamps are wrong.",
		"Look for a bus or a memory that errs, and for writes without a lock.", NULL },
	{ "no configuration frame was seen", &diagnosis_guess, WEIGHT_WARNING,
		"The target's configuration is not in the recording: widths of fields, the release and the "
		"rate of the clock are "
		"guessed.",
		"Start the reader before the target, or send the configuration again when a reader joins.",
		"RKH_TRC_SEND_CFG(10000);" },
	{ "may have been cut: --clock-hz", &diagnosis_guess, WEIGHT_WARNING,
		"The rate of the clock may be wrong: the target announces it in 16 bits, which are too few "
		"for many clocks.",
		"Give the exact rate to the reader.", "--clock-hz 1000000" },
	{ "the log has no end", &diagnosis_guess, WEIGHT_HINT,
		"The log has no end: its program still runs, or it was killed together with its consumer, or "
		"the rest of the file is "
		"missing.",
		"Read it again when the program has ended, or copy it again; --follow goes on with it.",
		NULL },
	{ "ways, and", &diagnosis_guess, WEIGHT_WARNING,
		"The layout of LiteOS's frames is ambiguous: events may be read wrong.",
		"Say how the kernel was configured.",
		"--opt variant=m --opt ptr=4 --opt core=0 --opt count=0" },
	{ "the clock is later said to have", &diagnosis_guess, WEIGHT_WARNING,
		"The target announces two rates of its clock: times are by the first one.",
		"Do not change the clock while you record, or record each part by itself.", NULL },
	/* Said of damage, of runs, or of nothing that is wrong with the recording. */
	{ "were in the one before and are left out", NULL, WEIGHT_HINT, NULL, NULL, NULL },
	{ "time stamps step back a little", NULL, WEIGHT_HINT, NULL, NULL, NULL },
	{ "began anew at byte", NULL, WEIGHT_HINT, NULL, NULL, NULL },
	{ "another recording begins at byte", NULL, WEIGHT_HINT, NULL, NULL, NULL },
	{ "begins in front of the end of the one before", NULL, WEIGHT_HINT, NULL, NULL, NULL },
	{ "rows were in a dump before", NULL, WEIGHT_HINT, NULL, NULL, NULL },
	{ "libdw.so.1", NULL, WEIGHT_HINT, NULL, NULL, NULL },
	{ "this does nothing here", NULL, WEIGHT_HINT, NULL, NULL, NULL },
};

enum { N_KNOWN_NOTES = sizeof(known_notes) / sizeof(known_notes[0]) };

/* The two notes of trace/text_mode.c. */
static const char *const text_mode_words[] = { "a transfer in text mode had put a CR",
	"has a CR (0d) in front" };

static bool is_of_text_mode(const char *note)
{
	return strstr(note, text_mode_words[0]) || strstr(note, text_mode_words[1]);
}

static const struct known_note *note_find(const char *note)
{
	for (size_t i = 0; i < N_KNOWN_NOTES; i++)
		if (strstr(note, known_notes[i].words))
			return &known_notes[i];
	return NULL;
}

static void look_for_text_mode(struct exam *exam, const struct diagnosis *diagnosis)
{
	const struct rst_metadata *metadata = exam->metadata;

	for (size_t i = 0; i < metadata->n_warnings; i++) {
		const bool is_undone = strstr(metadata->warnings[i], text_mode_words[0]) != NULL;
		struct complaint *complaint;

		if (!is_of_text_mode(metadata->warnings[i]))
			continue;
		complaint = complaint_add(exam, diagnosis, WEIGHT_WARNING);
		phrase_words(&complaint->wrong,
			is_undone ? "The transfer was in text mode: it put a CR in front of each LF."
				  : "The transfer may have been in text mode: each LF has a CR in "
				    "front.");
		phrase_words(&complaint->evidence,
			is_undone ? "Without these CRs the recording is whole; they are taken out again."
				  : "With them the recording is damaged; it is not certain that they "
				    "were put in.");
		advice_put(exam, ADVICE_TEXT_MODE, 0, 0, complaint);
	}
}

/* Each new configuration of a target may give the same note again. */
static bool is_said(const struct exam *exam, const char *wrong)
{
	for (size_t i = 0; i < exam->n_complaints; i++)
		if (strcmp(exam->complaints[i].wrong.text, wrong) == 0)
			return true;
	return false;
}

static void note_put(struct exam *exam, const struct diagnosis *diagnosis, const char *note,
	const struct known_note *known)
{
	struct complaint *complaint = complaint_add(exam, diagnosis, known ? known->weight : WEIGHT_HINT);

	if (known) {
		phrase_words(&complaint->wrong, "%s", known->wrong);
		phrase_words(&complaint->evidence, "The reader notes: %s.", note);
		phrase_words(&complaint->change, "%s", known->change);
		if (known->code)
			phrase_words(&complaint->code, "%s", known->code);
	} else {
		phrase_words(&complaint->wrong, "The reader had to guess, or left something out.");
		phrase_words(&complaint->evidence, "It notes: %s.", note);
		phrase_words(&complaint->change,
			"Look whether that is right; the options of the dialect say otherwise.");
		phrase_words(&complaint->code, "rastrum info --dialects");
	}
}

/* Notes for which the table names another diagnosis are its own. */
static void look_at_notes(struct exam *exam, const struct diagnosis *diagnosis)
{
	const struct rst_metadata *metadata = exam->metadata;

	for (size_t i = 0; i < metadata->n_warnings; i++) {
		const char *note = metadata->warnings[i];
		const struct known_note *known = note_find(note);

		if (!is_of_text_mode(note) && (!known || (known->diagnosis && !is_said(exam, known->wrong))))
			note_put(exam, known ? known->diagnosis : diagnosis, note, known);
	}
}

/*
 * ThreadX's events do not tell which of two libraries made them. Without --opt netx the numbers that they use
 * otherwise are read as those of NetX Duo.
 */
static void look_at_netx(struct exam *exam, const struct diagnosis *diagnosis)
{
	struct complaint *complaint;

	if (strcmp(exam->metadata->dialect, "threadx") != 0 || !exam->n_of_two_netx || exam->has_netx)
		return;
	complaint = complaint_add(exam, diagnosis, WEIGHT_HINT);
	phrase_words(&complaint->wrong, "Events of NetX and NetX Duo have the same numbers: they are read as "
					"NetX Duo's, and NetX before it means "
					"other services by them.");
	phrase_count(&complaint->evidence, exam->n_of_two_netx, "event has", "events have");
	phrase_words(&complaint->evidence, " a number of 384 and 441 to 448.");
	phrase_words(&complaint->change, "Say which of them the target has.");
	phrase_words(&complaint->code, "--opt netx=old    or    --opt netx=duo");
}

const struct diagnosis diagnosis_text_mode = {
	.name = "text_mode",
	.about = "a transfer in text mode put a CR in front of each LF",
	.look = look_for_text_mode,
};

const struct diagnosis diagnosis_vendor = {
	.name = "vendor",
	.about = "old ThreadX, old NetX: kernels whose events say something else",
	.look = look_at_netx,
};

const struct diagnosis diagnosis_guess = {
	.name = "guess",
	.about = "the reader had to guess, as `rastrum info` notes",
	.look = look_at_notes,
};
