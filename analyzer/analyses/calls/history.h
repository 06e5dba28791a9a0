/*
 * Private to calls/: what one thread did lately: pieces of time in which it worked or waited, and samples of its work.
 * What nobody can ask for any more is forgotten. Beyond `most` pieces or samples, two neighbors become one: a piece is
 * what the longer one was, a sample stands for both. So memory is bounded.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_HISTORY_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_HISTORY_H

#include "analyzer/trace/samples.h"
#include "base/vector.h"

enum { HISTORY_LEAST = 64, HISTORY_MOST = 4096, HISTORY_ALL = 1 << 20 }; /* pieces of a thread, and of all */

enum piece_kind {
  PIECE_WORK,   /* in a construct */
  PIECE_WAIT,   /* for another thread, which is known */
  PIECE_NOTHING /* neither: a reason says why it cannot be blamed */
};

struct history_piece {
  uint64_t begin, end; /* ticks */
  uint8_t kind;        /* enum piece_kind */
  uint8_t reason;      /* NOTHING: enum calls_unblamed (blame_results.h) */
  uint32_t what;       /* WORK: construct, or TRACE_NONE; WAIT: location of the waker */
  uint64_t woken;      /* WAIT: when that thread ended it; later it was no reason */
};

struct history_sample {
  uint64_t time;
  uint32_t context;
  uint32_t weight; /* samples for which it stands */
};

struct history {
  size_t most;                         /* pieces, and samples */
  VECTOR(struct history_piece) pieces; /* in order of time */
  VECTOR(struct history_sample) samples;
};

/* Adds a piece behind the others. `needed`: nobody asks for earlier times; asked for when there is no more room. False:
 * no memory. */
typedef uint64_t history_needed(void *context);
bool history_add(struct history *history, const struct history_piece *piece, history_needed *needed, void *context);
bool history_add_sample(struct history *history, const struct samples_event *sample, history_needed *needed,
                        void *context);
/* The first piece that ends after a time; the first sample that is not before a time. */
size_t history_find(const struct history *history, uint64_t time);
size_t history_find_sample(const struct history *history, uint64_t time);
void history_free(struct history *history);

#endif
