/* Private to pes/: a subscriber that hands the changes of all locations, in order of time, to sequences. */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_CHANGES_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_CHANGES_H

#include "analyzer/models/sequences/sequence.h"
#include "analyzer/trace/pass/pass.h"

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
