#include "analyzer/command/print/escape.h"
#include "analyzer/exchange/export/formats.h"
#include "analyzer/exchange/export/items.h"
#include "analyzer/exchange/export/sink.h"
#include "analyzer/exchange/export/slices.h"

#include <stdlib.h>
#include <string.h>

/* Numbers in Perfetto's messages; tests/end-to-end/perfetto.proto documents them. */

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
enum { ANNOTATION_NAME = 1, ANNOTATION_UINT = 3, ANNOTATION_INT = 4, ANNOTATION_DOUBLE = 5, ANNOTATION_STRING = 6 };

/* Values. */
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };
enum { FLAG_CLEARED = 1, FLAG_NEEDED = 2 };
enum { BOOTTIME = 6, SEQUENCE_CLOCK = 64 }; /* clocks: the trace's own time, from 0, and the clock of a sequence */
enum { EXTRA_MOST = 8 };                    /* counters that an event may have; readers take no more */

/*
 * Perfetto's trace: a sequence of packets in Protocol Buffers; tests/end-to-end/perfetto.proto has the fields in use. A
 * thread is a sequence of packets of its own. Its first packet declares the sequence's clock, which counts on from
 * packet to packet, and the track of its events. Names are interned where a packet needs them first, so that an event
 * has only small numbers. Counters are written with the events that change them, if there is one: that takes a third of
 * the bytes of packets of their own.
 */

/* Interned numbers, of each sequence the same. Names: the names of arrows, then a region's names. */
enum {
  ANNOTATION_FIRST_ITERATION = 1,
  ANNOTATION_ITERATIONS = 2,
  ANNOTATION_ATTRIBUTE = 3
}; /* then one an attribute */
enum { NAME_ARROW = 1, NAME_REGION = NAME_ARROW + EXPORT_EDGE_KINDS, CATEGORY_REGION = 1 };

/* The sequence of packets that describes processes and counters, and has no events; threads' have the next numbers. */
enum { TRACE_SEQUENCE = 1, THREAD_SEQUENCE = TRACE_SEQUENCE + 1 };

struct sequence {
  uint64_t now;   /* ns: of the last packet by the sequence's clock */
  uint8_t *known; /* a bit a region, then one an attribute, then one a state: it is interned */
};

struct perfetto {
  const struct trace *trace;
  struct sink sink;
  struct slices *slices;
  struct protobuf packet;
  size_t begin;               /* of the packet's message */
  struct sequence *sequences; /* a location */
  struct values_waiting values;
  uint32_t *counters;      /* a process, and one for threads that have none; a bit a state: its track is described */
  uint8_t *in_state;       /* a location: its state is open on its track of states */
  unsigned category_arrow; /* numbers behind the regions' numbers */
  unsigned states;         /* states_listed() */
  bool failed;             /* out of memory */
};

/* Tracks: counters, which are named most, have the smallest numbers. */
static uint64_t counter_track(const struct perfetto *perfetto, uint32_t process, enum state state)
{
  return 1 + (uint64_t)process * perfetto->states + state;
}

static uint64_t process_track(const struct perfetto *perfetto, uint32_t process)
{
  return counter_track(perfetto, perfetto->trace->process_count + 1, 0) + process;
}

static uint64_t thread_track(const struct perfetto *perfetto, uint32_t location)
{
  return process_track(perfetto, perfetto->trace->process_count + 1) + location;
}

/* Below the thread's own track. */
static uint64_t state_track(const struct perfetto *perfetto, uint32_t location)
{
  return thread_track(perfetto, perfetto->trace->location_count) + location;
}

static void begin_packet(struct perfetto *perfetto, uint64_t sequence)
{
  perfetto->begin = protobuf_open(&perfetto->packet, TRACE_PACKET);
  protobuf_number(&perfetto->packet, PACKET_SEQUENCE, sequence);
}

static void end_packet(struct perfetto *perfetto)
{
  struct protobuf *packet = &perfetto->packet;
  protobuf_close(packet, perfetto->begin);
  if (packet->failed)
    perfetto->failed = true;
  else
    sink_bytes(&perfetto->sink, (const char *)packet->bytes.items, packet->bytes.count);
  packet->bytes.count = 0;
}

static uint64_t sequence_of(uint32_t location)
{
  return (uint64_t)location + THREAD_SEQUENCE;
}

static void perfetto_put_text(struct perfetto *perfetto, unsigned field, const char *text)
{
  char *valid = escape_invalid(text);
  if (valid)
    protobuf_string(&perfetto->packet, field, valid);
  else
    perfetto->failed = true;
  free(valid);
}

static void put_entry(struct perfetto *perfetto, unsigned field, uint64_t iid, const char *name)
{
  size_t entry = protobuf_open(&perfetto->packet, field);
  protobuf_number(&perfetto->packet, ENTRY_IID, iid);
  perfetto_put_text(perfetto, ENTRY_NAME, name);
  protobuf_close(&perfetto->packet, entry);
}

/* The program's events have nothing but their attributes. */
static bool has_source(const struct trace_region *region)
{
  return (*region->function || *region->file) && !trace_region_is_user_event(region);
}

static void put_source(struct perfetto *perfetto, uint64_t iid, const struct trace_region *region)
{
  size_t source = protobuf_open(&perfetto->packet, INTERNED_SOURCE);
  protobuf_number(&perfetto->packet, ENTRY_IID, iid);
  if (*region->file)
    perfetto_put_text(perfetto, SOURCE_FILE, region->file);
  if (*region->function)
    perfetto_put_text(perfetto, SOURCE_FUNCTION, region->function);
  if (*region->file)
    protobuf_number(&perfetto->packet, SOURCE_LINE, region->line);
  protobuf_close(&perfetto->packet, source);
}

/* Returns whether a sequence had interned the name, and marks it as interned. */
static bool is_known(const struct perfetto *perfetto, uint32_t location, size_t number)
{
  uint8_t *known = &perfetto->sequences[location].known[number / 8], bit = (uint8_t)(1U << number % 8);
  bool was = *known & bit;
  *known |= bit;
  return was;
}

/* Interns the new names of the waiting attributes. */
static void intern_attributes(struct perfetto *perfetto, uint32_t location)
{
  const struct trace *trace = perfetto->trace;
  for (size_t i = 0; i < perfetto->values.lists[location].count; i++) {
    uint32_t attribute = perfetto->values.lists[location].items[i].attribute;
    if (is_known(perfetto, location, (size_t)trace->region_count + attribute))
      continue;
    size_t interned = protobuf_open(&perfetto->packet, PACKET_INTERNED);
    put_entry(perfetto, INTERNED_ANNOTATION, ANNOTATION_ATTRIBUTE + (uint64_t)attribute,
              trace->attributes[attribute].name);
    protobuf_close(&perfetto->packet, interned);
  }
}

/* Interns the names of a packet, which the first packet of its sequence that needs them does. */
static void intern_region(struct perfetto *perfetto, uint32_t location, uint32_t region)
{
  if (is_known(perfetto, location, region))
    return;
  size_t interned = protobuf_open(&perfetto->packet, PACKET_INTERNED);
  put_entry(perfetto, INTERNED_NAME, NAME_REGION + (uint64_t)region, perfetto->trace->regions[region].name);
  if (has_source(&perfetto->trace->regions[region]))
    put_source(perfetto, 1 + (uint64_t)region, &perfetto->trace->regions[region]);
  protobuf_close(&perfetto->packet, interned);
}

static uint64_t name_of_state(const struct perfetto *perfetto, unsigned state)
{
  return NAME_REGION + (uint64_t)perfetto->trace->region_count + state;
}

/* Interns the name of a state likewise. */
static void intern_state(struct perfetto *perfetto, uint32_t location, unsigned state)
{
  if (is_known(perfetto, location, (size_t)perfetto->trace->region_count + perfetto->trace->attribute_count + state))
    return;
  size_t interned = protobuf_open(&perfetto->packet, PACKET_INTERNED);
  put_entry(perfetto, INTERNED_NAME, name_of_state(perfetto, state), state_name((enum state)state));
  protobuf_close(&perfetto->packet, interned);
}

/* Begins a packet with a time. Late packets, such as arrows, use the trace's clock. */
static void begin_timed(struct perfetto *perfetto, uint32_t location, uint64_t ns)
{
  struct sequence *sequence = &perfetto->sequences[location];
  begin_packet(perfetto, sequence_of(location));
  protobuf_number(&perfetto->packet, PACKET_FLAGS, FLAG_NEEDED);
  if (ns >= sequence->now) {
    protobuf_number(&perfetto->packet, PACKET_TIMESTAMP, ns - sequence->now);
    sequence->now = ns;
    return;
  }
  protobuf_number(&perfetto->packet, PACKET_TIMESTAMP, ns);
  protobuf_number(&perfetto->packet, PACKET_CLOCK, BOOTTIME);
}

static size_t begin_event(struct perfetto *perfetto, unsigned type)
{
  size_t event = protobuf_open(&perfetto->packet, PACKET_EVENT);
  protobuf_number(&perfetto->packet, EVENT_TYPE, type);
  return event;
}

static void end_event(struct perfetto *perfetto, size_t event)
{
  protobuf_close(&perfetto->packet, event);
  end_packet(perfetto);
}

/* In a packet of its own, before the first packet that has a value of the counter. */
static void describe_counter(struct perfetto *perfetto, const struct slices_change *change)
{
  char name[64];
  perfetto->counters[change->process] |= UINT32_C(1) << change->state;
  snprintf(name, sizeof name, "threads in %s", state_name(change->state));
  begin_packet(perfetto, TRACE_SEQUENCE);
  size_t track = protobuf_open(&perfetto->packet, PACKET_TRACK);
  protobuf_number(&perfetto->packet, TRACK_UUID, counter_track(perfetto, change->process, change->state));
  protobuf_number(&perfetto->packet, TRACK_PARENT, process_track(perfetto, change->process));
  perfetto_put_text(perfetto, TRACK_NAME, name);
  protobuf_close(&perfetto->packet, protobuf_open(&perfetto->packet, TRACK_COUNTER));
  protobuf_close(&perfetto->packet, track);
  end_packet(perfetto);
}

/* Takes the changed counters of a thread's process, up to the limit of an event. */
static unsigned take_changes(struct perfetto *perfetto, uint32_t location, struct slices_change changes[EXTRA_MOST])
{
  uint32_t process = process_of(perfetto->trace, location);
  unsigned count = 0;
  while (count < EXTRA_MOST && slices_take_change(perfetto->slices, process, &changes[count])) {
    if (!(perfetto->counters[process] >> changes[count].state & 1))
      describe_counter(perfetto, &changes[count]);
    count++;
  }
  return count;
}

static void put_changes(struct perfetto *perfetto, const struct slices_change *changes, unsigned count)
{
  for (unsigned i = 0; i < count; i++) {
    protobuf_number(&perfetto->packet, EVENT_EXTRA_TRACK,
                    counter_track(perfetto, changes[i].process, changes[i].state));
    protobuf_number(&perfetto->packet, EVENT_EXTRA_VALUE, changes[i].threads);
  }
}

/* The end of an arrow is an instant unless it is at the begin of a slice. */
static void perfetto_put_flow_end(struct perfetto *perfetto, uint32_t location, uint64_t ns, unsigned field,
                                  const struct slices_flow *flow)
{
  begin_timed(perfetto, location, ns);
  size_t event = begin_event(perfetto, INSTANT);
  protobuf_number(&perfetto->packet, EVENT_CATEGORY, perfetto->category_arrow);
  protobuf_number(&perfetto->packet, EVENT_NAME, NAME_ARROW + (uint64_t)flow->kind);
  protobuf_fixed64(&perfetto->packet, field, flow->number);
  end_event(perfetto, event);
}

static void perfetto_put_flow(void *context, uint32_t location, const struct slices_flow *flow)
{
  perfetto_put_flow_end(context, flow->from, flow->begin, EVENT_FLOW, flow);
  perfetto_put_flow_end(context, location, flow->end, EVENT_LAST_FLOW, flow);
}

static void put_annotation(struct perfetto *perfetto, unsigned name, int64_t value)
{
  size_t annotation = protobuf_open(&perfetto->packet, EVENT_ANNOTATION);
  protobuf_number(&perfetto->packet, ANNOTATION_NAME, name);
  protobuf_number(&perfetto->packet, ANNOTATION_INT, (uint64_t)value);
  protobuf_close(&perfetto->packet, annotation);
}

static bool perfetto_take_value(void *context, uint32_t location, const struct trace_value *value)
{
  struct perfetto *perfetto = context;
  return vector_push(&perfetto->values.lists[location], *value);
}

static void perfetto_put_values(struct perfetto *perfetto, uint32_t location)
{
  struct protobuf *packet = &perfetto->packet;
  for (size_t i = 0; i < perfetto->values.lists[location].count; i++) {
    const struct trace_value *value = &perfetto->values.lists[location].items[i];
    uint64_t bits;
    size_t annotation = protobuf_open(packet, EVENT_ANNOTATION);
    protobuf_number(packet, ANNOTATION_NAME, ANNOTATION_ATTRIBUTE + (uint64_t)value->attribute);
    memcpy(&bits, &value->real, sizeof bits);
    if (value->type == TRACE_REAL)
      protobuf_fixed64(packet, ANNOTATION_DOUBLE, bits);
    else if (value->type == TRACE_TEXT)
      protobuf_string(packet, ANNOTATION_STRING, value->text);
    else
      protobuf_number(packet, value->type == TRACE_INTEGER ? ANNOTATION_INT : ANNOTATION_UINT, value->natural);
    protobuf_close(packet, annotation);
  }
  perfetto->values.lists[location].count = 0;
}

static void perfetto_put_begin(void *context, uint32_t location, const struct item *item, uint64_t ns,
                               const struct slices_flow *flow)
{
  struct perfetto *perfetto = context;
  struct protobuf *packet = &perfetto->packet;
  const struct trace_region *region = &perfetto->trace->regions[item->index];
  struct slices_change changes[EXTRA_MOST];
  unsigned count = take_changes(perfetto, location, changes);
  if (flow)
    perfetto_put_flow_end(perfetto, flow->from, flow->begin, EVENT_FLOW, flow);
  begin_timed(perfetto, location, ns);
  intern_region(perfetto, location, item->index);
  intern_attributes(perfetto, location);
  size_t event = begin_event(perfetto, SLICE_BEGIN);
  protobuf_number(packet, EVENT_CATEGORY, CATEGORY_REGION + slices_category_of(region));
  protobuf_number(packet, EVENT_NAME, NAME_REGION + (uint64_t)item->index);
  if (has_source(region))
    protobuf_number(packet, EVENT_SOURCE, 1 + (uint64_t)item->index);
  if (item->rule == RULE_CHUNK && item->iterations != UINT32_MAX) {
    put_annotation(perfetto, ANNOTATION_FIRST_ITERATION, item->first_iteration);
    put_annotation(perfetto, ANNOTATION_ITERATIONS, item->iterations);
  }
  perfetto_put_values(perfetto, location);
  put_changes(perfetto, changes, count);
  if (flow)
    protobuf_fixed64(packet, EVENT_LAST_FLOW, flow->number);
  end_event(perfetto, event);
}

static void perfetto_put_end(void *context, uint32_t location, uint64_t ns)
{
  struct perfetto *perfetto = context;
  struct slices_change changes[EXTRA_MOST];
  unsigned count = take_changes(perfetto, location, changes);
  begin_timed(perfetto, location, ns);
  size_t event = begin_event(perfetto, SLICE_END);
  put_changes(perfetto, changes, count);
  end_event(perfetto, event);
}

/* The state before ends where the next one begins. */
static void perfetto_put_state(void *context, uint32_t location, unsigned state, uint64_t ns)
{
  struct perfetto *perfetto = context;
  for (unsigned begins = !perfetto->in_state[location]; begins < 1U + (state < STATES); begins++) {
    begin_timed(perfetto, location, ns);
    if (begins)
      intern_state(perfetto, location, state);
    size_t event = begin_event(perfetto, begins ? SLICE_BEGIN : SLICE_END);
    protobuf_number(&perfetto->packet, EVENT_TRACK, state_track(perfetto, location));
    if (begins) {
      protobuf_number(&perfetto->packet, EVENT_CATEGORY, perfetto->category_arrow + 1);
      protobuf_number(&perfetto->packet, EVENT_NAME, name_of_state(perfetto, state));
    }
    end_event(perfetto, event);
  }
  perfetto->in_state[location] = state < STATES;
}

static void perfetto_put_counter(void *context, uint32_t location, const struct slices_change *change, uint64_t ns)
{
  struct perfetto *perfetto = context;
  if (!(perfetto->counters[change->process] >> change->state & 1))
    describe_counter(perfetto, change);
  begin_timed(perfetto, location, ns);
  size_t event = begin_event(perfetto, COUNTER);
  protobuf_number(&perfetto->packet, EVENT_TRACK, counter_track(perfetto, change->process, change->state));
  protobuf_number(&perfetto->packet, EVENT_COUNTER_VALUE, change->threads);
  end_event(perfetto, event);
}

static void put_process(struct perfetto *perfetto, uint32_t process)
{
  const struct trace *trace = perfetto->trace;
  struct protobuf *packet = &perfetto->packet;
  begin_packet(perfetto, TRACE_SEQUENCE);
  size_t track = protobuf_open(packet, PACKET_TRACK);
  protobuf_number(packet, TRACK_UUID, process_track(perfetto, process));
  size_t descriptor = protobuf_open(packet, TRACK_PROCESS);
  protobuf_number(packet, PROCESS_PID, (uint64_t)process + 1);
  perfetto_put_text(perfetto, PROCESS_NAME, process_name(trace, process));
  protobuf_close(packet, descriptor);
  protobuf_close(packet, track);
  end_packet(perfetto);
}

static void put_thread(struct perfetto *perfetto, uint32_t location)
{
  const struct trace *trace = perfetto->trace;
  struct protobuf *packet = &perfetto->packet;
  begin_packet(perfetto, sequence_of(location));
  size_t track = protobuf_open(packet, PACKET_TRACK);
  protobuf_number(packet, TRACK_UUID, thread_track(perfetto, location));
  protobuf_number(packet, TRACK_PARENT, process_track(perfetto, process_of(trace, location)));
  size_t descriptor = protobuf_open(packet, TRACK_THREAD);
  protobuf_number(packet, THREAD_PID, (uint64_t)process_of(trace, location) + 1);
  protobuf_number(packet, THREAD_TID, (uint64_t)trace->process_count + 2 + location);
  perfetto_put_text(perfetto, THREAD_NAME, trace->locations[location].name);
  protobuf_close(packet, descriptor);
  protobuf_close(packet, track);
  end_packet(perfetto);
  begin_packet(perfetto, sequence_of(location));
  track = protobuf_open(packet, PACKET_TRACK);
  protobuf_number(packet, TRACK_UUID, state_track(perfetto, location));
  protobuf_number(packet, TRACK_PARENT, thread_track(perfetto, location));
  perfetto_put_text(perfetto, TRACK_NAME, "states");
  protobuf_close(packet, track);
  end_packet(perfetto);
}

/* Both clocks are at 0: the sequence's counts from there. */
static void put_clocks(struct protobuf *packet)
{
  size_t snapshot = protobuf_open(packet, PACKET_CLOCK_SNAPSHOT);
  for (int i = 0; i < 2; i++) {
    size_t clock = protobuf_open(packet, SNAPSHOT_CLOCK);
    protobuf_number(packet, CLOCK_ID, i == 0 ? BOOTTIME : SEQUENCE_CLOCK);
    protobuf_number(packet, CLOCK_TIMESTAMP, 0);
    if (i == 1) {
      protobuf_number(packet, CLOCK_INCREMENTAL, true);
      protobuf_number(packet, CLOCK_UNIT_NS, 1);
    }
    protobuf_close(packet, clock);
  }
  protobuf_close(packet, snapshot);
}

/* Common packets of each sequence. */
static void put_interned(struct perfetto *perfetto)
{
  size_t interned = protobuf_open(&perfetto->packet, PACKET_INTERNED);
  for (unsigned i = 0; slices_category(i); i++)
    put_entry(perfetto, INTERNED_CATEGORY, CATEGORY_REGION + i, slices_category(i));
  put_entry(perfetto, INTERNED_CATEGORY, perfetto->category_arrow, "arrow");
  put_entry(perfetto, INTERNED_CATEGORY, perfetto->category_arrow + 1, "state");
  for (unsigned i = 0; i < EXPORT_EDGE_KINDS; i++)
    put_entry(perfetto, INTERNED_NAME, NAME_ARROW + i, edge_kind_name(i));
  put_entry(perfetto, INTERNED_ANNOTATION, ANNOTATION_FIRST_ITERATION, "first iteration");
  put_entry(perfetto, INTERNED_ANNOTATION, ANNOTATION_ITERATIONS, "iterations");
  protobuf_close(&perfetto->packet, interned);
}

/* The first packet of a thread's sequence. */
static void put_sequence(struct perfetto *perfetto, uint32_t location)
{
  struct protobuf *packet = &perfetto->packet;
  begin_packet(perfetto, sequence_of(location));
  protobuf_number(packet, PACKET_FLAGS, FLAG_CLEARED);
  size_t defaults = protobuf_open(packet, PACKET_DEFAULTS);
  protobuf_number(packet, DEFAULTS_CLOCK, SEQUENCE_CLOCK);
  size_t event = protobuf_open(packet, DEFAULTS_EVENT);
  protobuf_number(packet, EVENT_TRACK, thread_track(perfetto, location));
  protobuf_close(packet, event);
  protobuf_close(packet, defaults);
  put_clocks(packet);
  put_interned(perfetto);
  end_packet(perfetto);
}

static bool perfetto_put_head(void *context)
{
  struct perfetto *perfetto = context;
  const struct trace *trace = perfetto->trace;
  for (uint32_t i = 0; i <= trace->process_count; i++)
    if (process_is_shown(trace, i))
      put_process(perfetto, i);
  for (uint32_t i = 0; i < trace->location_count; i++) {
    if (trace->locations[i].excluded)
      continue;
    put_sequence(perfetto, i);
    put_thread(perfetto, i);
  }
  return !perfetto->failed;
}

static bool perfetto_write_all(struct perfetto *perfetto, struct error *error)
{
  static const struct slices_form form = {perfetto_put_head,   perfetto_put_begin, perfetto_put_end,
                                          perfetto_take_value, perfetto_put_state, perfetto_put_flow,
                                          perfetto_put_counter};
  bool good = slices_write(perfetto->slices, &form, perfetto, &perfetto->sink, error);
  if (good && perfetto->failed)
    return error_set(error, "%s: out of memory", perfetto->trace->anchor);
  return good;
}

static bool perfetto_prepare(struct perfetto *perfetto)
{
  const struct trace *trace = perfetto->trace;
  perfetto->sequences = calloc((size_t)trace->location_count + 1, sizeof *perfetto->sequences);
  perfetto->counters = calloc((size_t)trace->process_count + 1, sizeof *perfetto->counters);
  perfetto->in_state = calloc((size_t)trace->location_count + 1, 1);
  if (!perfetto->sequences || !perfetto->counters || !perfetto->in_state || !values_open(&perfetto->values, trace))
    return false;
  size_t names = (size_t)trace->region_count + trace->attribute_count + STATES;
  for (uint32_t i = 0; i < trace->location_count; i++)
    if (!(perfetto->sequences[i].known = calloc(names / 8 + 1, 1)))
      return false;
  while (slices_category(perfetto->category_arrow))
    perfetto->category_arrow++;
  perfetto->category_arrow += CATEGORY_REGION;
  bool listed[STATES];
  states_listed(perfetto->trace, listed);
  for (unsigned i = 0; i < STATES; i++)
    if (listed[i])
      perfetto->states = i + 1; /* some of them may be without use */
  return true;
}

static void perfetto_release(struct perfetto *perfetto)
{
  slices_close(perfetto->slices);
  protobuf_free(&perfetto->packet);
  for (uint32_t i = 0; perfetto->sequences && i < perfetto->trace->location_count; i++)
    free(perfetto->sequences[i].known);
  free(perfetto->sequences);
  values_close(&perfetto->values);
  free(perfetto->counters);
  free(perfetto->in_state);
  free(perfetto);
}

bool export_perfetto(const struct trace *trace, const char *path, struct error *error)
{
  struct perfetto *perfetto = calloc(1, sizeof *perfetto);
  if (!perfetto)
    return error_set(error, "%s: out of memory", trace->anchor);
  perfetto->trace = trace;
  bool good = perfetto_prepare(perfetto) || error_set(error, "%s: out of memory", trace->anchor);
  good = good && (perfetto->slices = slices_open(trace, error));
  if (good && (good = sink_open(&perfetto->sink, path, error)))
    good = sink_close(&perfetto->sink, perfetto_write_all(perfetto, error), error);
  perfetto_release(perfetto);
  return good;
}
