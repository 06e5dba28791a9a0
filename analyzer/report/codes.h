/*
 * Codes: small numbers for what a segment of a lane shows, a state in a construct or an open region. Any thread may ask
 * for a code; new ones get the next number.
 */
#ifndef HEDDLE_ANALYZER_REPORT_CODES_H
#define HEDDLE_ANALYZER_REPORT_CODES_H

#include "analyzer/report/mixture.h"
#include "analyzer/trace/states/machine.h"

struct code {
  uint32_t state;  /* TRACE_NONE: a region only */
  uint32_t region; /* TRACE_NONE: outside any */
};

struct codes;

/* NULL: no memory. */
struct codes *codes_create(uint32_t region_count);
void codes_destroy(struct codes *codes);

/* `region` may be TRACE_NONE in codes_of_state(). */
uint32_t codes_of_state(struct codes *codes, enum state state, uint32_t region);
uint32_t codes_of_region(struct codes *codes, uint32_t region);

/* The part of a mixture that a code's time belongs to, without ticks: states without their construct, or a region. */
struct mixture_part codes_mixed(struct codes *codes, uint32_t code);

/* Codes are 0 .. count-1. Only while no thread makes new ones. */
uint32_t codes_count(const struct codes *codes);
struct code codes_get(const struct codes *codes, uint32_t code);

#endif
