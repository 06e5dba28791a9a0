/* Private to points/: the points among one location's events. */
#ifndef HEDDLE_ANALYZER_ANALYSES_EVENTS_READER_H
#define HEDDLE_ANALYZER_ANALYSES_EVENTS_READER_H

#include "analyzer/analyses/events/points.h"
#include "base/vector.h"

/* By region: whether its Enter is a point that is wanted; behind the regions, by kind of event. Free with free(). NULL:
 * no memory. */
bool *points_wanted(const struct trace *trace, const struct point_selection *selection);

struct point_reader {
  const struct trace *trace;
  const struct point_selection *selection;
  const bool *wanted;
  uint32_t location;
  VECTOR(struct trace_value) values; /* of the last point */
};

/* *found: the event is a point that is selected; it is valid until the next call. False: no memory. */
bool point_reader_take(struct point_reader *reader, const struct trace_event *event, struct point *point, bool *found);
/* The type of points that were not recorded, as the event says, and how many; TRACE_NONE: it says nothing, or its type
 * is not selected. What attributes they had is unknown: with relations none is selected. */
uint32_t point_reader_missing(const struct point_reader *reader, const struct trace_event *event, uint64_t *count);
void point_reader_free(struct point_reader *reader);

#endif
