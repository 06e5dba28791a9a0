#include "analyzer/export/arrows.h"
#include "analyzer/export/feed.h"
#include "analyzer/export/formats.h"
#include "analyzer/export/sink.h"
#include "analyzer/print/escape.h"

#include <stdlib.h>

/*
 * The "Trace Event Format": one JSON object with an array of events. Kinds of events (`ph`): M names, B and E begin and
 * end a slice, s and f are the ends of a flow, C is a counter. Times (`ts`) are microseconds, with the nanoseconds
 * behind the point. A process' `pid` is its number from 1; `tid`s go on behind them, so that no two are the same.
 */

/* A flow that ends at a thread: it belongs to the slice that begins then, if one does, which comes as the next item. */
struct flow {
  bool there;
  struct export_arrow arrow;
  uint64_t ns;
};

struct counters {
  uint64_t now[STATES], written[STATES];
  bool changed;
};

struct perfetto {
  const struct trace *trace;
  struct sink sink;
  struct feed *feed;
  struct export_arrows *arrows;
  struct clock clock;
  char **slices;             /* a region: what a begin has of it */
  struct flow *flows;        /* a location */
  uint8_t *states;           /* a location; STATES: none */
  struct counters *counters; /* a process, and one for threads that have none */
  uint32_t *changed;         /* those that changed at `now` */
  uint32_t changed_count;
  uint64_t now; /* ns */
  uint64_t flow_count;
  bool something;
};

static uint32_t process_of(const struct trace *trace, uint32_t location)
{
  uint32_t process = trace->locations[location].process;
  return process < trace->process_count ? process : trace->process_count;
}

static const char *category(OTF2_Paradigm paradigm)
{
  switch (paradigm) {
  case OTF2_PARADIGM_OPENMP:
    return "openmp";
  case OTF2_PARADIGM_PTHREAD:
    return "threads";
  case OTF2_PARADIGM_USER:
    return "user";
  case OTF2_PARADIGM_MEASUREMENT_SYSTEM:
    return "measurement";
  default:
    return "region";
  }
}

/* "name":"...","cat":"...","args":{"function":"..." and so on; the brace stays open. */
static char *slice_of(const struct trace_region *region)
{
  char *name = escape_json(region->name), *function = escape_json(region->function);
  char *file = escape_json(region->file), *slice = NULL;
  int length = -1;
  if (name && function && file && *region->file)
    length = asprintf(&slice, "\"name\":%s,\"cat\":\"%s\",\"args\":{\"function\":%s,\"file\":%s,\"line\":%u", name,
                      category(region->paradigm), function, file, region->line);
  else if (name && function)
    length = asprintf(&slice, "\"name\":%s,\"cat\":\"%s\",\"args\":{\"function\":%s", name, category(region->paradigm),
                      function);
  free(name);
  free(function);
  free(file);
  return length < 0 ? NULL : slice;
}

/* Begins an event, up to its `ts`. */
static void put_event(struct perfetto *perfetto, const char *kind, uint32_t location, uint64_t ns)
{
  struct sink *sink = &perfetto->sink;
  sink_text(sink, perfetto->something ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
  perfetto->something = true;
  sink_text(sink, kind);
  sink_text(sink, "\",\"pid\":");
  sink_number(sink, process_of(perfetto->trace, location) + 1);
  sink_text(sink, ",\"tid\":");
  sink_number(sink, (uint64_t)perfetto->trace->process_count + 2 + location);
  sink_text(sink, ",\"ts\":");
  sink_fraction(sink, ns, 3);
}

/* A name of a process or thread, and where it stands among the others. `tid` 0: of the process. */
static bool put_metadata(struct perfetto *perfetto, uint64_t pid, uint64_t tid, const char *name)
{
  struct sink *sink = &perfetto->sink;
  char *literal = escape_json(name);
  if (!literal)
    return false;
  const char *const kinds[2] = {tid ? "thread_name" : "process_name", tid ? "thread_sort_index" : "process_sort_index"};
  for (int i = 0; i < 2; i++) {
    sink_text(sink, perfetto->something ? ",\n{\"ph\":\"M\",\"pid\":" : "\n{\"ph\":\"M\",\"pid\":");
    perfetto->something = true;
    sink_number(sink, pid);
    if (tid) {
      sink_text(sink, ",\"tid\":");
      sink_number(sink, tid);
    }
    sink_text(sink, ",\"name\":\"");
    sink_text(sink, kinds[i]);
    sink_text(sink, i == 0 ? "\",\"args\":{\"name\":" : "\",\"args\":{\"sort_index\":");
    if (i == 0)
      sink_text(sink, literal);
    else
      sink_number(sink, tid ? tid : pid);
    sink_text(sink, "}}");
  }
  free(literal);
  return true;
}

static bool put_names(struct perfetto *perfetto)
{
  const struct trace *trace = perfetto->trace;
  bool good = true, orphans = false;
  for (uint32_t i = 0; i < trace->location_count; i++)
    orphans |= process_of(trace, i) == trace->process_count;
  for (uint32_t i = 0; good && i < trace->process_count + orphans; i++)
    good = put_metadata(perfetto, (uint64_t)i + 1, 0, i < trace->process_count ? trace->processes[i].name : "");
  for (uint32_t i = 0; good && i < trace->location_count; i++)
    good = put_metadata(perfetto, (uint64_t)process_of(trace, i) + 1, (uint64_t)trace->process_count + 2 + i,
                        trace->locations[i].name);
  return good;
}

static void put_begin(struct perfetto *perfetto, uint32_t location, const struct item *item, uint64_t ns)
{
  struct sink *sink = &perfetto->sink;
  put_event(perfetto, "B", location, ns);
  sink_char(sink, ',');
  sink_text(sink, perfetto->slices[item->index]);
  if (item->rule == RULE_CHUNK && item->iterations != UINT32_MAX) {
    sink_text(sink, ",\"first iteration\":");
    sink_signed(sink, item->first_iteration);
    sink_text(sink, ",\"iterations\":");
    sink_number(sink, item->iterations);
  }
  sink_text(sink, "}}");
}

static void put_flow_end(struct perfetto *perfetto, const char *kind, uint32_t location, uint64_t ns,
                         enum export_arrow_kind arrow)
{
  struct sink *sink = &perfetto->sink;
  put_event(perfetto, kind, location, ns);
  sink_text(sink, ",\"id\":");
  sink_number(sink, perfetto->flow_count);
  sink_text(sink, ",\"name\":\"");
  sink_text(sink, export_arrow_name(arrow));
  sink_text(sink, "\",\"cat\":\"arrow\"");
  sink_text(sink, *kind == 'f' ? ",\"bp\":\"e\"}" : "}");
}

static void put_flow(struct perfetto *perfetto, uint32_t location)
{
  struct flow *flow = &perfetto->flows[location];
  if (!flow->there)
    return;
  flow->there = false;
  perfetto->flow_count++;
  put_flow_end(perfetto, "s", flow->arrow.from, clock_ns(&perfetto->clock, flow->arrow.begin), flow->arrow.kind);
  put_flow_end(perfetto, "f", location, flow->ns, flow->arrow.kind);
}

/* What changed at a moment is written when the moment is over. */
static void put_counters(struct perfetto *perfetto)
{
  struct sink *sink = &perfetto->sink;
  for (uint32_t i = 0; i < perfetto->changed_count; i++) {
    struct counters *counters = &perfetto->counters[perfetto->changed[i]];
    counters->changed = false;
    for (unsigned state = 0; state < STATES; state++) {
      if (counters->now[state] == counters->written[state])
        continue;
      counters->written[state] = counters->now[state];
      sink_text(sink, perfetto->something ? ",\n{\"ph\":\"C\",\"pid\":" : "\n{\"ph\":\"C\",\"pid\":");
      perfetto->something = true;
      sink_number(sink, (uint64_t)perfetto->changed[i] + 1);
      sink_text(sink, ",\"ts\":");
      sink_fraction(sink, perfetto->now, 3);
      sink_text(sink, ",\"name\":\"threads in ");
      sink_text(sink, state_name((enum state)state));
      sink_text(sink, "\",\"args\":{\"threads\":");
      sink_number(sink, counters->now[state]);
      sink_text(sink, "}}");
    }
  }
  perfetto->changed_count = 0;
}

/* A thread is in another state from now on; STATES: in none. */
static void change_state(struct perfetto *perfetto, uint32_t location, unsigned state)
{
  uint32_t process = process_of(perfetto->trace, location);
  struct counters *counters = &perfetto->counters[process];
  if (perfetto->states[location] != STATES)
    counters->now[perfetto->states[location]]--;
  if (state != STATES)
    counters->now[state]++;
  perfetto->states[location] = (uint8_t)state;
  if (!counters->changed)
    perfetto->changed[perfetto->changed_count++] = process;
  counters->changed = true;
}

static bool take_event(struct perfetto *perfetto, uint32_t location, const struct item *item, uint64_t ns)
{
  struct flow *flow = &perfetto->flows[location];
  bool together = item->kind == ITEM_ENTER && flow->ns == ns;
  if (!together)
    put_flow(perfetto, location);
  if (item->kind == ITEM_ENTER) {
    put_begin(perfetto, location, item, ns);
    put_flow(perfetto, location);
    return true;
  }
  if (item->kind == ITEM_LEAVE) {
    put_event(perfetto, "E", location, ns);
    sink_char(&perfetto->sink, '}');
    return true;
  }
  flow->ns = ns;
  return export_arrows_take(perfetto->arrows, location, item, &flow->arrow, &flow->there);
}

static bool take(struct perfetto *perfetto, uint32_t location, const struct item *item)
{
  uint64_t ns = clock_ns(&perfetto->clock, item->time);
  if (ns != perfetto->now)
    put_counters(perfetto);
  perfetto->now = ns;
  switch (item->kind) {
  case ITEM_BEGIN:
    return true;
  case ITEM_STATE:
    change_state(perfetto, location, item->state);
    return true;
  case ITEM_END:
    put_flow(perfetto, location);
    change_state(perfetto, location, STATES);
    return true;
  default:
    return take_event(perfetto, location, item, ns);
  }
}

static bool put_head(struct perfetto *perfetto)
{
  char *creator = escape_json(perfetto->trace->creator ? perfetto->trace->creator : "");
  if (creator) {
    sink_text(&perfetto->sink, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"creator\":");
    sink_text(&perfetto->sink, creator);
    sink_text(&perfetto->sink, "},\"traceEvents\":[");
  }
  free(creator);
  return creator && put_names(perfetto);
}

static bool write_all(struct perfetto *perfetto, struct trace_error *error)
{
  bool good = true;
  if (!put_head(perfetto))
    return trace_fail(error, "%s: out of memory", perfetto->trace->anchor);
  uint32_t location;
  const struct item *item;
  while ((item = feed_next(perfetto->feed, &location, &good)) && !sink_failed(&perfetto->sink))
    if (!take(perfetto, location, item))
      return trace_fail(error, "%s: out of memory", perfetto->trace->anchor);
  put_counters(perfetto);
  sink_text(&perfetto->sink, "\n]}\n");
  return good;
}

static bool prepare(struct perfetto *perfetto)
{
  const struct trace *trace = perfetto->trace;
  size_t locations = trace->location_count, processes = (size_t)trace->process_count + 1;
  perfetto->arrows = export_arrows_create(trace);
  perfetto->slices = calloc((size_t)trace->region_count + 1, sizeof *perfetto->slices);
  perfetto->flows = calloc(locations + 1, sizeof *perfetto->flows);
  perfetto->states = malloc(locations + 1);
  perfetto->counters = calloc(processes, sizeof *perfetto->counters);
  perfetto->changed = calloc(processes, sizeof *perfetto->changed);
  if (!perfetto->arrows || !perfetto->slices || !perfetto->flows || !perfetto->states || !perfetto->counters ||
      !perfetto->changed)
    return false;
  memset(perfetto->states, STATES, locations + 1);
  for (uint32_t i = 0; i < trace->region_count; i++)
    if (!(perfetto->slices[i] = slice_of(&trace->regions[i])))
      return false;
  return true;
}

bool export_perfetto(const struct trace *trace, const char *path, struct trace_error *error)
{
  struct perfetto *perfetto = calloc(1, sizeof *perfetto);
  if (!perfetto)
    return trace_fail(error, "%s: out of memory", trace->anchor);
  perfetto->trace = trace;
  bool good = prepare(perfetto) || trace_fail(error, "%s: out of memory", trace->anchor);
  if (good) {
    perfetto->feed = feed_open(trace, ITEMS_STATES, error);
    good = perfetto->feed != NULL;
  }
  if (good)
    perfetto->clock = feed_clock(perfetto->feed);
  if (good && (good = sink_open(&perfetto->sink, path, error)))
    good = sink_close(&perfetto->sink, write_all(perfetto, error), error);
  feed_close(perfetto->feed);
  export_arrows_destroy(perfetto->arrows);
  for (uint32_t i = 0; perfetto->slices && i < trace->region_count; i++)
    free(perfetto->slices[i]);
  free(perfetto->slices);
  free(perfetto->flows);
  free(perfetto->states);
  free(perfetto->counters);
  free(perfetto->changed);
  free(perfetto);
  return good;
}
