/* Text from outside: fields of the lines of a process file, and escapes for bytes that must not be printed. */
#ifndef HEDDLE_OTF2_CONVERT_TEXT_FIELDS_H
#define HEDDLE_OTF2_CONVERT_TEXT_FIELDS_H

#include <stddef.h>
#include <stdint.h>

/* Replaces \xHH by its byte in place, except \x00. */
void field_unescape(char *text);
/* Takes the next word off a line, which is changed. The word ends with a zero; NULL: there is none. */
char *field_next_word(char **rest);
/* Takes the next number off a line; 0: there is none, or it has a sign. */
uint64_t field_next_number(char **rest, int base);

/*
 * Copies text (file names, arguments, thread names) as valid UTF-8 without control characters; other bytes become \xHH.
 * Writes at most size bytes with the zero, and cuts the rest off at a character. Any thread.
 */
void escape_control(const char *from, char *to, size_t size);

#endif
