/* Private to import/: numbers for texts, from 0 in the order in which they come. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_IMPORT_NAMES_H
#define HEDDLE_ANALYZER_EXCHANGE_IMPORT_NAMES_H

#include "base/error.h"
#include "base/hash.h"
#include "base/vector.h"

struct import_name {
  struct hash_link link;
  uint32_t number;
  unsigned kind;
  char text[];
};

struct import_names {
  VECTOR(struct import_name *) items; /* by number */
  struct hash by_text;
};

/* The same text of two kinds has two numbers. Bytes that are not UTF-8 become \xHH. False: it would be one more than
 * `most`, or out of memory. */
bool import_names_number(struct import_names *names, unsigned kind, const char *text, uint32_t most, uint32_t *number,
                         struct error *error);
void import_names_free(struct import_names *names);

#endif
