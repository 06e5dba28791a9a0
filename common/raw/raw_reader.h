/*
 * Reader of a raw trace (common/raw/raw_trace.h) of a process that has ended, in whatever way. It yields each thread's
 * chunks from logs and windows, by sequence number, and the records of each chunk. Files may be damaged or hostile: an
 * impossible size or number ends the chunk and is counted.
 *
 * Memory: a small constant per thread, and 64 bytes per chunk. Nothing is mapped; the caller provides the buffer.
 * Threads: several threads may use a raw_dir and its logs at once, if no two use the same raw_log.
 */
#ifndef HEDDLE_COMMON_RAW_RAW_READER_H
#define HEDDLE_COMMON_RAW_RAW_READER_H

#include "common/raw/raw_record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RAW_WINDOWS UINT32_MAX

/* A chunk of a thread. */
struct raw_chunk {
  uint64_t offset; /* of the records in their file */
  uint64_t used;   /* bytes of records; of a window that was being filled: at most so many */
  uint64_t anchor_ticks;
  uint64_t anchor_ns;
  uint64_t not_measured;
  uint32_t lost_after;
  uint32_t traced; /* of a window with RAW_UNTRACED: so many bytes of records are of chosen constructs, and count */
  uint32_t sequence;
  uint32_t file; /* number of the log it is in, or RAW_WINDOWS */
};

/* The chunks of one thread. Opened and owned by its raw_dir. */
struct raw_log {
  const struct raw_dir *dir;
  uint32_t thread;
  int fd; /* -1: none */
  uint32_t open_file;
  struct raw_chunk *chunks; /* by sequence */
  uint32_t chunk_count;
  uint64_t bytes; /* size of the records, at most */
};

struct raw_dir {
  int fd;
  int windows;          /* a copy of the windows; -1: they are read themselves */
  struct raw_log *logs; /* by thread number */
  uint32_t log_count;
  struct raw_log *profiles; /* beside events, by thread number (RAW_PROFILE_OF); behind the logs */
  uint32_t profile_count;
  uint64_t events_lost; /* by threads that had no window: as the head of chunks-0.log counts them */
};

/*
 * Opens the directory of a process. Returns 0, or -1 with errno: the directory cannot be read, or memory is short.
 * Other files than logs and windows are ignored, and windows without an owner, too.
 */
int raw_dir_open(struct raw_dir *dir, int at, const char *name);
/* The same for a running process. The reader sees the records up to now: it copies the windows into memory. */
int raw_dir_open_running(struct raw_dir *dir, int at, const char *name);
void raw_dir_close(struct raw_dir *dir);

/* Returns the profile of a thread; NULL: it has none. */
struct raw_log *raw_dir_profile(const struct raw_dir *dir, uint32_t thread);

/* Closes the log's file between two uses, to save descriptors; the next use opens it again. */
void raw_log_rest(struct raw_log *log);

/* Reads up to `size` bytes of a chunk's records from byte `from` on. Returns their number, which is smaller at the end
 * of the file; -1 with errno. The file stays open (raw_log_rest). */
ssize_t raw_log_read(struct raw_log *log, const struct raw_chunk *chunk, uint64_t from, void *buffer, size_t size);

/* Position among a thread's chunks; zero is the start. May be copied. */
struct raw_place {
  uint32_t next;          /* of `chunks` */
  uint32_t last_sequence; /* of the chunk begun last */
};

/* Moves to the next chunk. False: there is none. */
bool raw_log_next(const struct raw_log *log, struct raw_place *place, struct raw_chunk *chunk);

/* Position among a thread's records; zero is the start. */
struct raw_mark {
  struct raw_place place;
  struct raw_chunk chunk;
  uint64_t consumed; /* bytes of the chunk */
  bool in_chunk;
  bool second; /* the last word before it means two records, and the second comes next */
};

/*
 * Iterator over the records of a thread. Short records are expanded. The pointer that raw_iter_next returns is valid
 * until the next call. Missing chunks (between two chunks, or before the first one) become a record RAW_GAP with detail
 * RAW_GAP_MISSING. Its value is the number of chunks; word 1: ticks at the begin of the next chunk. Word 2 is 0,
 * because the reader does not know when recording stopped.
 */
#define RAW_GAP_MISSING 0

/* State of the expansion of short records, besides the entries. */
struct raw_built {
  uint64_t base;          /* ticks */
  uint64_t lock;          /* raw_lock_of what was acquired last; RAW_NO_LOCK: nothing */
  struct raw_entry entry; /* in `before`: that which the short record moved */
  unsigned place;
};
#define RAW_NO_LOCK (~0ull)

struct raw_iter {
  const uint64_t *at, *end; /* whole words that are in the buffer */
  struct raw_log *log;
  struct raw_mark mark;  /* of `end` */
  uint64_t *buffer;      /* RAW_ITER_WORDS words, the caller's */
  uint64_t before_ticks; /* chunks that began at this time or later are not read */
  uint64_t synthetic[3];
  uint64_t repeated[3];    /* expansion of the last short record */
  uint64_t second[2];      /* second record of that expansion */
  bool second_is_next;     /* raw_iter_next returns `second` next */
  bool second_again;       /* raw_mark.second, of the mark that is read up to */
  uint64_t read_again;     /* bytes of the chunk before the mark, whose entries are needed */
  uint64_t bad_chunks;     /* that ended early, because a value was impossible */
  int error;               /* errno of a failed read; ends the iteration */
  struct raw_built before; /* the short record that was read last */
  struct raw_built is;
  struct raw_entry entries[RAW_ENTRIES]; /* heads and second words of records */
};
#define RAW_ITER_WORDS 16384u

void raw_iter_start(struct raw_iter *iter, struct raw_log *log, const struct raw_mark *mark, uint64_t before_ticks,
                    uint64_t *buffer);
/* Stores the position, for a later raw_iter_start(). */
void raw_iter_stop(const struct raw_iter *iter, struct raw_mark *mark);
const uint64_t *raw_iter_refill(struct raw_iter *iter);
/* Expands a short record. NULL: it is invalid, and the chunk ends here. */
const uint64_t *raw_iter_repeat(struct raw_iter *iter, const uint64_t *record);
/* Expands a short record into iter->repeated, and perhaps iter->second. False: it is invalid. */
bool raw_short_expand(struct raw_iter *iter, uint64_t word);

/* Notes a record that later short records may refer to. */
static inline void raw_iter_note(struct raw_iter *iter, const uint64_t *record)
{
  uint64_t head = record[0], word = raw_record_words(head) > 2 ? record[2] : 0;
  iter->entries[raw_entry_number(head, word)] = (struct raw_entry){raw_entry_head(head), word};
  iter->is.base = record[1];
  if (raw_kind_of(head) == RAW_MUTEX_ACQUIRE || raw_kind_of(head) == RAW_MUTEX_ACQUIRED)
    iter->is.lock = raw_lock_of(head);
}

/* Returns a record of the chunk, expanded if it is short. NULL: it is invalid, and the chunk ends here. */
static inline const uint64_t *raw_iter_expanded(struct raw_iter *iter, const uint64_t *record)
{
  unsigned kind = raw_kind_of(*record);
  if (kind >= RAW_SHORT)
    return raw_iter_repeat(iter, record);
  if (raw_has_short(kind))
    raw_iter_note(iter, record);
  return record;
}

/* Returns the next record; NULL: the end, or before_ticks, is reached. */
static inline const uint64_t *raw_iter_next(struct raw_iter *iter)
{
  const uint64_t *record = iter->at;
  if (record < iter->end && !iter->second_is_next) {
    unsigned words = raw_record_words(*record);
    if (words != 0 && words <= (size_t)(iter->end - record)) {
      iter->at = record + words;
      record = raw_iter_expanded(iter, record);
      if (record != NULL)
        return record;
    }
  }
  return raw_iter_refill(iter);
}

/* True if the record that raw_iter_next returned last counts in its thread's profile only. */
static inline bool raw_iter_is_summed(const struct raw_iter *iter, const uint64_t *record)
{
  return (iter->mark.chunk.lost_after & RAW_UNTRACED) != 0 && record != iter->synthetic && !raw_is_of_life(record[0]) &&
         iter->mark.consumed - (uint64_t)(iter->end - iter->at) * 8 > iter->mark.chunk.traced;
}

/* Steps back: raw_iter_next will return its last record again. */
static inline void raw_iter_back(struct raw_iter *iter, const uint64_t *record)
{
  if (record == iter->second) {
    iter->second_is_next = true;
  } else if (record == iter->repeated) {
    iter->at--;
    iter->second_is_next = false;
    iter->entries[iter->before.place] = iter->before.entry;
    iter->is = iter->before;
  } else if (record != iter->synthetic) {
    iter->at = record;
  }
}

#endif
