/*
 * A sequence as a stream of records. Whoever opens a stream reads it with pes_next() until it delivers nothing, and may
 * then read it again. A transform is a stream that reads another one.
 */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_STREAM_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_STREAM_H

#include "analyzer/models/sequences/states.h"
#include "base/error.h"
#include "base/vector.h"

#include <stddef.h>

enum { PES_BATCH = 4096 };

struct pes_record {
  uint64_t entry; /* ticks; never less than that of the record before */
  uint32_t state;
};

struct pes_end {
  uint64_t time;     /* when the last record's state was over; never less than its entry */
  uint32_t terminal; /* the state that began then; PES_NONE: unknown, as after clipping */
};

/* How a stream works inside. `next` as pes_next(); after the last record it has filled stream->end. */
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
  bool has_all_states;       /* ... already, before it is read */
  struct pes_end end;        /* valid when pes_next() has delivered nothing */
};

/*
 * Delivers up to PES_BATCH next records; *count is 0 at the end alone. `records` has room for PES_BATCH. False: an
 * error; the stream can only be closed then.
 */
bool pes_next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct error *error);

/* Reads what is left, of which only the end and the table of states are wanted. False: an error. */
bool pes_read_through(struct pes_stream *stream, struct error *error);

/* From the beginning again. False: an error. */
bool pes_rewind(struct pes_stream *stream, struct error *error);

/* Closes it and, if it is a transform, all streams below it, with the table of states. NULL is allowed. */
void pes_close(struct pes_stream *stream);

/* Adds a parameter to the run that a stream was opened for, or replaces it. Not for transforms. False: no memory. */
bool pes_set_parameter(struct pes_stream *stream, const char *name, const char *value);

/*
 * Opens a file of any form. "-" is standard input. A file that cannot be read twice (a pipe) is copied to a temporary
 * file first. NULL: an error.
 */
struct pes_stream *pes_open(const char *path, struct error *error);

/*
 * The forms of a file. CSL text is that of the figure in Chitra's thesis (names and codes, <> around vectors) or that
 * of its grammar.
 */
enum pes_form { PES_FIGURE, PES_GRAMMAR, PES_BINARY };

/*
 * Reads the whole stream from its beginning and writes it. "-" is standard output. False: an error, and there is no
 * file.
 */
bool pes_write(struct pes_stream *stream, const char *path, enum pes_form form, struct error *error);

/* A sequence in memory, for tests and simulation. The stream takes over program and states, and copies the records. */
struct pes_stream *pes_from_memory(struct pes_program *program, struct pes_states *states,
                                   const struct pes_record *records, size_t count, struct pes_end end,
                                   struct error *error);

/* How often each state occurs in a sequence, and for how long in all. The terminal state does not count. */

struct pes_state_total {
  uint64_t count, time; /* time in ticks */
};

/* All zeros is an empty one. */
struct pes_state_totals {
  VECTOR(struct pes_state_total) states; /* by number, also of states that do not occur */
  uint64_t records, begin, duration;     /* begin and duration in ticks */
  struct pes_record last;                /* private */
};

/* Reads the whole stream from its beginning. pes_state_totals_free() also after an error. False: an error. */
bool pes_state_totals_read(struct pes_state_totals *totals, struct pes_stream *stream, struct error *error);

/*
 * The same batch by batch, for those who read the stream for something else. Each batch that pes_next() delivered goes
 * to pes_state_totals_add(), the last one, without records, too; then pes_state_totals_end(). False: out of memory.
 */
bool pes_state_totals_add(struct pes_state_totals *totals, const struct pes_stream *stream,
                          const struct pes_record *records, size_t count);
void pes_state_totals_end(struct pes_state_totals *totals, const struct pes_end *end);

/* Before the stream is read again. */
void pes_state_totals_clear(struct pes_state_totals *totals);
void pes_state_totals_free(struct pes_state_totals *totals);

/* How much of the threads' time in a sequence is UNMEASURED. */

/* The ticks that the sequence is in a program state. */
typedef uint64_t pes_ticks_of(const void *context, uint32_t state);

/*
 * As a percentage of the time of all threads that the components are, or count. 0 also if the components are something
 * else, as locks. Aggregates do not count: they do not say what their threads do.
 */
double pes_unmeasured_percent(const struct pes_program *program, const struct pes_states *states,
                              pes_ticks_of *ticks_of, const void *context);

#endif
