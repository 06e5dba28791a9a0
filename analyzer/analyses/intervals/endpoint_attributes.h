/*
 * Attributes of the events at both ends of an interval, for display: "s.src", "r.seq", with the labels that the
 * specification gives to the events.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_INTERVALS_ENDPOINT_ATTRIBUTES_H
#define HEDDLE_ANALYZER_ANALYSES_INTERVALS_ENDPOINT_ATTRIBUTES_H

#include "analyzer/analyses/intervals/match.h"
#include "analyzer/trace/definitions.h"

#define ENDS_OWN_MOST 64 /* attributes of events that the specification does not declare */

/* One attribute of one end. */
struct end_column {
  char *name;
  uint32_t slot;
  bool of_start;
};

struct end_columns {
  struct end_column *list;
  uint32_t count;
};

/*
 * Requests all attributes of such events, not only the attributes in the conditions of intervals. Declared events have
 * the declared attributes; other events have Heddle's own. After the check, before a finder begins. False: an error.
 */
bool ends_want(struct spec *spec, const struct trace *trace, struct error *error);

/* Which attributes the ends of an interval can have. No two have the same name. False: out of memory; free also then.
 */
bool ends_columns(const struct spec *spec, const struct spec_interval *interval, struct end_columns *columns);
void ends_columns_free(struct end_columns *columns);

/* SPEC_ANY: the event has no such attribute. */
struct spec_value end_value(const struct end_column *column, const struct match_point *start,
                            const struct match_point *end);

#endif
