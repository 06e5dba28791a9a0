/*
 * Private to export/: the states of one location, read by themselves: for those who need no events, and to look ahead
 * where it takes too many events until a state ends. It decodes the location once more, at most.
 */
#ifndef HEDDLE_ANALYZER_EXPORT_STATE_READER_H
#define HEDDLE_ANALYZER_EXPORT_STATE_READER_H

#include "analyzer/export/items.h"

struct state_reader;

/* `rules` are those of machine_rules(); they and `error`, where it reports, also later, outlive it. NULL: an error. */
struct state_reader *state_reader_open(const struct trace *trace, uint32_t location, enum state_kind kind,
                                       const uint8_t *rules, struct error *error);
void state_reader_close(struct state_reader *reader);

/* The next STATE; valid until the next call; NULL at the end, and if *good is false after an error. */
const struct item *state_reader_next(struct state_reader *reader, bool *good);

#endif
