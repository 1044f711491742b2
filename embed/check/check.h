/* SPDX-License-Identifier: MIT */
/*
 * The interface between an encoder's program (embed/check/ENCODER.c) and the check. The same file is built
 * three times: to record under qemu while interrupts fire, to count its instructions under qemu, and to count
 * them on the host. embed/check/ENCODER.py has its row: sources, goals, and how its dump is checked.
 * CHECK_CLOCK_HZ is how often RASTRUM_STAMP counts in a second.
 */
#ifndef EMBED_CHECK_CHECK_H
#define EMBED_CHECK_CHECK_H

#include <stdint.h>

/*
 * A record to be counted. `record` makes it once. `base` does the same without the recorder: it calls one of
 * the functions below with the same arguments, and its cost is subtracted. i counts from 0.
 */
struct check_count {
	const char *name; /* NULL ends the list */
	void (*record)(uint32_t i);
	void (*base)(uint32_t i);
};

extern const struct check_count check_counts[];

/* Makes the recorder ready, everything wanted. Called once, before all others, without interrupts. */
void check_start(void);

/* Step i of a program's life: some records. Interrupts fire all the time. */
void check_step(uint32_t i);

/* Some records from an interrupt, number 15 (SysTick) or 24 (a device, which may interrupt SysTick's). */
void check_interrupt(uint32_t number);

/*
 * Interrupts have ended: gives the dump to check_write(), and reports with check_report() what the check of
 * the dump has to know (how many records were made, how many were lost).
 */
void check_dump(void);

/* Appends to the dump. */
void check_write(const void *bytes, uint32_t n_bytes);

/* Prints a line "name number" for the check of the dump. */
void check_report(const char *name, uint32_t number);

/* Empty functions, never in line, for `base`. */
void check_nothing_0(void);
void check_nothing_1(uint32_t a);
void check_nothing_2(uint32_t a, uint32_t b);
void check_nothing_3(uint32_t a, uint32_t b, uint32_t c);
void check_nothing_4(uint32_t a, uint32_t b, uint32_t c, uint32_t d);
void check_nothing_5(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e);
void check_nothing_6(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f);

#endif
