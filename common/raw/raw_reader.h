/*
 * Checked iteration over a raw trace (common/raw/raw_trace.h) of a process that is over, whatever way it ended: chunks
 * of a thread in the order of their sequence numbers out of the logs and the windows, records of a chunk one after the
 * other. Every size and number in the files is doubted: what cannot be true ends the chunk and is counted.
 *
 * Memory: a small constant a thread, plus 64 bytes a chunk. Nothing is mapped; reading
 * goes through a buffer of the caller. Threads: a raw_dir and its logs may be used by several threads at once as long
 * as no two use the same raw_log.
 */
#ifndef HEDDLE_COMMON_RAW_RAW_READER_H
#define HEDDLE_COMMON_RAW_RAW_READER_H

#include "common/raw/raw_record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RAW_WINDOWS UINT32_MAX

/* One chunk of a thread. */
struct raw_chunk {
  uint64_t offset; /* of the records in their file */
  uint64_t used;   /* bytes of records; of a window that was being filled: at most so many */
  uint64_t anchor_ticks;
  uint64_t anchor_ns;
  uint64_t skipped;
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
  uint64_t bytes; /* at most so many bytes of records */
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
 * Opens the directory of one process. 0, or -1 with errno: the directory cannot be read, or memory is short.
 * Files that are no logs or windows are left alone, and so are windows that nobody owns.
 */
int raw_dir_open(struct raw_dir *dir, int at, const char *name);
/* The same of a process that goes on: all that is read from now on is what its threads had recorded by now. It needs
 * memory for what is in the windows. */
int raw_dir_open_still(struct raw_dir *dir, int at, const char *name);
void raw_dir_close(struct raw_dir *dir);

/* The profile of a thread; NULL: it has none. */
struct raw_log *raw_dir_profile(const struct raw_dir *dir, uint32_t thread);

/* Closes the log's file between two uses, where files are short; the next use opens it again. */
void raw_log_rest(struct raw_log *log);

/* Reads up to `size` bytes of a chunk's records, from byte `from` on; fewer where the file ends. -1 with errno. The
 * file stays open (raw_log_rest). */
ssize_t raw_log_read(struct raw_log *log, const struct raw_chunk *chunk, uint64_t from, void *buffer, size_t size);

/* Where among a thread's chunks one is; zero is the start. May be copied. */
struct raw_place {
  uint32_t next;          /* of `chunks` */
  uint32_t last_sequence; /* of the chunk begun last */
};

/* Steps to the next chunk. False: there is none. */
bool raw_log_next(const struct raw_log *log, struct raw_place *place, struct raw_chunk *chunk);

/* Where in a thread's records one is; zero is the start. */
struct raw_mark {
  struct raw_place place;
  struct raw_chunk chunk;
  uint64_t consumed; /* bytes of the chunk */
  bool in_chunk;
  bool second; /* of the two records that the last word before it means, the second comes next */
};

/*
 * Walks the records of a thread. Short ones are returned as the records that they mean. The pointer that raw_iter_next
 * returns is good until the next call. Chunks that are missing between two chunks (or before the first one) appear as a
 * record RAW_GAP with detail RAW_GAP_MISSING, value: how many chunks, word 1: ticks at which the next chunk began, word
 * 2: 0, because the reader does not know when recording stopped.
 */
#define RAW_GAP_MISSING 0

/* What short records build on, besides the entries. */
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
  uint64_t before_ticks; /* don't begin a chunk that began at or after it */
  uint64_t synthetic[3];
  uint64_t repeated[3];    /* what the short record means that was read last; ... */
  uint64_t second[2];      /* ... and the second record that it means, ... */
  bool second_is_next;     /* ... if this is still to come */
  bool second_again;       /* raw_mark.second, of the mark that is read up to */
  uint64_t read_again;     /* bytes of the chunk before the mark, of which the entries are needed */
  uint64_t bad_chunks;     /* ended early because of something impossible */
  int error;               /* errno of a failed read; ends the walk */
  struct raw_built before; /* the short record that was read last */
  struct raw_built is;
  struct raw_entry entries[RAW_ENTRIES]; /* heads and second words of records */
};
#define RAW_ITER_WORDS 16384u

void raw_iter_start(struct raw_iter *iter, struct raw_log *log, const struct raw_mark *mark, uint64_t before_ticks,
                    uint64_t *buffer);
/* Where the walk stands, to be taken up later. */
void raw_iter_stop(const struct raw_iter *iter, struct raw_mark *mark);
const uint64_t *raw_iter_refill(struct raw_iter *iter);
/* NULL: there is no such record in the chunk, which ends here. */
const uint64_t *raw_iter_repeat(struct raw_iter *iter, const uint64_t *record);
/* What a short record means becomes iter->repeated, and perhaps iter->second. False: it means none. */
bool raw_short_means(struct raw_iter *iter, uint64_t word);

/* A record of a kind that has short ones: those that follow may mean it. */
static inline void raw_iter_note(struct raw_iter *iter, const uint64_t *record)
{
  uint64_t head = record[0], word = raw_record_words(head) > 2 ? record[2] : 0;
  iter->entries[raw_entry_number(head, word)] = (struct raw_entry){raw_entry_head(head), word};
  iter->is.base = record[1];
  if (raw_kind_of(head) == RAW_MUTEX_ACQUIRE || raw_kind_of(head) == RAW_MUTEX_ACQUIRED)
    iter->is.lock = raw_lock_of(head);
}

/* The record that the words of the chunk at hand mean. NULL: they mean none, and the chunk ends here. */
static inline const uint64_t *raw_iter_meant(struct raw_iter *iter, const uint64_t *record)
{
  unsigned kind = raw_kind_of(*record);
  if (kind >= RAW_SHORT)
    return raw_iter_repeat(iter, record);
  if (raw_has_short(kind))
    raw_iter_note(iter, record);
  return record;
}

/* The next record, or NULL at the end (or at before_ticks). */
static inline const uint64_t *raw_iter_next(struct raw_iter *iter)
{
  const uint64_t *record = iter->at;
  if (record < iter->end && !iter->second_is_next) {
    unsigned words = raw_record_words(*record);
    if (words != 0 && words <= (size_t)(iter->end - record)) {
      iter->at = record + words;
      record = raw_iter_meant(iter, record);
      if (record != NULL)
        return record;
    }
  }
  return raw_iter_refill(iter);
}

/* Whether the record that raw_iter_next returned last counts in its thread's profile alone. */
static inline bool raw_iter_is_summed(const struct raw_iter *iter, const uint64_t *record)
{
  return (iter->mark.chunk.lost_after & RAW_UNTRACED) != 0 && record != iter->synthetic && !raw_is_of_life(record[0]) &&
         iter->mark.consumed - (uint64_t)(iter->end - iter->at) * 8 > iter->mark.chunk.traced;
}

/* Gives the record that raw_iter_next returned last back: it will be returned again. */
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
