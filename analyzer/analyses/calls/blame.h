/*
 * Blame of code for the waiting of other threads: code is not only its own time, but also the waiting that it causes
 * meanwhile. A wait of a thread is blamed on the work of the waking thread during the wait. Where the waking thread
 * waited itself, the blame goes to the thread that it waited for. A worker without work (IDLE) waits for the thread
 * that forks its next team; after its last one, for the thread that forked that one.
 *
 * Constructs have exact ticks. Their functions share the ticks by the samples that were taken meanwhile. If there are
 * none, all samples of the thread in the construct decide, else all samples of the process.
 *
 * Nothing is lost: all waiting is blamed, or is not for a reason. An ordered subject: memory depends on threads,
 * constructs and contexts (struct history), never on events.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_BLAME_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_BLAME_H

#include "analyzer/analyses/calls/calls.h"
#include "analyzer/analyses/calls/figures.h"
#include "analyzer/trace/samples.h"
#include "base/statistics.h"
#include "base/vector.h"

#include <stddef.h>
#include <stdint.h>

/* What is blamed, and what is not. */

enum calls_unblamed {
  UNBLAMED_UNKNOWN_WAKER, /* the trace does not say who ended the wait */
  UNBLAMED_AMBIGUOUS,     /* two threads could have ended it */
  UNBLAMED_TIMED_OUT,
  UNBLAMED_ITSELF,       /* the thread was the last one to arrive */
  UNBLAMED_NOT_ENDED,    /* it had not ended when the recording did */
  UNBLAMED_WAKING,       /* the wait had ended, and the thread had not gone on yet */
  UNBLAMED_NO_PROCESSOR, /* the other thread had no processor, or was blocked in the kernel */
  UNBLAMED_NOT_MEASURED, /* the other thread was UNMEASURED */
  UNBLAMED_NOT_KNOWN,    /* it is not known what the other thread did */
  UNBLAMED_REASONS
};

struct calls_blame_cell {
  uint32_t context;             /* TRACE_NONE: the construct has no samples */
  uint32_t location, construct; /* that worked meanwhile; construct: TRACE_NONE: none */
  wide_total ticks;
};

struct calls_blame {
  wide_total waiting;             /* ticks of all threads in IDLE, SYNCH and BLOCKED: the sum of all that follows */
  struct calls_blame_cell *cells; /* by location, construct, context */
  size_t cell_count;
  wide_total unblamed[UNBLAMED_REASONS];
};

/* Gives the ticks of constructs to their functions. */

/*
 * `ticks`: keys are location and construct. `samples`: taken meanwhile; keys are location, construct and context. Both
 * are sorted then. Fills in the cells. False: no memory.
 */
bool blamed_cells(const struct trace *trace, struct key_sums *ticks, struct key_sums *samples,
                  const struct calls *calls, uint32_t trigger, struct calls_blame *blame);

/*
 * What one thread did lately: pieces of time in which it worked or waited, and samples of its work.
 * What nobody can ask for any more is forgotten. Beyond `most` pieces or samples, two neighbors become one: a piece is
 * what the longer one was, a sample stands for both. So memory is bounded.
 */

enum { HISTORY_LEAST = 64, HISTORY_MOST = 4096, HISTORY_ALL = 1 << 20 }; /* pieces of a thread, and of all */

enum piece_kind {
  PIECE_WORK,   /* in a construct */
  PIECE_WAIT,   /* for another thread, which is known */
  PIECE_NOTHING /* neither: a reason says why it cannot be blamed */
};

struct history_piece {
  uint64_t begin, end; /* ticks */
  uint8_t kind;        /* enum piece_kind */
  uint8_t reason;      /* NOTHING: enum calls_unblamed */
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

struct blame_options {
  const struct samples *samples;
  uint32_t trigger;          /* the samples of this one count; TRACE_NONE: none */
  const struct calls *calls; /* of an analysis of the same pass that ends before this one */
};

/* Finds blame in a pass in order of time. Options: struct blame_options, which are needed; result: struct calls_blame.
 */
extern const struct analysis blame_analysis;

/* Sums and blame in one pass. False: an error. Free both also then. */
bool calls_find_with_blame(const struct trace *trace, const struct samples *samples, uint32_t trigger,
                           struct pool *pool, struct calls *calls, struct calls_blame *blame, struct error *error);

/* Adds ticks by node of a tree; process, location and construct of the selection count. Node 0 gets what no function
 * has. */
void calls_blame_weigh(const struct trace *trace, const struct calls_blame *blame,
                       const struct calls_selection *selection, const struct calls_tree *tree, wide_total *weights);

/* A phrase for people, as "the waker is unknown"; a key for programs. */
const char *calls_unblamed_reason(enum calls_unblamed reason);
const char *calls_unblamed_key(enum calls_unblamed reason);

#endif
