/* Private to pes/: makes the records of a sequence from changes in order of time. */
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
  struct pes_states *states; /* while components are added, by wider vectors than the program has */
  struct state_vector *vector;
  sequence_sink *sink;
  void *context;
  struct pes_record held; /* the last record: it may be the terminal one */
  uint64_t moment;        /* time of the changes that come now */
  bool holds, in_moment;
  struct pes_end end; /* when it has ended */
};

/* The program of a trace, with the parameters of the run, without components. NULL: no memory. */
struct pes_program *sequence_program(const struct trace *trace);

/* The trace outlives it; options are copied. NULL: no memory. */
struct sequence *sequence_create(const struct trace *trace, const struct pes_trace_options *options,
                                 sequence_sink *sink, void *context);
void sequence_destroy(struct sequence *sequence);

/* Begins again, to make the same records. False: no memory. */
bool sequence_begin(struct sequence *sequence);

/* The next change of a location. False: an error. */
bool sequence_change(struct sequence *sequence, uint32_t location, const struct lane_change *change,
                     struct error *error);

/* After the last change: program, states and end are complete. False: an error. */
bool sequence_end(struct sequence *sequence, struct error *error);

/* Private to pes/: a subscriber that hands the changes of all locations, in order of time, to sequences. */

struct changes {
  struct subscriber subscriber;
  const struct trace *trace;
  enum pes_component_kind kind;                   /* of all sequences */
  struct sequence *sequences[PES_SEQUENCES_MOST]; /* NULL: none, or it had too many states and is destroyed */
  uint32_t states_most;                           /* of each; 0: any number */
  bool wanted;                                    /* there are sequences */
  struct error error;                             /* the reason, if a sequence made the pass fail */
};

/* Without sequences. It must not move during the pass. */
void changes_begin(struct changes *changes, const struct trace *trace, enum pes_component_kind kind,
                   uint32_t states_most);

/* Takes over the sequence. */
void changes_add(struct changes *changes, unsigned index, struct sequence *sequence);

/* After the pass: ends all sequences. False: an error. */
bool changes_end(struct changes *changes, struct error *error);

/* Destroys the sequences that are left. */
void changes_drop(struct changes *changes);

#endif
