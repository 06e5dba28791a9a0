/* Fields and lengths of the records of a raw trace (raw_trace.h). */
#ifndef HEDDLE_COMMON_RAW_RAW_RECORD_H
#define HEDDLE_COMMON_RAW_RAW_RECORD_H

#include "common/raw/raw_trace.h"

#include <stdint.h>

/* Number of words by kind of record; 0: no such kind, RAW_WORDS_VARY: it depends on the detail. */
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

/* True if a record is about the thread's own life. These are kept even if others only count in sums. None is short. */
static inline int raw_is_of_life(uint64_t head)
{
  switch (raw_kind_of(head)) {
  case RAW_THREAD_BEGIN:
  case RAW_THREAD_END:
  case RAW_THREAD_NAME:
  case RAW_THREAD_BOUND:
  case RAW_THREAD_TEXT:
  case RAW_JAVA_THREAD:
    return 1;
  default:
    return 0;
  }
}

/* Entry of a chunk (raw_trace.h, "Short records"), as the recorder keeps it. */
struct raw_entry {
  uint64_t head; /* 0: none. The part that stays; where all stays, without word 2 */
  uint64_t word; /* the part that moves; where all stays, word 2, or 0: there is none */
};

/* Returns the head of the entry for a record without a moving part. */
static inline uint64_t raw_entry_head(uint64_t head)
{
  unsigned kind = raw_kind_of(head);
  unsigned first = kind == RAW_BARRIER_BEGIN ? RAW_SYNC_BEGIN : kind == RAW_BARRIER_END ? RAW_WAIT_END : kind;
  return head ^ raw_head(kind ^ first, 0, 0);
}

/* True if the record has a moving part. word: word 2; 0 if it has none. */
static inline int raw_moves(uint64_t head, uint64_t word)
{
  switch (raw_kind_of(head)) {
  case RAW_PARALLEL_BEGIN:
  case RAW_PARALLEL_END:
  case RAW_WORK_BEGIN:
  case RAW_CHUNK:
  case RAW_TASK_CREATE:
    return 1;
  case RAW_TASK_SWITCH:
    return raw_value_of(head) >= RAW_MOVING_IDS;
  case RAW_IMPLICIT_BEGIN:
    return (word & 0xff000000ff000000ull) == 0;
  case RAW_MUTEX_ACQUIRE:
    return raw_detail_of(head) != RAW_MUTEX_MONITOR;
  default:
    return 0;
  }
}

/* Returns the entry for a record with a moving part. */
static inline struct raw_entry raw_moving_entry(uint64_t head, uint64_t word)
{
  uint64_t value = raw_value_of(head);
  switch (raw_kind_of(head)) {
  case RAW_PARALLEL_BEGIN:
  case RAW_WORK_BEGIN:
  case RAW_TASK_CREATE:
    return (struct raw_entry){head, word};
  case RAW_IMPLICIT_BEGIN:
    return (struct raw_entry){(head ^ value) | (word >> 8 & 0xffffff000000) | (word & 0xffffff), value};
  case RAW_MUTEX_ACQUIRE:
    return (struct raw_entry){(head ^ value) | raw_value_of(word), value};
  default:
    return (struct raw_entry){head ^ value, value};
  }
}

/* The inverse: returns the head of the entry's record. *word becomes word 2, or 0 if it has none. */
static inline uint64_t raw_moving_record(struct raw_entry entry, uint64_t *word)
{
  uint64_t stays = raw_value_of(entry.head), value = raw_value_of(entry.word);
  *word = 0;
  switch (raw_kind_of(entry.head)) {
  case RAW_PARALLEL_BEGIN:
  case RAW_WORK_BEGIN:
  case RAW_TASK_CREATE:
    *word = entry.word;
    return entry.head;
  case RAW_IMPLICIT_BEGIN:
    *word = (stays & 0xffffff000000) << 8 | (stays & 0xffffff);
    break;
  case RAW_MUTEX_ACQUIRE:
    *word = stays;
    break;
  default:
    break;
  }
  return (entry.head ^ stays) | value;
}

/* Returns the number of a record's entry. */
static inline unsigned raw_entry_number(uint64_t head, uint64_t word)
{
  return raw_moves(head, word) ? raw_entry_of(raw_moving_entry(head, word).head, 0)
                               : raw_entry_of(raw_entry_head(head), word);
}

/* Returns the identity of a lock in MUTEX_... records: wait id and detail. */
static inline uint64_t raw_lock_of(uint64_t head)
{
  return head & 0x00ffffffffffffffull;
}

#define RAW_NO_STEP (1u << 16) /* and all above: it is too far */

/* Returns the bits of a step: how the moving part of a kind changes from one value to another. */
static inline uint64_t raw_step(unsigned kind, uint64_t from, uint64_t to)
{
  if (kind == RAW_CHUNK) {
    uint64_t first = (uint32_t)(to >> 16) - (uint32_t)(from >> 16) + 0x400u, n = (to & 0xffff) - (from & 0xffff) + 0x10;
    return first < 0x800 && n < 0x20 ? (first ^ 0x400) << 5 | (n ^ 0x10) : RAW_NO_STEP;
  }
  uint64_t by = to - from;
  if (kind == RAW_MUTEX_ACQUIRE) /* one that is no multiple of 4 becomes too far */
    by = (uint64_t)((int64_t)by >> 2) ^ (by & 3) << 62;
  return by + 0x8000 < 0x10000 ? by & 0xffff : RAW_NO_STEP;
}

/* The inverse: returns `from` after the 16 bits of a step. */
static inline uint64_t raw_stepped(unsigned kind, uint64_t from, uint64_t step)
{
  uint64_t by = (step ^ 0x8000) - 0x8000;
  if (kind == RAW_CHUNK) {
    uint64_t first = (from >> 16) + (uint64_t)((int64_t)by >> 5), n = from + (((step & 0x1f) ^ 0x10) - 0x10);
    return (first & 0xffffffff) << 16 | (n & 0xffff);
  }
  return from + (kind == RAW_MUTEX_ACQUIRE ? by * 4 : by);
}

/* Returns the number of words of the record with this head; 0: no record, for example the end of a window. */
static inline unsigned raw_record_words(uint64_t head)
{
  unsigned words = raw_words_of_kind[raw_kind_of(head)];
  return words != RAW_WORDS_VARY ? words : 2 + raw_detail_of(head) * RAW_EXTRA;
}

#endif
