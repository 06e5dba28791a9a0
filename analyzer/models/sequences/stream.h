/*
 * Streams of records, and the totals of a stream. A stream is read with pes_next() until it delivers nothing, and can
 * then be rewound. A transform is a stream that reads another one.
 */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_STREAM_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_STREAM_H

#include "analyzer/models/sequences/states.h"
#include "base/error.h"
#include "base/vector.h"

#include <stddef.h>

enum { PES_BATCH = 4096 };

struct pes_record {
  uint64_t entry; /* ticks; never decreases */
  uint32_t state;
};

struct pes_end {
  uint64_t time;     /* end of the last record's state; never before its entry */
  uint32_t terminal; /* state that began then; PES_NONE: unknown, as after clipping */
};

/* Implementation of a stream. `next`: as pes_next(); after the last record it has filled stream->end. */
struct pes_stream;
struct pes_class {
  bool (*next)(struct pes_stream *stream, struct pes_record *records, size_t *count, struct error *error);
  bool (*rewind)(struct pes_stream *stream, struct error *error);
  void (*close)(struct pes_stream *stream);
};

struct pes_stream {
  const struct pes_class *class;
  const struct pes_program *program;
  struct pes_states *states; /* grows while the stream is read; numbers stay the same when it is read again */
  bool has_all_states;       /* the table is complete before the stream is read */
  struct pes_end end;        /* valid when pes_next() has delivered nothing */
};

/*
 * Delivers the next records, up to PES_BATCH; *count is 0 only at the end. `records` has room for PES_BATCH. False: an
 * error; then the stream can only be closed.
 */
bool pes_next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct error *error);

/* Reads the remaining records, to get the end and the complete table of states. False: an error. */
bool pes_read_through(struct pes_stream *stream, struct error *error);

/* Goes back to the beginning. False: an error. */
bool pes_rewind(struct pes_stream *stream, struct error *error);

/* Closes the stream with its table of states; a transform also closes all streams below it. NULL is allowed. */
void pes_close(struct pes_stream *stream);

/* Adds or replaces a parameter of the run of a stream that is no transform. False: out of memory. */
bool pes_set_parameter(struct pes_stream *stream, const char *name, const char *value);

/*
 * Forms of a file. CSL text has the form of the figure in Chitra's thesis (names and codes, <> around vectors) or of
 * its grammar.
 */
enum pes_form { PES_FIGURE, PES_GRAMMAR, PES_BINARY };

/*
 * Makes a sequence in memory, for tests and simulation. The stream takes over program and states, and copies the
 * records. NULL: an error.
 */
struct pes_stream *pes_from_memory(struct pes_program *program, struct pes_states *states,
                                   const struct pes_record *records, size_t count, struct pes_end end,
                                   struct error *error);

/* Totals of a sequence: count and time of each state. The terminal state does not count. */

struct pes_state_total {
  uint64_t count, time; /* time in ticks */
};

/* All zeros: no records. */
struct pes_state_totals {
  VECTOR(struct pes_state_total) states; /* by number, also of states that do not occur */
  uint64_t records, begin, duration;     /* begin and duration in ticks */
  struct pes_record last;                /* private */
};

/* Reads the whole stream from its beginning. False: an error. Call pes_state_totals_free() in both cases. */
bool pes_state_totals_read(struct pes_state_totals *totals, struct pes_stream *stream, struct error *error);

/*
 * The same batch by batch, while the stream is read for another purpose. Each batch of pes_next() goes to
 * pes_state_totals_add(), also the last one without records; then pes_state_totals_end() is called. False: out of
 * memory.
 */
bool pes_state_totals_add(struct pes_state_totals *totals, const struct pes_stream *stream,
                          const struct pes_record *records, size_t count);
void pes_state_totals_end(struct pes_state_totals *totals, const struct pes_end *end);

/* Clears the totals before the stream is read again. */
void pes_state_totals_clear(struct pes_state_totals *totals);
void pes_state_totals_free(struct pes_state_totals *totals);

/* Share of the threads' time in a sequence that was not measured. */

/* Returns the ticks of the sequence in a program state. */
typedef uint64_t pes_ticks_of(const void *context, uint32_t state);

/*
 * Returns the percentage of the time of all threads that the components are or count. 0: also if components are not
 * threads, as of locks. Aggregates do not count, because they do not say what their threads do.
 */
double pes_not_measured_percent(const struct pes_program *program, const struct pes_states *states,
                                pes_ticks_of *ticks_of, const void *context);

#endif
