/*
 * Private to export/: the states of one location alone: for formats that need no events, and to look ahead where too
 * many events come before a state ends. It decodes the location once more, at most.
 */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_STATE_READER_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_STATE_READER_H

#include "analyzer/exchange/export/items.h"

struct state_reader;

/* `rules` are those of machine_rules(); they and `error`, which later calls fill in, too, outlive it. NULL: an error.
 */
struct state_reader *state_reader_open(const struct trace *trace, uint32_t location, enum state_kind kind,
                                       const uint8_t *rules, struct error *error);
void state_reader_close(struct state_reader *reader);

/* The next STATE; valid until the next call; NULL at the end, and if *good is false after an error. */
const struct item *state_reader_next(struct state_reader *reader, bool *good);

#endif
