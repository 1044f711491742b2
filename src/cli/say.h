/* SPDX-License-Identifier: MIT */
/*
 * Sentences to people, on standard error. They may hold names from the command line or from inputs: whatever cannot be shown
 * becomes \xNN, so that no name can move the cursor, colour the screen or pass for a line of its own.
 */
#ifndef CLI_SAY_H
#define CLI_SAY_H

/* "rastrum: ", the sentence, and the end of the line. On a terminal it is broken at blanks, and goes on indented. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A name within a line that is made of pieces. */
void say_name(const char *name);

#endif
