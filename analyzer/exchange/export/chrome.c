#include "analyzer/command/print/escape.h"
#include "analyzer/exchange/export/formats.h"
#include "analyzer/exchange/export/items.h"
#include "analyzer/exchange/export/slices.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/*
 * The "Trace Event Format": one JSON object with an array of events. Kinds of events (`ph`): M names, B and E are the
 * ends of a slice, s and f of a flow, C is a counter. Times (`ts`) are microseconds, with the nanoseconds behind the
 * point. A process' `pid` is its number from 1; `tid`s go on behind them, so that no two are the same.
 */
struct chrome {
  const struct trace *trace;
  struct sink sink;
  struct slices *slices;
  char **texts;      /* by region: text of its begin event */
  char **attributes; /* their names in quotes; NULL: not used yet */
  struct values_waiting values;
  bool something;
};

/* "name":"...","cat":"...","args":{"function":"..." and so on; the brace stays open. The program's events have nothing
 * but their attributes in it. */
static char *text_of(const struct trace_region *region)
{
  char *name = escape_json(region->name), *function = escape_json(region->function);
  char *file = escape_json(region->file), *text = NULL;
  int length = -1;
  if (name && trace_region_is_user_event(region))
    length =
        asprintf(&text, "\"name\":%s,\"cat\":\"%s\",\"args\":{", name, slices_category(slices_category_of(region)));
  else if (name && function && file && *region->file)
    length = asprintf(&text, "\"name\":%s,\"cat\":\"%s\",\"args\":{\"function\":%s,\"file\":%s,\"line\":%u", name,
                      slices_category(slices_category_of(region)), function, file, region->line);
  else if (name && function)
    length = asprintf(&text, "\"name\":%s,\"cat\":\"%s\",\"args\":{\"function\":%s", name,
                      slices_category(slices_category_of(region)), function);
  free(name);
  free(function);
  free(file);
  return length < 0 ? NULL : text;
}

/* Begins an event, up to its `ts`. */
static void chrome_put_event(struct chrome *chrome, const char *kind, uint32_t location, uint64_t ns)
{
  struct sink *sink = &chrome->sink;
  sink_text(sink, chrome->something ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
  chrome->something = true;
  sink_text(sink, kind);
  sink_text(sink, "\",\"pid\":");
  sink_number(sink, process_of(chrome->trace, location) + 1);
  sink_text(sink, ",\"tid\":");
  sink_number(sink, (uint64_t)chrome->trace->process_count + 2 + location);
  sink_text(sink, ",\"ts\":");
  sink_fraction(sink, ns, 3);
}

/* Writes the name and the sort index of a process or thread. `tid` 0: of the process. */
static bool put_metadata(struct chrome *chrome, uint64_t pid, uint64_t tid, const char *name)
{
  struct sink *sink = &chrome->sink;
  char *literal = escape_json(name);
  if (!literal)
    return false;
  const char *const kinds[2] = {tid ? "thread_name" : "process_name", tid ? "thread_sort_index" : "process_sort_index"};
  for (int i = 0; i < 2; i++) {
    sink_text(sink, chrome->something ? ",\n{\"ph\":\"M\",\"pid\":" : "\n{\"ph\":\"M\",\"pid\":");
    chrome->something = true;
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

static bool put_names(struct chrome *chrome)
{
  const struct trace *trace = chrome->trace;
  bool good = true;
  for (uint32_t i = 0; good && i <= trace->process_count; i++)
    good = !process_is_shown(trace, i) || put_metadata(chrome, (uint64_t)i + 1, 0, process_name(trace, i));
  for (uint32_t i = 0; good && i < trace->location_count; i++)
    good =
        trace->locations[i].excluded || put_metadata(chrome, (uint64_t)process_of(trace, i) + 1,
                                                     (uint64_t)trace->process_count + 2 + i, trace->locations[i].name);
  return good;
}

static void chrome_put_flow_end(struct chrome *chrome, const char *kind, uint32_t location, uint64_t ns,
                                const struct slices_flow *flow)
{
  struct sink *sink = &chrome->sink;
  chrome_put_event(chrome, kind, location, ns);
  sink_text(sink, ",\"id\":");
  sink_number(sink, flow->number);
  sink_text(sink, ",\"name\":\"");
  sink_text(sink, edge_kind_name(flow->kind));
  sink_text(sink, "\",\"cat\":\"arrow\"");
  sink_text(sink, *kind == 'f' ? ",\"bp\":\"e\"}" : "}");
}

static void chrome_put_flow(void *context, uint32_t location, const struct slices_flow *flow)
{
  chrome_put_flow_end(context, "s", flow->from, flow->begin, flow);
  chrome_put_flow_end(context, "f", location, flow->end, flow);
}

static bool chrome_take_value(void *context, uint32_t location, const struct trace_value *value)
{
  struct chrome *chrome = context;
  char **name = &chrome->attributes[value->attribute];
  if (!*name)
    *name = escape_json(chrome->trace->attributes[value->attribute].name);
  return *name && vector_push(&chrome->values.lists[location], *value);
}

static void chrome_put_text(struct sink *sink, const char *text)
{
  char *literal = escape_json(text);
  if (literal)
    sink_text(sink, literal);
  else
    sink->failure = ENOMEM;
  free(literal);
}

/* `more`: after other arguments. JSON has no infinity and no NaN: they become texts. */
static void chrome_put_values(struct chrome *chrome, uint32_t location, bool more)
{
  struct sink *sink = &chrome->sink;
  char text[TRACE_VALUE_SIZE];
  for (size_t i = 0; i < chrome->values.lists[location].count; i++) {
    const struct trace_value *value = &chrome->values.lists[location].items[i];
    const char *quote = isfinite(trace_value_number(value)) ? "" : "\"";
    if (i > 0 || more)
      sink_char(sink, ',');
    sink_text(sink, chrome->attributes[value->attribute]);
    sink_char(sink, ':');
    if (value->type == TRACE_TEXT) {
      chrome_put_text(sink, value->text);
      continue;
    }
    sink_text(sink, quote);
    sink_text(sink, trace_value_text(value, text));
    sink_text(sink, quote);
  }
  chrome->values.lists[location].count = 0;
}

static void chrome_put_begin(void *context, uint32_t location, const struct item *item, uint64_t ns,
                             const struct slices_flow *flow)
{
  struct chrome *chrome = context;
  struct sink *sink = &chrome->sink;
  chrome_put_event(chrome, "B", location, ns);
  sink_char(sink, ',');
  sink_text(sink, chrome->texts[item->index]);
  chrome_put_values(chrome, location, !trace_region_is_user_event(&chrome->trace->regions[item->index]));
  if (item->rule == RULE_CHUNK && item->iterations != UINT32_MAX) {
    sink_text(sink, ",\"first iteration\":");
    sink_signed(sink, item->first_iteration);
    sink_text(sink, ",\"iterations\":");
    sink_number(sink, item->iterations);
  }
  sink_text(sink, "}}");
  if (flow)
    chrome_put_flow(chrome, location, flow);
}

static void chrome_put_end(void *context, uint32_t location, uint64_t ns)
{
  struct chrome *chrome = context;
  chrome_put_event(chrome, "E", location, ns);
  sink_char(&chrome->sink, '}');
}

static void chrome_put_counter(void *context, uint32_t location, const struct slices_change *change, uint64_t ns)
{
  struct chrome *chrome = context;
  struct sink *sink = &chrome->sink;
  (void)location;
  sink_text(sink, chrome->something ? ",\n{\"ph\":\"C\",\"pid\":" : "\n{\"ph\":\"C\",\"pid\":");
  chrome->something = true;
  sink_number(sink, (uint64_t)change->process + 1);
  sink_text(sink, ",\"ts\":");
  sink_fraction(sink, ns, 3);
  sink_text(sink, ",\"name\":\"threads in ");
  sink_text(sink, state_name(change->state));
  sink_text(sink, "\",\"args\":{\"threads\":");
  sink_number(sink, change->threads);
  sink_text(sink, "}}");
}

static bool chrome_put_head(void *context)
{
  struct chrome *chrome = context;
  char *creator = escape_json(chrome->trace->creator ? chrome->trace->creator : "");
  if (creator) {
    sink_text(&chrome->sink, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"creator\":");
    sink_text(&chrome->sink, creator);
    sink_text(&chrome->sink, "},\"traceEvents\":[");
  }
  free(creator);
  return creator && put_names(chrome);
}

static bool chrome_write_all(struct chrome *chrome, struct error *error)
{
  static const struct slices_form form = {chrome_put_head, chrome_put_begin,  chrome_put_end, chrome_take_value, NULL,
                                          chrome_put_flow, chrome_put_counter};
  if (!slices_write(chrome->slices, &form, chrome, &chrome->sink, error))
    return false;
  sink_text(&chrome->sink, "\n]}\n");
  return true;
}

static bool chrome_prepare(struct chrome *chrome)
{
  const struct trace *trace = chrome->trace;
  chrome->texts = calloc((size_t)trace->region_count + 1, sizeof *chrome->texts);
  chrome->attributes = calloc((size_t)trace->attribute_count + 1, sizeof *chrome->attributes);
  if (!chrome->attributes || !values_open(&chrome->values, trace))
    return false;
  for (uint32_t i = 0; chrome->texts && i < trace->region_count; i++)
    if (!(chrome->texts[i] = text_of(&trace->regions[i])))
      return false;
  return chrome->texts != NULL;
}

bool export_chrome(const struct trace *trace, const char *path, struct error *error)
{
  struct chrome *chrome = calloc(1, sizeof *chrome);
  if (!chrome)
    return error_set(error, "%s: out of memory", trace->anchor);
  chrome->trace = trace;
  bool good = chrome_prepare(chrome) || error_set(error, "%s: out of memory", trace->anchor);
  good = good && (chrome->slices = slices_open(trace, error));
  if (good && (good = sink_open(&chrome->sink, path, error)))
    good = sink_close(&chrome->sink, chrome_write_all(chrome, error), error);
  slices_close(chrome->slices);
  for (uint32_t i = 0; chrome->texts && i < trace->region_count; i++)
    free(chrome->texts[i]);
  free(chrome->texts);
  for (uint32_t i = 0; chrome->attributes && i < trace->attribute_count; i++)
    free(chrome->attributes[i]);
  free(chrome->attributes);
  values_close(&chrome->values);
  free(chrome);
  return good;
}
