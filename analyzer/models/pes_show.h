/* What a sequence is: facts, parameters and states, as heddle pes prints them. */
#ifndef HEDDLE_ANALYZER_MODELS_PES_SHOW_H
#define HEDDLE_ANALYZER_MODELS_PES_SHOW_H

#include "analyzer/command/print/print.h"
#include "analyzer/models/sequences/pes.h"

/* After the whole sequence has been read, with its totals: `top` states, those of most time first. False: out of
 * memory. */
bool pes_show(struct print *print, const struct pes_stream *stream, struct pes_state_totals *totals, uint64_t top);

#endif
