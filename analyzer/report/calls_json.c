#include "analyzer/report/calls_json.h"

#include "analyzer/analyses/calls/calls.h"
#include "analyzer/analyses/calls/source.h"
#include "analyzer/command/print/json_writer.h"

#include <stdlib.h>

/* While the document is written. */
struct writer {
  struct json_writer json;
  const struct calls_page *page;
  struct calls_tree tree;
  struct pruned_calls pruned;
  uint32_t *functions; /* by code: its number in the document, plus 1; 0: not there */
};

static void calls_json_put_number(struct json_writer *json, uint32_t number)
{
  json_put_signed(json, NULL, number == TRACE_NONE ? -1 : (int64_t)number);
}

static void put_triggers(struct writer *writer)
{
  struct json_writer *json = &writer->json;
  const struct samples *samples = writer->page->samples;
  json_put_array(json, "triggers");
  for (uint32_t i = 0; i < samples->trigger_count; i++) {
    json_put_object(json, NULL);
    json_put_text(json, "name", samples->triggers[i].name);
    json_put_raw(json, "timed", samples->triggers[i].timed ? "true" : "false");
    json_put_count(json, "period", samples->triggers[i].period);
    json_put_count(json, "samples", calls_samples(writer->page->calls, i));
    json_put_end(json);
  }
  json_put_end(json);
}

/* The states with samples, and the place of each in this list. */
static void put_states(struct writer *writer, uint32_t places[STATES + 1])
{
  struct json_writer *json = &writer->json;
  bool occurs[STATES + 1] = {false};
  uint32_t count = 0;
  for (size_t i = 0; i < writer->pruned.cell_count; i++)
    occurs[writer->pruned.cells[i].state] = true;
  json_put_array(json, "states");
  for (uint32_t i = 0; i <= STATES; i++) {
    places[i] = count;
    if (!occurs[i])
      continue;
    json_put_object(json, NULL);
    json_put_text(json, "key", i == CALLS_OUTSIDE ? "outside" : state_key((enum state)i));
    json_put_text(json, "name", i == CALLS_OUTSIDE ? "outside the recorded events" : state_name((enum state)i));
    json_put_end(json);
    count++;
  }
  json_put_end(json);
}

static void put_functions(struct writer *writer)
{
  struct json_writer *json = &writer->json;
  uint32_t count = 0;
  json_put_array(json, "functions");
  for (size_t i = 1; i < writer->pruned.node_count; i++) {
    uint32_t code = writer->pruned.nodes[i].code;
    if (code == TRACE_NONE || writer->functions[code] > 0)
      continue;
    const struct calls_code *of = &writer->tree.codes[code];
    const struct samples_function *function = &writer->page->samples->functions[of->function];
    writer->functions[code] = ++count;
    json_put_array(json, NULL);
    json_put_text(json, NULL, function->name);
    json_put_text(json, NULL, of->file);
    json_put_count(json, NULL, of->line);
    json_put_text(json, NULL, function->module);
    json_put_end(json);
  }
  json_put_end(json);
}

/* Numbers in the document are smaller by one: it has no node above all others. */
static void put_nodes(struct writer *writer)
{
  struct json_writer *json = &writer->json;
  json_put_array(json, "nodes");
  for (size_t i = 1; i < writer->pruned.node_count; i++) {
    const struct pruned_node *node = &writer->pruned.nodes[i];
    json_put_array(json, NULL);
    json_put_signed(json, NULL, node->code == TRACE_NONE ? -1 : (int64_t)writer->functions[node->code] - 1);
    json_put_signed(json, NULL, (int64_t)node->parent - 1);
    json_put_end(json);
  }
  json_put_end(json);
}

static void put_cells(struct writer *writer, const uint32_t places[STATES + 1])
{
  struct json_writer *json = &writer->json;
  json_put_array(json, "cells");
  for (size_t i = 0; i < writer->pruned.cell_count; i++) {
    const struct pruned_cell *cell = &writer->pruned.cells[i];
    json_put_array(json, NULL);
    json_put_signed(json, NULL, (int64_t)cell->node - 1);
    calls_json_put_number(json, cell->location);
    calls_json_put_number(json, cell->construct);
    json_put_count(json, NULL, places[cell->state]);
    json_put_count(json, NULL, cell->trigger);
    json_put_count(json, NULL, cell->samples);
    json_put_end(json);
  }
  json_put_end(json);
}

/* The kernel's time, of the first trigger of time that it is known for; null: it is not known. False: no memory. */
static bool put_kernel(struct writer *writer, struct pruned_limits limits)
{
  struct json_writer *json = &writer->json;
  const struct calls_page *page = writer->page;
  struct calls_kernel kernel = {0};
  bool good = true;
  uint32_t trigger = 0;
  for (; good && !page->exact && !kernel.known && trigger < page->samples->trigger_count; trigger++) {
    calls_kernel_free(&kernel);
    good = calls_kernel_find(page->trace, page->samples, page->calls, trigger, &kernel);
  }
  if (!good || !kernel.known || kernel.count > limits.cells)
    json_put_raw(json, "kernel", NULL);
  else {
    json_put_object(json, "kernel");
    json_put_count(json, "trigger", trigger - 1);
    json_put_array(json, "cells");
    for (size_t i = 0; i < kernel.count; i++) {
      json_put_array(json, NULL);
      calls_json_put_number(json, kernel.list[i].location);
      calls_json_put_number(json, kernel.list[i].construct);
      json_put_real(json, NULL, kernel.list[i].ticks);
      json_put_real(json, NULL, kernel.list[i].deviation);
      json_put_end(json);
    }
    json_put_end(json);
    json_put_end(json);
  }
  calls_kernel_free(&kernel);
  return good;
}

/* A time is written as its difference to the one before. */
static void put_lane(struct writer *writer, uint32_t location, const struct sample_times_lane *lane)
{
  struct json_writer *json = &writer->json;
  uint64_t before = writer->page->start;
  json_put_object(json, NULL);
  json_put_count(json, "location", location);
  json_put_count(json, "every", lane->every);
  json_put_array(json, "later");
  for (size_t i = 0; i < lane->list.count; i++) {
    json_put_signed(json, NULL, (int64_t)(lane->list.items[i].time - before));
    before = lane->list.items[i].time;
  }
  json_put_end(json);
  json_put_array(json, "nodes");
  for (size_t i = 0; i < lane->list.count; i++)
    json_put_signed(json, NULL, (int64_t)writer->pruned.node_of[writer->tree.node_of[lane->list.items[i].context]] - 1);
  json_put_end(json);
  json_put_array(json, "triggers");
  for (size_t i = 0; writer->page->samples->trigger_count > 1 && i < lane->list.count; i++)
    json_put_count(json, NULL, lane->list.items[i].trigger);
  json_put_end(json);
  json_put_end(json);
}

static void calls_json_put_times(struct writer *writer)
{
  const struct sample_times *times = writer->page->times;
  json_put_array(&writer->json, "times");
  for (uint32_t i = 0; i < times->lane_count; i++)
    if (times->lanes[i].list.count > 0)
      put_lane(writer, i, &times->lanes[i]);
  json_put_end(&writer->json);
}

static bool calls_json_put(struct writer *writer, struct pruned_limits limits)
{
  struct calls_lost lost[CALLS_REASONS];
  uint32_t places[STATES + 1];
  struct json_writer *json = &writer->json;
  json_put_object(json, NULL);
  if (writer->page->exact) {
    json_put_raw(json, "exact", "true");
    json_put_count(json, "taken", calls_samples(writer->page->calls, EXACT_NUMBER));
    json_put_count(json, "lost", 0);
  } else {
    json_put_count(json, "taken", calls_taken(writer->page->trace));
    json_put_count(json, "lost", calls_lost_find(writer->page->trace, lost));
  }
  json_put_real(json, "least", 100 * writer->pruned.least);
  json_put_raw(json, "by_thread", writer->pruned.summed ? "false" : "true");
  put_triggers(writer);
  put_states(writer, places);
  put_functions(writer);
  put_nodes(writer);
  put_cells(writer, places);
  bool good = put_kernel(writer, limits);
  calls_json_put_times(writer);
  json_put_end(json);
  return good && !json->failed;
}

char *calls_json(const struct calls_page *page, struct pruned_limits limits)
{
  char *text = NULL;
  size_t size;
  struct writer writer = {.page = page};
  FILE *file = open_memstream(&text, &size);
  bool good = file && calls_tree_make(page->samples, CALLS_FUNCTIONS, &writer.tree) &&
              pruned_calls_make(page->calls, &writer.tree, limits, &writer.pruned) &&
              (writer.functions = calloc((size_t)writer.tree.code_count + 1, sizeof *writer.functions)) != NULL;
  if (good) {
    writer.json = json_writer(file);
    good = calls_json_put(&writer, limits);
  }
  if (file && fclose(file) != 0)
    good = false;
  free(writer.functions);
  pruned_calls_free(&writer.pruned);
  calls_tree_free(&writer.tree);
  if (good)
    return text;
  free(text);
  return NULL;
}

/* Exact calls need no pass. False: an error. */
static bool find_exact(struct report_calls *calls, const struct trace *trace, struct error *error)
{
  bool none;
  struct calls_exact exact = {.cells = NULL};
  if (trace->restriction.timed) /* they are sums of the whole run */
    return true;
  calls->archive = calls_exact_read(trace, &exact, &none, error);
  if (!calls->archive) {
    calls_exact_free(&exact);
    return none;
  }
  calls->paths = *calls->archive->paths;
  calls->paths.triggers = (struct samples_trigger *)calls_exact_triggers;
  calls->paths.trigger_count = EXACT_TRIGGERS;
  bool good = calls_exact_as_sums(trace, &exact, &calls->calls) || error_set(error, "%s: out of memory", trace->anchor);
  calls_exact_free(&exact);
  return good;
}

bool report_calls_open(struct report_calls *calls, const struct trace *trace, struct error *error)
{
  bool none;
  *calls = (struct report_calls){.samples = samples_open(trace, &none, error)};
  return calls->samples || (none && find_exact(calls, trace, error));
}

unsigned report_calls_tasks(struct report_calls *calls, struct analysis_task *tasks)
{
  if (!calls->samples)
    return 0;
  tasks[0] = (struct analysis_task){&calls_analysis, calls->samples, &calls->calls};
  tasks[1] = (struct analysis_task){&sample_times_analysis, calls->samples, &calls->times};
  return REPORT_CALLS_TASKS;
}

void report_calls_close(struct report_calls *calls)
{
  analysis_free(&calls_analysis, &calls->calls);
  analysis_free(&sample_times_analysis, &calls->times);
  samples_close(calls->samples);
  exact_calls_close(calls->archive);
  *calls = (struct report_calls){0};
}

bool report_calls_add(struct bundle_run *run, const struct report_calls *calls, const struct trace *trace,
                      uint64_t start, struct error *error)
{
  struct calls_page page = {
      trace, calls->archive ? &calls->paths : calls->samples, &calls->calls, &calls->times, start, calls->archive};
  if (!page.samples)
    return true;
  char *text = calls_json(&page, PRUNED_LIMITS);
  return (text && bundle_document(run, "calls", text)) || error_set(error, "%s: out of memory", trace->anchor);
}
