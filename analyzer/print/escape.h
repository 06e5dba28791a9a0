/* Names from outside, made safe to show: nothing in them moves the cursor, breaks a line or is not UTF-8. */
#ifndef HEDDLE_ANALYZER_PRINT_ESCAPE_H
#define HEDDLE_ANALYZER_PRINT_ESCAPE_H

#include <stddef.h>

/*
 * A copy in which control characters and bytes that are not valid UTF-8 are written \xHH (and \ as \\, so that
 * the original can be told). The caller frees it. NULL: no memory.
 */
char *escape_text(const char *text);

/*
 * A copy that is valid UTF-8: the same text, or, if that is not valid, what escape_text() makes of it. The caller frees
 * it. NULL: no memory.
 */
char *escape_invalid(const char *text);

/*
 * The text as one word of a shell. What escape_text() would not leave as it is becomes $'...' with octal codes, which
 * bash, ksh and zsh know. The caller frees it. NULL: no memory.
 */
char *escape_shell(const char *text);

/*
 * The text as a string of JSON, with its quotes. What escape_invalid() makes of it becomes the string. The caller
 * frees it. NULL: no memory.
 */
char *escape_json(const char *text);

/* How many columns an escaped text takes on a terminal (characters, not bytes). */
size_t escape_width(const char *text);

#endif
