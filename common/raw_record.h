/* A raw trace's records one by one (raw_trace.h): what is packed in a head, and how long a record is. */
#ifndef HEDDLE_COMMON_RAW_RECORD_H
#define HEDDLE_COMMON_RAW_RECORD_H

#include "common/raw_trace.h"

#include <stdint.h>

/* How many words records of a kind have: 0 no such kind, RAW_WORDS_VARY depends on the detail. */
#define RAW_WORDS_VARY 0xff
extern const uint8_t raw_words_of_kind[256];

static inline unsigned raw_kind_of(uint64_t head)
{
  return (unsigned)(head >> 56);
}

static inline unsigned raw_detail_of(uint64_t head)
{
  return (unsigned)(head >> 48) & 0xff;
}

static inline uint64_t raw_value_of(uint64_t head)
{
  return head & RAW_VALUE_MASK;
}

/* An entry of a chunk (raw_trace.h, "Short records"). */
struct raw_entry {
  uint64_t head; /* 0: none */
  uint64_t word; /* word 2; 0: there is none */
};

/* The head that an entry has for a record. */
static inline uint64_t raw_entry_head(uint64_t head)
{
  unsigned kind = raw_kind_of(head);
  unsigned first = kind == RAW_BARRIER_BEGIN ? RAW_SYNC_BEGIN : kind == RAW_BARRIER_END ? RAW_WAIT_END : kind;
  return head ^ raw_head(kind ^ first, 0, 0);
}

/* The words of the record with this head; 0: no record begins so, a window's end among them. */
static inline unsigned raw_record_words(uint64_t head)
{
  unsigned words = raw_words_of_kind[raw_kind_of(head)];
  return words != RAW_WORDS_VARY ? words : 2 + raw_detail_of(head) * RAW_EXTRA;
}

#endif
