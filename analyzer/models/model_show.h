/* Output of models: tables, sentences and graphs. */
#ifndef HEDDLE_ANALYZER_MODELS_MODEL_SHOW_H
#define HEDDLE_ANALYZER_MODELS_MODEL_SHOW_H

#include "analyzer/command/print/print.h"
#include "analyzer/models/markov/markov.h"

/* Returns the names of all states of a table, by number; model_names_free() frees them. NULL: out of memory. */
char **model_names(const struct pes_program *program, const struct pes_states *states);
void model_names_free(char **names, const struct pes_states *states);

struct model_view {
  const struct markov_model *model;
  struct markov_chain *chain;
  const struct markov_spread *spread; /* NULL: there is none */
  char **names;
  enum print_format format;
};

/* Prints facts, states, transitions, classes, aggregates and spread; in CSV the matrix comes last. */
void model_show(struct print *print, const struct model_view *view);

/* Prints the same for a series of several models; tables have a column for the phase. */
void model_show_series(struct print *print, const struct model_view *views, uint32_t count);

/*
 * Solves each model of a series. `views` has room for all of them. False: out of memory. Call model_views_close() in
 * both cases.
 */
bool model_views_open(struct model_view *views, const struct markov_series *series, enum print_format format);
void model_views_close(struct model_view *views, uint32_t count);

/* Prints how the runs compare (model_spread.c): intervals, differences beyond chance, outliers. */
void model_show_spread(struct print *print, const struct model_view *view);

/* Writes a sentence on the part of the chain that the long-run figures describe. It ends with a full stop. */
void model_describe_classes(const struct model_view *view, char *text, size_t size);

/* Prints a sentence that explains the letters in the names of states; nothing if no name has letters. */
void model_show_letters(struct print *print, const struct model_view *view);

/* Prints the occupancies of one state. False: out of memory. */
bool model_show_occupancy(struct print *print, const struct model_view *view, uint32_t state);

/* Prints the mean first-passage times to a state, or with PES_NONE between all states. False: out of memory. */
bool model_show_passage(struct print *print, const struct model_view *view, uint32_t target);

/* Writes the graph in DOT. The caller checks the file for errors. */
void model_put_dot(FILE *file, const struct model_view *view);

#endif
