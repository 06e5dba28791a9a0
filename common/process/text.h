/*
 * Text put together in a buffer of the caller's, without stdio and without an allocation: usable in any thread, after
 * fork and at exit. What does not fit is cut off; `cut` tells.
 */
#ifndef HEDDLE_COMMON_PROCESS_TEXT_H
#define HEDDLE_COMMON_PROCESS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
  char *bytes; /* always ends in a zero */
  size_t size; /* of the buffer */
  size_t used; /* without the zero */
  bool cut;
};

/* A text over a char array. */
#define TEXT_OVER(array) ((struct text){.bytes = (array), .size = sizeof(array), .used = 0, .cut = false})

void text_add(struct text *text, const char *string);
void text_add_bytes(struct text *text, const char *bytes, size_t n);
void text_add_number(struct text *text, uint64_t number);
void text_add_hex(struct text *text, uint64_t number);
/* Control characters and '\' as \xHH, so that a value stays on its line. */
void text_add_escaped(struct text *text, const char *bytes, size_t n);
/* The same for spaces, so that it is one word of a line. */
void text_add_word(struct text *text, const char *bytes, size_t n);

#endif
