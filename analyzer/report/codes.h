/*
 * What a segment of a lane shows, as a small number: a state in a construct, or a region that is open. Numbers are
 * given out as they are first needed, by any thread.
 */
#ifndef HEDDLE_ANALYZER_REPORT_CODES_H
#define HEDDLE_ANALYZER_REPORT_CODES_H

#include "analyzer/report/mixture.h"
#include "analyzer/states/states.h"

struct code {
  uint32_t state;  /* TRACE_NONE: the code is a region's alone */
  uint32_t region; /* TRACE_NONE: outside any */
};

struct codes;

/* NULL: no memory. */
struct codes *codes_create(uint32_t region_count);
void codes_destroy(struct codes *codes);

/* `region` may be TRACE_NONE in codes_of_state(). */
uint32_t codes_of_state(struct codes *codes, enum state state, uint32_t region);
uint32_t codes_of_region(struct codes *codes, uint32_t region);

/* What a code's time counts as in a mixture, without ticks: a state whatever its construct, a region as itself. */
struct mixture_part codes_mixed(struct codes *codes, uint32_t code);

/* Codes are 0 .. count-1; asked for when nobody makes new ones. */
uint32_t codes_count(const struct codes *codes);
struct code codes_get(const struct codes *codes, uint32_t code);

#endif
