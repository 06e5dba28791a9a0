/* Phases of a run: the stretches between its changes, and slices of a sequence. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_PHASES_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_PHASES_H

#include "analyzer/models/markov/changes.h"
#include "analyzer/models/sequences/pes.h"

/*
 * Returns `records` records from number `first` on, counted from 0, as a sequence with the source's program and states.
 * Its end is the entry of the next record; it has no terminal state. The source outlives the slice and stays open. Only
 * one slice of a source is read at a time. NULL: out of memory.
 */
struct pes_stream *markov_slice(struct pes_stream *source, uint64_t first, uint64_t records, struct error *error);

/*
 * Each change (changes.h) is searched again among the records around it. The phase begins where its own counts explain
 * the following records better than the counts of the phase before.
 */

struct markov_phase {
  uint64_t first, records;  /* first: number of its first record, from 0 */
  uint64_t begin, duration; /* ticks: begin is the entry of the first record; the duration lasts to the next phase */
  double *times, *visits;   /* by state: ticks, records */
  double p, difference;     /* of the change at its begin; NAN for the first phase */
};

struct markov_phases {
  struct markov_changes changes;
  struct markov_phase *list;
  uint32_t count, states;
  uint64_t records, duration;
};

/* Reads the stream several times. NULL: an error, as for a model: no records, or decreasing times. */
struct markov_phases *markov_phases_find(struct pes_stream *stream, const struct markov_change_options *options,
                                         struct error *error);
/* Finds only the changes, exact to a block. `run` is the model of the run. False: an error. */
bool markov_phases_changes(struct pes_stream *stream, const struct markov_model *run,
                           const struct markov_change_options *options, struct markov_changes *changes,
                           struct error *error);
void markov_phases_free(struct markov_phases *phases);

/* Default level and tolerance. */
extern const struct markov_change_options markov_change_usual;

#endif
