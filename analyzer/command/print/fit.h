/* Private to print/: text that fits the terminal. Without a terminal, lines have any length. */
#ifndef HEDDLE_ANALYZER_COMMAND_PRINT_FIT_H
#define HEDDLE_ANALYZER_COMMAND_PRINT_FIT_H

#include "analyzer/command/print/backend.h"

#define PERCENT_WIDTH 7 /* "100.0 %" */
#define SHARE_WIDTH   (11 + PERCENT_WIDTH)

/* Finds the width of the terminal that the document goes to, and whether it shows styles (NO_COLOR, TERM). */
void print_find_terminal(struct print *print);

void print_blanks(const struct print *print, size_t count);
void print_heading(const struct print *print, const char *title);
/* Prints an escaped text, in lines that break at blanks and begin with `indent` blanks. The cursor is there. */
void print_lines(const struct print *print, const char *text, size_t indent);

/*
 * Prints the rows of a table that is not flowing. If it is too wide, titles and texts fold. Then columns with
 * PRINT_OMIT_FIRST are omitted, then the times of shares, then the last columns. A line names omitted columns. False:
 * no memory.
 */
bool print_fitted(const struct print *print);

#endif
