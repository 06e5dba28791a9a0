/*
 * Text without stdio and without allocation: composed in the caller's buffer, or read from a small file. Safe in any
 * thread, after fork and at exit.
 */
#ifndef HEDDLE_COMMON_PROCESS_TEXT_H
#define HEDDLE_COMMON_PROCESS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Text that does not fit is cut off. */
struct text {
  char *bytes; /* always ends in a zero */
  size_t size; /* of the buffer */
  size_t used; /* without the zero */
  bool cut;
};

/* An empty text in a char array. */
#define TEXT_OVER(array) ((struct text){.bytes = (array), .size = sizeof(array), .used = 0, .cut = false})

void text_add(struct text *text, const char *string);
void text_add_bytes(struct text *text, const char *bytes, size_t n);
void text_add_number(struct text *text, uint64_t number);
void text_add_hex(struct text *text, uint64_t number);
/* Adds bytes; control characters and '\' become \xHH, so a value stays on its line. */
void text_add_escaped(struct text *text, const char *bytes, size_t n);
/* The same; spaces become \x20, so the bytes are one word. */
void text_add_word(struct text *text, const char *bytes, size_t n);

/* Reads at most size - 1 bytes of a file, and adds a zero. Returns their number; -1 with errno. */
ssize_t file_read(const char *path, char *buffer, size_t size);

#endif
