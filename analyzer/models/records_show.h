/* The records of a sequence as a table: heddle pes --records, heddle transform --records. */
#ifndef HEDDLE_ANALYZER_MODELS_RECORDS_SHOW_H
#define HEDDLE_ANALYZER_MODELS_RECORDS_SHOW_H

#include "analyzer/command/command.h"
#include "analyzer/command/print/print.h"
#include "analyzer/command/values.h"
#include "analyzer/models/sequences/pes.h"

/* Which records an option asks for, the first one is 1; first 0: none. */
struct records_asked {
  struct number_range range;
};

/* Takes `--records`, `--records=N` or `--records=I-F` into a struct records_asked. */
int records_take(const struct option_given *given, void *into);

/*
 * Prints the records to stdout, a row each: what a state stands for is known once the whole sequence has been read, so
 * it is read twice. Memory grows with distinct states alone. False: an error; without a message if print_close() has
 * printed it.
 */
bool records_show(struct pes_stream *stream, const struct records_asked *asked, enum print_format format,
                  struct error *error);

/*
 * What a state stands for: the values of its components, or the sequences of an aggregate, as far as the stream was
 * read. At most RECORDS_TEXT_MOST bytes, "..." where it is cut. The caller frees it. NULL: out of memory.
 */
enum { RECORDS_TEXT_MOST = 4096 };
char *records_stands_for(const struct pes_stream *stream, uint32_t state);

/* "basic", "filter", "pattern". */
const char *records_kind(enum pes_kind kind);

/* --records, into the member `records` of the command's own options, a struct records_asked. */
#define OPTION_RECORDS(own)                                                                                            \
  {.name = "records",                                                                                                  \
   .argument = "[=I-F]",                                                                                               \
   .help = "print the records, or the I-th to the F-th: entry, duration, state, and what it stands for",               \
   .take = records_take,                                                                                               \
   .at = offsetof(own, records)}

#endif
