/* Phases of a sequence with their periods, and their tables: for the command `phases` and for reports. */
#ifndef HEDDLE_ANALYZER_MODELS_PHASES_SHOW_H
#define HEDDLE_ANALYZER_MODELS_PHASES_SHOW_H

#include "analyzer/command/print/print.h"
#include "analyzer/models/markov/markov.h"

/* The first two are set by the caller, and outlive it; the others are zero before. */
struct phases_view {
  struct pes_stream *stream;
  const struct markov_change_options *options;
  struct markov_phases *phases;
  char **names;    /* of states */
  double *periods; /* by phase, in records; NAN: none */
};

/* False: an error. phases_view_free() in any case. */
bool phases_view_find(struct phases_view *view, struct error *error);
void phases_view_free(struct phases_view *view);

/* Prints facts, phases, and of each phase the `top` states with most time. False: out of memory. */
bool phases_view_put(struct print *print, const struct phases_view *view, uint64_t top);
/* Prints a sentence that says how many phases there are. */
void phases_view_put_sentence(struct print *print, const struct phases_view *view);

#endif
