/* How models are shown: tables and graphs. */
#ifndef HEDDLE_ANALYZER_MODELS_MODEL_SHOW_H
#define HEDDLE_ANALYZER_MODELS_MODEL_SHOW_H

#include "analyzer/command/print/print.h"
#include "analyzer/models/markov/markov.h"

/* The names of all states of a table, by number; to be freed with model_names_free(). NULL: out of memory. */
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

/* The same of a series of several models, whose tables have a column for the phase. */
void model_show_series(struct print *print, const struct model_view *views, uint32_t count);

/* Parts of both. A table has a column for the phase if there are several models. */
void model_show_program(struct print *print, const struct markov_model *model, double unmeasured);
void model_show_length(struct print *print, const struct markov_model *model, uint64_t records, uint64_t duration);
void model_show_states(struct print *print, const struct model_view *views, uint32_t count);
void model_show_transitions(struct print *print, const struct model_view *views, uint32_t count);

/* Solves each model of a series. `views` has room for them all; to be freed with model_views_close(). False: out of
 * memory. */
bool model_views_open(struct model_view *views, const struct markov_series *series, enum print_format format);
void model_views_close(struct model_view *views, uint32_t count);

/* Prints how the runs compare: intervals, whether they differ by more than chance, and those that stand out. */
void model_show_spread(struct print *print, const struct model_view *view);

/* Writes a sentence: which part of the chain the figures of the long run describe. It ends with a full stop. */
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
