/* The attributes of an event, one by one, as values; and which regions are events of the program. */
#ifndef HEDDLE_ANALYZER_TRACE_ATTRIBUTES_H
#define HEDDLE_ANALYZER_TRACE_ATTRIBUTES_H

#include "analyzer/trace/stream.h"

enum trace_value_type { TRACE_INTEGER, TRACE_NATURAL, TRACE_REAL, TRACE_TEXT };

struct trace_value {
  uint32_t attribute; /* index in trace->attributes; attributes of one name have one index, whatever their types are */
  enum trace_value_type type;
  union {
    int64_t integer;
    uint64_t natural; /* of unsigned types */
    double real;
    const char *text; /* owned by the trace; of references: the name */
  };
};

/* Attributes of the event, including attributes that have no value here. */
uint32_t trace_value_count(const struct trace_event *event);
/*
 * The value of the event's attribute number `at`, in the order in which they were recorded. False: it has none, because
 * its type or what it refers to is unknown. The attributes of Heddle's own are among them; trace->attributes says
 * which are the program's.
 */
bool trace_value_at(const struct trace *trace, const struct trace_event *event, uint32_t at, struct trace_value *value);

/* As a text that reads back as the same value; integers have no point. A text stays as it is. */
#define TRACE_VALUE_SIZE 32
const char *trace_value_text(const struct trace_value *value, char buffer[TRACE_VALUE_SIZE]);

/* As a number, which large integers only come close to; NAN: a text. */
double trace_value_number(const struct trace_value *value);

/*
 * Whether a region is an event of the program (heddle_event()): an Enter, which has the program's attributes, and a
 * Leave at the same time. The Enter may stand for several events, or for none (trace_omitted_by()).
 */
bool trace_region_is_user_event(const struct trace_region *region);

/* Whether the event is one of the program: the Enter of such a region. */
static inline bool trace_is_user_event(const struct trace *trace, const struct trace_event *event)
{
  return event->kind == TRACE_Enter && event->index != TRACE_NONE &&
         trace_region_is_user_event(&trace->regions[event->index]);
}

#endif
