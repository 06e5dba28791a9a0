/* Program's events, readings of metrics, and intervals of a page, as JSON that README.md describes. */
#ifndef HEDDLE_ANALYZER_REPORT_EVENTS_JSON_H
#define HEDDLE_ANALYZER_REPORT_EVENTS_JSON_H

#include "analyzer/analyses/counters/metric_readings.h"
#include "analyzer/analyses/events/sums.h"
#include "analyzer/analyses/intervals/intervals.h"
#include "analyzer/analyses/intervals/sampled_intervals.h"

#include <string.h>

#define PAGE_TEXT_MOST 200 /* bytes */

/* Copies a text of an event. A long one is cut after a whole character of UTF-8, with "...". */
static inline void page_text(const char *text, char into[PAGE_TEXT_MOST + 1])
{
  size_t size = strnlen(text, PAGE_TEXT_MOST + 1);
  if (size <= PAGE_TEXT_MOST) {
    memcpy(into, text, size + 1);
    return;
  }
  size = PAGE_TEXT_MOST - 3;
  while (size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80)
    size--;
  memcpy(into, text, size);
  memcpy(into + size, "...", 4);
}

/* The program's events. Times are since `start`, ticks of the trace. The caller frees the text. NULL: out of memory. */
char *points_json(const struct trace *trace, const struct points_kept *kept, uint64_t start);

/* Readings of metrics; likewise. */
char *readings_json(const struct trace *trace, const struct metric_readings *readings, uint64_t start);

/* The intervals of a specification. `kept` is sorted; times are since `start`, ticks of the trace. The caller frees the
 * text. NULL: out of memory. */
char *intervals_json(const struct spec *spec, const struct intervals *intervals, const struct intervals_kept *kept,
                     uint64_t start);

#endif
