/* Consecutive records of a sequence as a sequence of their own. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_PHASES_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_PHASES_H

#include "analyzer/models/markov/changes.h"
#include "analyzer/models/sequences/pes.h"

/*
 * `records` records from number `first` on, counted from 0, with the source's program and states. Its end is the entry
 * of the record behind it; no terminal state is known then. The source outlives it; closing the part leaves it open.
 * Only one of them is read at a time. NULL: no memory.
 */
struct pes_stream *markov_slice(struct pes_stream *source, uint64_t first, uint64_t records, struct error *error);

/*
 * The phases of a run: the stretches between the places where it changes (changes.h). Each place is searched again
 * among the records around it: the one where what follows is more probable with the counts of the phase behind it.
 */

struct markov_phase {
  uint64_t first, records;  /* the number of its first record, from 0 */
  uint64_t begin, duration; /* ticks: the entry of its first record; to the next phase's */
  double *times, *visits;   /* by state: ticks, records */
  double p, difference;     /* of the change that begins it; NAN for the first phase */
};

struct markov_phases {
  struct markov_changes changes;
  struct markov_phase *list;
  uint32_t count, states;
  uint64_t records, duration;
};

/* Reads the stream several times. Errors are as those of a model: no records, times that run backwards. NULL: an
 * error. */
struct markov_phases *markov_phases_find(struct pes_stream *stream, const struct markov_change_options *options,
                                         struct error *error);
/* Only where it changes, to a block, for a run that is known as a model. False: an error. */
bool markov_phases_changes(struct pes_stream *stream, const struct markov_model *run,
                           const struct markov_change_options *options, struct markov_changes *changes,
                           struct error *error);
void markov_phases_free(struct markov_phases *phases);

/* What level and tolerance are if a user names none. */
extern const struct markov_change_options markov_change_usual;

#endif
