/* How models are shown: tables and graphs. */
#ifndef HEDDLE_ANALYZER_COMMANDS_MODEL_SHOW_H
#define HEDDLE_ANALYZER_COMMANDS_MODEL_SHOW_H

#include "analyzer/markov/markov.h"
#include "analyzer/print/print.h"

/* The names of all states of a table, by number; freed by model_names_free(). NULL: no memory. */
char **model_names(const struct pes_program *program, const struct pes_states *states);
void model_names_free(char **names, const struct pes_states *states);

struct model_view {
  const struct markov_model *model;
  const struct markov_chain *chain;
  const struct markov_spread *spread; /* NULL: there is none */
  char **names;
  enum print_format format;
};

/* Facts, states, transitions, classes, aggregates, spread. In CSV the matrix comes last. */
void model_show(struct print *print, const struct model_view *view);

/* Which part of the chain long-run figures are of, as a sentence; ends with a full stop. */
void model_describe_classes(const struct model_view *view, char *text, size_t size);

/* What the letters in the states' names stand for, as a sentence, if there are any. */
void model_show_letters(struct print *print, const struct model_view *view);

/* The occupancies of one state. False: no memory. */
bool model_show_occupancy(struct print *print, const struct model_view *view, uint32_t state);

/* Mean first-passage times to a state, or (PES_NONE) between all. False: no memory. */
bool model_show_passage(struct print *print, const struct model_view *view, uint32_t target);

/* The graph in DOT. */
void model_put_dot(FILE *file, const struct model_view *view);

#endif
