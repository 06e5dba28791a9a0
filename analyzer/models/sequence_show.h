/* Output of sequences: facts, states and records, and the explanation of state names. */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCE_SHOW_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCE_SHOW_H

#include "analyzer/command/command.h"
#include "analyzer/command/print/print.h"
#include "analyzer/command/shared_options.h"
#include "analyzer/models/markov/markov.h"
#include "analyzer/models/sequences/pes.h"

/*
 * Letters in the names of program states: R RUN, B SYNCH implicit barrier. Collects the letters of states, each letter
 * once, then makes sentences of them. Aggregates have no letters. `program` and `states` outlive the letters.
 */
struct state_letters;
struct state_letters *state_letters_create(const struct pes_program *program); /* NULL: out of memory */
void state_letters_add(struct state_letters *letters, const struct pes_states *states, uint32_t state);
/*
 * Returns the text, which the caller frees, and frees the letters. NULL: no name needs an explanation, or out of
 * memory.
 */
char *state_letters_end(struct state_letters *letters);

/* Share of the threads' time that was not measured. */

/* Prints a fact if the share is above 0. */
void not_measured_put_fact(struct print *print, double percent);

/* Return the percentage of a sequence, and of the sequences of a model. */
double not_measured_of_totals(const struct pes_stream *stream, const struct pes_state_totals *totals);
double not_measured_of_model(const struct markov_model *model);

/*
 * Prints facts, parameters and the `top` states with the most time of a sequence that has been read to its end. False:
 * out of memory.
 */
bool pes_show(struct print *print, const struct pes_stream *stream, struct pes_state_totals *totals, uint64_t top);

/* Records as a table: heddle pes --records, heddle transform --records. */

/* Requested records, counted from 1; first 0: none. */
struct records_request {
  struct number_range range;
};

/* Takes `--records`, `--records=N` or `--records=I-F` into a struct records_request. */
int records_take(const struct option_given *given, void *into);

/*
 * Prints the records to stdout, a row each. The sequence is read twice, because the meaning of a state is known only
 * after a whole reading. Memory grows only with distinct states. False: an error; without a message if print_close()
 * has printed it.
 */
bool records_show(struct pes_stream *stream, const struct records_request *asked, enum print_format format,
                  struct error *error);

/*
 * Returns the meaning of a state: the values of its components, or the sequences of an aggregate, as far as the stream
 * was read. At most RECORDS_TEXT_MOST bytes, "..." where it is cut. The caller frees it. NULL: out of memory.
 */
enum { RECORDS_TEXT_MOST = 4096 };
char *records_stands_for(const struct pes_stream *stream, uint32_t state);

/* "basic", "filter", "pattern". */
const char *records_kind(enum pes_kind kind);

/* --records, into the member `records` of the command's own options, a struct records_request. */
#define OPTION_RECORDS(own)                                                                                            \
  {.name = "records",                                                                                                  \
   .argument = "[=I-F]",                                                                                               \
   .help = "print the records, or the I-th to the F-th: entry, duration, state, and what it stands for",               \
   .take = records_take,                                                                                               \
   .at = offsetof(own, records)}

#endif
