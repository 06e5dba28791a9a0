/*
 * Private to sequences/. Sequence builder: makes records from changes in order of time. The subscriber below feeds it
 * with the changes of all locations.
 */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_SEQUENCE_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_SEQUENCE_H

#include "analyzer/models/sequences/lane.h"
#include "analyzer/models/sequences/stream.h"
#include "analyzer/trace/pass/pass.h"

/* Takes a record. False: an error, and `error` is filled. */
typedef bool sequence_sink(void *context, const struct pes_record *record, struct error *error);

struct state_vector;

struct sequence {
  const struct trace *trace;
  struct pes_trace_options options;
  struct pes_program *program;
  struct pes_states *states; /* while components are added, vectors are wider than the program's vectors */
  struct state_vector *vector;
  sequence_sink *sink;
  void *context;
  struct pes_record held; /* last record, which may be the terminal one */
  uint64_t moment;        /* time of the present changes */
  bool holds, in_moment;
  struct pes_end end; /* valid after sequence_end() */
};

/* Returns the program of a trace with the parameters of the run, without components. NULL: out of memory. */
struct pes_program *sequence_program(const struct trace *trace);

/* The trace outlives the sequence; options are copied. NULL: out of memory. */
struct sequence *sequence_create(const struct trace *trace, const struct pes_trace_options *options,
                                 sequence_sink *sink, void *context);
/* Begins again to make the same records. False: out of memory. */
bool sequence_begin(struct sequence *sequence);

/* Ends the sequence after the last change: program, states and end are complete. False: an error. */
bool sequence_end(struct sequence *sequence, struct error *error);

/* Subscriber that passes the changes of all locations to sequences, in order of time. */

struct sequence_feed {
  struct subscriber subscriber;
  const struct trace *trace;
  enum pes_component_kind kind;                   /* component of all sequences */
  struct sequence *sequences[PES_SEQUENCES_MOST]; /* NULL: none, or destroyed because it had too many states */
  uint32_t states_most;                           /* limit of each; 0: none */
  bool wanted;                                    /* there are sequences left */
  struct error error;                             /* the reason if a sequence made the pass fail */
};

/* Begins without sequences. The struct must not move during the pass. */
void sequence_feed_begin(struct sequence_feed *changes, const struct trace *trace, enum pes_component_kind kind,
                         uint32_t states_most);

/* Takes over the sequence. */
void sequence_feed_add(struct sequence_feed *changes, unsigned index, struct sequence *sequence);

/* Ends all sequences after the pass. False: an error. */
bool sequence_feed_end(struct sequence_feed *changes, struct error *error);

/* Destroys the remaining sequences. */
void sequence_feed_drop(struct sequence_feed *changes);

#endif
