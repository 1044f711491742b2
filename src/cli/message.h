/* SPDX-License-Identifier: MIT */
/*
 * Messages for people, on standard error. They may contain names from the command line or from inputs.
 * Characters that cannot be shown become \xNN, so that no name can move the cursor, colour the screen or look
 * like a line of its own.
 */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

/*
 * "rastrum: ", the sentence, and the end of the line. On a terminal it is broken at blanks, and goes on
 * indented.
 */
void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for a sentence, as a function that jobs and sessions tell their notes and errors to. */
void message_tell(void *context, const char *sentence);

/* A name within a line that is made of pieces. */
void message_print_name(const char *name);

#endif
