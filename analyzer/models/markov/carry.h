/*
 * Models of higher order: a sequence whose states carry their history. A state of order k is a pattern aggregate of the
 * last k states, named as "B.D.A", the present one last. In the first records of a run, which have less history, it
 * begins with "^". All else that works with models works with these.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_CARRY_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_CARRY_H

#include "analyzer/models/markov/model.h"

enum { MARKOV_ORDER_MOST = 5, MARKOV_CARRIED_MOST = 20000 }; /* states that a stream adds */

/*
 * Reads the source once. The stream has a table of its own, in which the source's states keep their numbers; the
 * source outlives it. 1 <= order <= MARKOV_ORDER_MOST. NULL: an error.
 */
struct pes_stream *markov_carry(struct pes_stream *source, unsigned order, struct error *error);

/* The present state of a state of such a model. Of a model of first order, and of other states: the state itself. */
uint32_t markov_present_state(const struct markov_model *model, uint32_t state);

/* Which order do sequences have, by Bayes' information criterion? Sums over sequences; all zeros is an empty one. */
struct markov_criterion {
  double log_likelihood[MARKOV_ORDER_MOST]; /* of order 1, 2, ... */
  double parameters[MARKOV_ORDER_MOST]; /* histories times the states that can follow their present state, less one */
  double transitions;
  unsigned most; /* orders up to it are known: others have too many histories; 0: no sequence yet */
};

/* Reads the stream. False: an error. */
bool markov_criterion_add(struct markov_criterion *criterion, struct pes_stream *stream, struct error *error);

/* -2 log likelihood + parameters log transitions; the order where it is least is best. */
double markov_criterion_value(const struct markov_criterion *criterion, unsigned order);
unsigned markov_criterion_best(const struct markov_criterion *criterion);

#endif
