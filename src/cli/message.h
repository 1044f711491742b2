/* SPDX-License-Identifier: MIT */
/*
 * Sentences to people, on standard error. They may hold names from the command line or from inputs: whatever cannot be shown
 * becomes \xNN, so that no name can move the cursor, colour the screen or pass for a line of its own.
 */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

/* "rastrum: ", the sentence, and the end of the line. On a terminal it is broken at blanks, and goes on indented. */
void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A name within a line that is made of pieces. */
void message_print_name(const char *name);

#endif
