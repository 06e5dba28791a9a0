/*
 * Texts, stored once each, and numbered from 0 in the order in which they were added. One writer, or many readers.
 */
#ifndef HEDDLE_OTF2_CONVERT_TEXTS_H
#define HEDDLE_OTF2_CONVERT_TEXTS_H

#include "base/hash.h"
#include "base/vector.h"

#include <stdint.h>

struct texts {
  VECTOR(char *) items; /* by number; stay where they are until texts_free */
  struct hash numbers;  /* hash of the text, or the next key that was free -> number */
};
#define TEXTS_NONE UINT32_MAX

/* The number of a text, which is copied if it is new; TEXTS_NONE: out of memory. */
uint32_t texts_number(struct texts *texts, const char *text);
void texts_free(struct texts *texts);

#endif
