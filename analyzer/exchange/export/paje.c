#include "analyzer/command/print/escape.h"
#include "analyzer/exchange/export/feed.h"
#include "analyzer/exchange/export/formats.h"
#include "analyzer/exchange/export/items.h"
#include "analyzer/exchange/export/sink.h"

#include <stdlib.h>

/*
 * Paje is line by line: a number that says which event it is, then its fields as the header defines them. Names are in
 * quotes, and nothing in a name can end them. A quote in it becomes an apostrophe; the rest is escaped as on a
 * terminal. Containers are R (the run), P<process> and T<thread>, values of states S<state>. The construct is a field
 * that the format does not know: readers show it beside the state.
 */
static const char header[] = "%EventDef PajeDefineContainerType 0\n"
                             "% Alias string\n% Type string\n% Name string\n"
                             "%EndEventDef\n"
                             "%EventDef PajeDefineStateType 1\n"
                             "% Alias string\n% Type string\n% Name string\n"
                             "%EndEventDef\n"
                             "%EventDef PajeDefineLinkType 2\n"
                             "% Alias string\n% Type string\n% StartContainerType string\n% EndContainerType string\n"
                             "% Name string\n"
                             "%EndEventDef\n"
                             "%EventDef PajeDefineEntityValue 3\n"
                             "% Alias string\n% Type string\n% Name string\n% Color color\n"
                             "%EndEventDef\n"
                             "%EventDef PajeCreateContainer 4\n"
                             "% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n"
                             "%EndEventDef\n"
                             "%EventDef PajeDestroyContainer 5\n"
                             "% Time date\n% Type string\n% Name string\n"
                             "%EndEventDef\n"
                             "%EventDef PajeSetState 6\n"
                             "% Time date\n% Type string\n% Container string\n% Value string\n% Construct string\n"
                             "%EndEventDef\n"
                             "%EventDef PajeStartLink 7\n"
                             "% Time date\n% Type string\n% Container string\n% Value string\n"
                             "% StartContainer string\n% Key string\n"
                             "%EndEventDef\n"
                             "%EventDef PajeEndLink 8\n"
                             "% Time date\n% Type string\n% Container string\n% Value string\n"
                             "% EndContainer string\n% Key string\n"
                             "%EndEventDef\n";

/*
 * Definitions for traces with events of the program. Their values are names, because ViTE takes definitions of values
 * for definitions of states. Attributes are a field of ours, too.
 */
static const char header_of_events[] = "%EventDef PajeDefineEventType 9\n"
                                       "% Alias string\n% Type string\n% Name string\n"
                                       "%EndEventDef\n"
                                       "%EventDef PajeNewEvent 10\n"
                                       "% Time date\n% Type string\n% Container string\n% Value string\n"
                                       "% Attributes string\n"
                                       "%EndEventDef\n";

/* Red, green and blue; people with colour-blindness can distinguish them. */
static const char *const colours[STATES] = {
    [STATE_IDLE] = "0.80 0.80 0.80",
    [STATE_RUN] = "0.00 0.62 0.45",
    [STATE_OVERHEAD] = "0.90 0.62 0.00",
    [STATE_SYNCH_IMPLICIT_BARRIER] = "0.84 0.37 0.00",
    [STATE_SYNCH_BARRIER] = "0.70 0.25 0.00",
    [STATE_SYNCH_MUTEX] = "0.80 0.47 0.65",
    [STATE_SYNCH_ORDERED] = "0.65 0.30 0.50",
    [STATE_SYNCH_TASKWAIT] = "0.50 0.20 0.40",
    [STATE_SYNCH_REDUCTION] = "0.95 0.65 0.80",
    [STATE_TRACEFLUSH] = "0.00 0.00 0.00",
    [STATE_UNMEASURED] = "1.00 1.00 1.00",
    [STATE_INIT] = "0.94 0.89 0.26",
    [STATE_BLOCKED_MUTEX] = "0.00 0.45 0.70",
    [STATE_BLOCKED_CONDVAR] = "0.34 0.71 0.91",
    [STATE_SPIN] = "0.60 0.55 0.10",
    [STATE_GC] = "0.40 0.40 0.40",
    [STATE_READY] = "0.60 0.80 0.20",
    [STATE_OFF] = "0.95 0.95 0.95",
    [STATE_SYNCH_PTHREAD_MUTEX] = "0.72 0.10 0.20",
    [STATE_SYNCH_PTHREAD_RWLOCK] = "0.60 0.10 0.40",
    [STATE_SYNCH_PTHREAD_CONDITION] = "0.45 0.60 0.90",
    [STATE_SYNCH_SEMAPHORE] = "0.30 0.45 0.75",
    [STATE_SYNCH_PTHREAD_BARRIER] = "0.95 0.50 0.20",
    [STATE_SYNCH_ATOMIC] = "0.85 0.35 0.30",
    [STATE_SYNCH_JOIN] = "0.65 0.75 0.85",
};

enum { RUN_CONTAINER = 'R', PROCESS_CONTAINER = 'P', THREAD_CONTAINER = 'T' };

/* A thread without further items. Its container stays: an arrow from it may be known later. */
struct ended {
  uint32_t location;
  uint64_t ns;
};

struct paje {
  const struct trace *trace;
  struct sink sink;
  struct edges *edges;
  struct clock clock;
  char **constructs;          /* quoted, one a region */
  VECTOR(struct ended) ended; /* in this order */
  struct values_waiting values;
  uint64_t last, keys; /* last: ns */
  bool no_memory;
};

/* In quotes; the caller frees it. NULL: out of memory. */
static char *quoted(const char *name)
{
  char *escaped = escape_text(*name ? name : "-");
  if (!escaped)
    return NULL;
  for (char *at = escaped; *at; at++)
    if (*at == '"')
      *at = '\'';
  char *text;
  if (asprintf(&text, "\"%s\"", escaped) < 0)
    text = NULL;
  free(escaped);
  return text;
}

static bool quote_constructs(struct paje *paje)
{
  uint32_t count = paje->trace->region_count;
  paje->constructs = calloc((size_t)count + 1, sizeof *paje->constructs);
  for (uint32_t i = 0; paje->constructs && i < count; i++)
    if (!(paje->constructs[i] = quoted(paje->trace->regions[i].name)))
      return false;
  return paje->constructs != NULL;
}

static void put_time(struct paje *paje, const char *event, uint64_t ns)
{
  sink_text(&paje->sink, event);
  sink_fraction(&paje->sink, ns, 9);
}

static void put_container(struct sink *sink, char kind, uint32_t number)
{
  sink_char(sink, ' ');
  sink_char(sink, kind);
  if (kind != RUN_CONTAINER)
    sink_number(sink, number);
}

static bool paje_put_name(struct sink *sink, const char *name)
{
  char *text = quoted(name);
  if (text) {
    sink_char(sink, ' ');
    sink_text(sink, text);
    sink_char(sink, '\n');
  }
  free(text);
  return text != NULL;
}

static bool begin_processes(struct paje *paje)
{
  const struct trace *trace = paje->trace;
  put_time(paje, "4 ", 0);
  sink_text(&paje->sink, " R CR 0");
  bool good = paje_put_name(&paje->sink, trace->machine ? trace->machine : "");
  for (uint32_t i = 0; good && i <= trace->process_count; i++) {
    if (!process_is_shown(trace, i))
      continue;
    put_time(paje, "4 ", 0);
    put_container(&paje->sink, PROCESS_CONTAINER, i);
    sink_text(&paje->sink, " CP R");
    good = paje_put_name(&paje->sink, process_name(trace, i));
  }
  return good;
}

static void put_states(struct paje *paje)
{
  bool listed[STATES];
  states_listed(paje->trace, listed);
  for (unsigned i = 0; i < STATES; i++) {
    if (!listed[i])
      continue;
    sink_text(&paje->sink, "3 S");
    sink_number(&paje->sink, i);
    sink_text(&paje->sink, " S \"");
    sink_text(&paje->sink, state_name((enum state)i));
    sink_text(&paje->sink, "\" \"");
    sink_text(&paje->sink, colours[i]);
    sink_text(&paje->sink, "\"\n");
  }
}

static bool paje_begin_thread(struct paje *paje, uint32_t location, uint64_t ns)
{
  put_time(paje, "4 ", ns);
  put_container(&paje->sink, THREAD_CONTAINER, location);
  sink_text(&paje->sink, " CT");
  put_container(&paje->sink, PROCESS_CONTAINER, process_of(paje->trace, location));
  return paje_put_name(&paje->sink, paje->trace->locations[location].name);
}

static void end_container(struct paje *paje, char kind, uint32_t number, uint64_t ns)
{
  put_time(paje, "5 ", ns);
  sink_text(&paje->sink, " C");
  sink_char(&paje->sink, kind);
  put_container(&paje->sink, kind, number);
  sink_char(&paje->sink, '\n');
}

/* States that are shorter than a ns would be of no length, and some readers put them in the wrong order. */
static void paje_put_state(struct paje *paje, uint32_t location, const struct item *item, uint64_t ns)
{
  if (clock_ns(&paje->clock, item->end) == ns)
    return;
  put_time(paje, "6 ", ns);
  sink_text(&paje->sink, " S");
  put_container(&paje->sink, THREAD_CONTAINER, location);
  sink_text(&paje->sink, " S");
  sink_number(&paje->sink, item->state);
  sink_char(&paje->sink, ' ');
  sink_text(&paje->sink, item->index == TRACE_NONE ? "\"-\"" : paje->constructs[item->index]);
  sink_char(&paje->sink, '\n');
}

static void put_end_of_arrow(struct paje *paje, const char *event, uint64_t ns, enum edge_kind kind, uint32_t location)
{
  put_time(paje, event, ns);
  sink_text(&paje->sink, " L R ");
  sink_text(&paje->sink, edge_kind_name(kind));
  put_container(&paje->sink, THREAD_CONTAINER, location);
  sink_text(&paje->sink, " k");
  sink_number(&paje->sink, paje->keys);
  sink_char(&paje->sink, '\n');
}

/* Both ends are written when the edge is known, because an arrow that never ends is an error to readers. */
static bool paje_take_edge(void *context, const struct edge *edge)
{
  struct paje *paje = context;
  paje->keys++;
  put_end_of_arrow(paje, "7 ", clock_ns(&paje->clock, edge->from_time), edge->kind, edge->from);
  put_end_of_arrow(paje, "8 ", clock_ns(&paje->clock, edge->time), edge->kind, edge->to);
  return true;
}

/* `step=3 norm=0.25`, in quotes. */
static bool paje_put_values(struct paje *paje, uint32_t location)
{
  char number[TRACE_VALUE_SIZE], *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  for (size_t i = 0; file && i < paje->values.lists[location].count; i++) {
    const struct trace_value *value = &paje->values.lists[location].items[i];
    fprintf(file, "%s%s=%s", i > 0 ? " " : "", paje->trace->attributes[value->attribute].name,
            trace_value_text(value, number));
  }
  bool good = file && fclose(file) == 0 && paje_put_name(&paje->sink, text);
  free(text);
  paje->values.lists[location].count = 0;
  return good;
}

/* A region begins: nothing is written of it, unless it is an event of the program. */
static bool put_enter(struct paje *paje, uint32_t location, const struct item *item, uint64_t ns)
{
  if (!trace_region_is_user_event(&paje->trace->regions[item->index])) {
    paje->values.lists[location].count = 0;
    return true;
  }
  put_time(paje, "10 ", ns);
  sink_text(&paje->sink, " E");
  put_container(&paje->sink, THREAD_CONTAINER, location);
  sink_char(&paje->sink, ' ');
  sink_text(&paje->sink, paje->constructs[item->index]);
  return paje_put_values(paje, location);
}

static bool paje_put_item(struct paje *paje, uint32_t location, const struct item *item)
{
  uint64_t ns = clock_ns(&paje->clock, item->time);
  paje->last = ns;
  switch (item->kind) {
  case ITEM_BEGIN:
    return paje_begin_thread(paje, location, ns);
  case ITEM_STATE:
    paje_put_state(paje, location, item, ns);
    return true;
  case ITEM_END:
    return vector_push(&paje->ended, ((struct ended){location, ns}));
  case ITEM_VALUE:
    return vector_push(&paje->values.lists[location], item->value);
  case ITEM_ENTER:
    return put_enter(paje, location, item, ns);
  default:
    return item->kind != ITEM_STEP || edges_take(paje->edges, location, item->time, &item->step);
  }
}

static void paje_put_header(struct paje *paje)
{
  const struct trace *trace = paje->trace;
  static const char types[] = "0 CR 0 \"Run\"\n"
                              "0 CP CR \"Process\"\n"
                              "0 CT CP \"Thread\"\n"
                              "1 S CT \"State\"\n"
                              "2 L CR CT CT \"Arrow\"\n";
  bool events = false;
  for (uint32_t i = 0; !events && i < trace->region_count; i++)
    events = trace_region_is_user_event(&trace->regions[i]);
  sink_text(&paje->sink, header);
  sink_text(&paje->sink, events ? header_of_events : "");
  sink_text(&paje->sink, types);
  sink_text(&paje->sink, events ? "9 E CT \"Event\"\n" : "");
}

/* Writes the header up to the first event. */
static bool paje_begin(void *context, const struct feed *feed)
{
  struct paje *paje = context;
  paje->clock = feed_clock(feed);
  paje_put_header(paje);
  put_states(paje);
  paje->no_memory = !begin_processes(paje);
  return !paje->no_memory;
}

static bool paje_take(void *context, uint32_t location, const struct item *item)
{
  struct paje *paje = context;
  paje->no_memory = !paje_put_item(paje, location, item);
  return !paje->no_memory && !sink_failed(&paje->sink);
}

static bool paje_take_outside(void *context, uint32_t location, const struct item *step)
{
  struct paje *paje = context;
  paje->no_memory = !edges_take(paje->edges, location, step->time, &step->step);
  return !paje->no_memory;
}

static void end_processes(struct paje *paje)
{
  const struct trace *trace = paje->trace;
  for (size_t i = 0; i < paje->ended.count; i++)
    end_container(paje, THREAD_CONTAINER, paje->ended.items[i].location, paje->ended.items[i].ns);
  for (uint32_t i = 0; i <= trace->process_count; i++)
    if (process_is_shown(trace, i))
      end_container(paje, PROCESS_CONTAINER, i, paje->last);
  end_container(paje, RUN_CONTAINER, 0, paje->last);
}

static bool paje_write_all(struct paje *paje, struct error *error)
{
  static const struct feed_callbacks callbacks = {.kind = BY_CONSTRUCT,
                                                  .ends = true,
                                                  .begin = paje_begin,
                                                  .take = paje_take,
                                                  .take_edge = paje_take_edge,
                                                  .take_outside = paje_take_outside};
  if (!feed_run(paje->trace, &callbacks, paje, error))
    return false;
  if (paje->no_memory)
    return error_set(error, "%s: out of memory", paje->trace->anchor);
  end_processes(paje);
  return true;
}

static bool paje_prepare(struct paje *paje, struct error *error)
{
  paje->edges = edges_create(paje->trace, EXPORT_EDGES, paje_take_edge, paje);
  return (paje->edges && values_open(&paje->values, paje->trace) && quote_constructs(paje)) ||
         error_set(error, "%s: out of memory", paje->trace->anchor);
}

bool export_paje(const struct trace *trace, const char *path, struct error *error)
{
  struct paje *paje = calloc(1, sizeof *paje);
  if (!paje)
    return error_set(error, "%s: out of memory", trace->anchor);
  paje->trace = trace;
  bool good = paje_prepare(paje, error);
  if (good && (good = sink_open(&paje->sink, path, error)))
    good = sink_close(&paje->sink, paje_write_all(paje, error), error);
  edges_destroy(paje->edges);
  for (uint32_t i = 0; paje->constructs && i < trace->region_count; i++)
    free(paje->constructs[i]);
  free(paje->constructs);
  vector_free(&paje->ended);
  values_close(&paje->values);
  free(paje);
  return good;
}
