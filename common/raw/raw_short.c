/* Lengths of records, and the expansion of short ones (raw_trace.h, "Short records"). */
#include "common/raw/raw_reader.h"
#include "common/raw/raw_record.h"

const uint8_t raw_words_of_kind[256] = {
#define X(name, number, words) [number] = (words) != 0 ? (words) : RAW_WORDS_VARY,
    RAW_KINDS(X)
#undef X
};

static uint64_t bits_of(uint64_t word, unsigned from, unsigned n)
{
  return word >> from & ((1ull << n) - 1);
}

/* RAW_SHORT: the entry again. */
static bool repeat(struct raw_iter *iter, uint64_t word)
{
  uint64_t head = iter->entries[iter->before.place].head;
  unsigned kind = raw_kind_of(head), both = kind == RAW_SYNC_BEGIN ? RAW_BARRIER_BEGIN : RAW_BARRIER_END;
  if ((word & RAW_SHORT_BOTH) != 0) {
    if (kind != RAW_SYNC_BEGIN && kind != RAW_WAIT_END)
      return false;
    head ^= raw_head(kind ^ both, 0, 0);
  }
  iter->is.base += word & (RAW_SHORT_TICKS - 1);
  iter->repeated[0] = head;
  iter->repeated[2] = iter->before.entry.word;
  return kind != 0;
}

/* RAW_SHORT_MOVED or RAW_SHORT_ACQUIRED; ticks: between the two records. */
static bool move(struct raw_iter *iter, uint64_t word, uint64_t ticks)
{
  struct raw_entry *record = &iter->entries[iter->before.place];
  unsigned kind = raw_kind_of(record->head);
  if (!raw_moves(record->head, record->word) || (word & RAW_SHORT_BOTH) != 0)
    return false;
  struct raw_entry entry = raw_moving_entry(record->head, record->word);
  entry.word = raw_stepped(kind, entry.word, bits_of(word, RAW_MOVED_AT, 16));
  record->head = raw_moving_record(entry, &record->word);
  iter->is.base += ticks;
  iter->repeated[0] = record->head;
  iter->repeated[2] = record->word;
  return true;
}

/* RAW_SHORT_ACQUIRED: two records. */
static bool acquired(struct raw_iter *iter, uint64_t word)
{
  if (raw_kind_of(iter->before.entry.head) != RAW_MUTEX_ACQUIRE || !move(iter, word, bits_of(word, 0, RAW_ACQUIRED_AT)))
    return false;
  iter->repeated[1] = iter->is.base;
  iter->is.base += bits_of(word, RAW_ACQUIRED_AT, RAW_MOVED_AT - RAW_ACQUIRED_AT);
  iter->second[0] = iter->repeated[0] ^ raw_head(RAW_MUTEX_ACQUIRE ^ RAW_MUTEX_ACQUIRED, 0, 0);
  iter->second[1] = iter->is.base;
  iter->second_is_next = true;
  return true;
}

/* RAW_SHORT_LOCK: for the lock that was acquired last. */
static bool lock(struct raw_iter *iter, uint64_t word)
{
  unsigned kind = (word & RAW_SHORT_RELEASED) != 0 ? RAW_MUTEX_RELEASED : RAW_MUTEX_ACQUIRED;
  iter->is.base += word & (RAW_LOCK_TICKS - 1);
  iter->repeated[0] = raw_head(kind, 0, 0) | iter->is.lock;
  return iter->is.lock != RAW_NO_LOCK;
}

static bool expand(struct raw_iter *iter, uint64_t word)
{
  switch (raw_kind_of(word)) {
  case RAW_SHORT:
    return repeat(iter, word);
  case RAW_SHORT_MOVED:
    return move(iter, word, bits_of(word, 0, RAW_MOVED_AT));
  case RAW_SHORT_ACQUIRED:
    return acquired(iter, word);
  case RAW_SHORT_LOCK:
    return lock(iter, word);
  default:
    return false;
  }
}

bool raw_short_expand(struct raw_iter *iter, uint64_t word)
{
  unsigned place = word >> RAW_SHORT_AT & (RAW_ENTRIES - 1);
  iter->before = iter->is;
  iter->before.place = place;
  iter->before.entry = iter->entries[place];
  if (!expand(iter, word))
    return false;
  unsigned kind = raw_kind_of(iter->repeated[0]);
  if (!iter->second_is_next)
    iter->repeated[1] = iter->is.base;
  if (kind == RAW_MUTEX_ACQUIRE || kind == RAW_MUTEX_ACQUIRED)
    iter->is.lock = raw_lock_of(iter->repeated[0]);
  return true;
}
