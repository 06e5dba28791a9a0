/* Private to export/: numbers in Perfetto's messages; tests/end-to-end/perfetto.proto says what they mean. */
#ifndef HEDDLE_ANALYZER_EXPORT_PERFETTO_FIELDS_H
#define HEDDLE_ANALYZER_EXPORT_PERFETTO_FIELDS_H

/* Fields. */
enum { TRACE_PACKET = 1 };
enum {
  PACKET_CLOCK_SNAPSHOT = 6,
  PACKET_TIMESTAMP = 8,
  PACKET_SEQUENCE = 10,
  PACKET_EVENT = 11,
  PACKET_INTERNED = 12,
  PACKET_FLAGS = 13,
  PACKET_CLOCK = 58,
  PACKET_DEFAULTS = 59,
  PACKET_TRACK = 60
};
enum { SNAPSHOT_CLOCK = 1, CLOCK_ID = 1, CLOCK_TIMESTAMP = 2, CLOCK_INCREMENTAL = 3, CLOCK_UNIT_NS = 4 };
enum { DEFAULTS_EVENT = 11, DEFAULTS_CLOCK = 58 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6, THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { INTERNED_CATEGORY = 1, INTERNED_NAME = 2, INTERNED_ANNOTATION = 3, INTERNED_SOURCE = 4 };
enum { ENTRY_IID = 1, ENTRY_NAME = 2, SOURCE_FILE = 2, SOURCE_FUNCTION = 3, SOURCE_LINE = 4 };
enum {
  EVENT_CATEGORY = 3,
  EVENT_ANNOTATION = 4,
  EVENT_TYPE = 9,
  EVENT_NAME = 10,
  EVENT_TRACK = 11,
  EVENT_EXTRA_VALUE = 12,
  EVENT_COUNTER_VALUE = 30,
  EVENT_EXTRA_TRACK = 31,
  EVENT_SOURCE = 34,
  EVENT_FLOW = 47,
  EVENT_LAST_FLOW = 48
};
enum { ANNOTATION_NAME = 1, ANNOTATION_INT = 4 };

/* Values. */
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };
enum { FLAG_CLEARED = 1, FLAG_NEEDED = 2 };
enum { BOOTTIME = 6, SEQUENCE_CLOCK = 64 }; /* clocks: the trace's own time, from 0, and that of a sequence */
enum { EXTRA_MOST = 8 };                    /* counters that an event may have; readers take no more */

#endif
