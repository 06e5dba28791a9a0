/* Makes names from outside safe to print: the result is UTF-8 and neither moves the cursor nor breaks a line. */
#ifndef HEDDLE_ANALYZER_COMMAND_PRINT_ESCAPE_H
#define HEDDLE_ANALYZER_COMMAND_PRINT_ESCAPE_H

#include <stddef.h>

/*
 * A copy with \xHH for control characters and bytes that are not valid UTF-8, and \\ for \, so the original is
 * unambiguous. The caller frees it. NULL: out of memory.
 */
char *escape_text(const char *text);

/* A copy that is valid UTF-8: the text if it is valid, else escape_text() of it. The caller frees it. NULL: out of
 * memory.
 */
char *escape_invalid(const char *text);

/*
 * The text as one word of a shell: as it is, in '...', or, if escape_text() would change it, in $'...' with octal codes
 * (bash, ksh, zsh). The caller frees it. NULL: out of memory.
 */
char *escape_shell(const char *text);

/* escape_invalid() of the text, as a JSON string with its quotes. The caller frees it. NULL: out of memory. */
char *escape_json(const char *text);

/* The number of columns of an escaped text on a terminal: characters, not bytes. */
size_t escape_width(const char *text);

#endif
