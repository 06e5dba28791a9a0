/* Takes the words of a line of a process file off its front, one by one. The line is changed. */
#ifndef HEDDLE_OTF2_CONVERT_LINE_WORDS_H
#define HEDDLE_OTF2_CONVERT_LINE_WORDS_H

#include <stdint.h>

/* Undoes \xHH in place, except \x00. */
void line_unescape(char *text);
/* The next word, zero terminated; NULL when there is none. */
char *line_next_word(char **rest);
/* A number and the blanks before it; 0 when there is none, also none with a sign. */
uint64_t line_next_number(char **rest, int base);

#endif
