#include "analyzer/findings/why_live.h"

#include "analyzer/command/command.h"
#include "analyzer/findings/why/complete.h"
#include "analyzer/findings/why_inserted.h"
#include "analyzer/findings/why_readings.h"
#include "analyzer/findings/why_show.h"
#include "analyzer/findings/why_traced.h"
#include "analyzer/record/live_start.h"
#include "analyzer/trace/stream.h"

#include <stdlib.h>
#include <string.h>

#define USUAL_NS     10000000000u
#define FOR_READINGS 4 /* the part of the time for readings, where stretches of a trace may follow: 1 / this */

struct search {
  const struct why_live_options *options;
  struct live_process process;
  struct insert insert;
  struct why_inserted inserted;
  struct live *live;
  struct pool *pool;
  struct why_readings readings;
  struct why_traced traced;
};

/* True if readings have ruled out that the threads could do more. */
static bool has_nothing(const struct why *why)
{
  for (size_t i = 0; i < why->nodes.count; i++) {
    const struct why_node *node = &why->nodes.items[i];
    if (node->measured && node->aspect <= WHY_KIND && node->verdict != WHY_FALSE)
      return false;
  }
  return true;
}

static bool is_on(struct search *search, const char *when, struct error *error)
{
  return why_inserted_add(&search->inserted, when, search->insert.now) || error_set(error, "out of memory");
}

/* Readings. They end early where no trace follows, and they are sure of a reason: a program does not show all of its
 * phases in a short time. */
static bool read_sums(struct search *search, uint64_t part_ns, bool traces, const char *orders, struct error *error)
{
  struct why_readings *readings = &search->readings;
  double threshold = search->options->threshold;
  bool good = why_readings_begin(readings, search->live, search->process.pid, orders, error), sure = false;
  for (size_t next = WHY_PARTS_LEAST; good && !sure && next <= WHY_PARTS_MOST;) {
    if (readings->now.reading.over || why_interrupted())
      return readings->whole.why.nodes.count > 0 ||
             error_set(error, readings->now.reading.over ? "the process has ended before anything was sure"
                                                         : "interrupted before anything was sure");
    why_rest(part_ns);
    good = why_readings_part(readings, error);
    if (!good || readings->parts.count < next)
      continue;
    next *= 2;
    good = why_readings_look(readings, threshold, error);
    sure = good && !traces && !has_nothing(&readings->whole.why) && why_is_decided(&readings->whole.why);
  }
  return good;
}

/* The process, or its recording; what was read before is still good. */
static bool why_live_has_ended(struct search *search)
{
  struct error error;
  return search->readings.whole.why.nodes.count > 0 &&
         (!why_readings_part(&search->readings, &error) || search->readings.now.reading.over);
}

/* A stretch of a trace does not have the constructs that have begun before it, and leaves out what its budget does not
 * allow for; sums have both. */
static bool why_live_trace(struct search *search, uint64_t part_ns, struct error *error)
{
  struct why_tracing tracing = {.command = search->options->command,
                                .process = &search->process,
                                .readings = &search->readings,
                                .insert = &search->insert,
                                .inserted = &search->inserted,
                                .part_ns = part_ns,
                                .threshold = search->options->threshold};
  if (!why_traced_take(&tracing, search->pool, &search->traced, error) && !why_live_has_ended(search))
    return false;
  if (!why_readings_look(&search->readings, search->options->threshold, error))
    return false;
  return !search->traced.trace || why_complete(&search->traced.why, &search->readings.whole.why) ||
         error_set(error, "out of memory");
}

static bool why_live_measure(struct search *search, struct error *error)
{
  uint64_t for_ns = search->options->for_ns ? search->options->for_ns : USUAL_NS;
  bool traces = insert_can_trace(&search->insert);
  uint64_t readings_ns = traces ? for_ns / FOR_READINGS : for_ns;
  const char *orders = traces ? "heddle why --for with a longer time" : "start it with heddle record --live";
  if (!insert_set(&search->insert, INSERT_SUMS, error) || !is_on(search, "during", error) ||
      !read_sums(search, readings_ns / WHY_PARTS_MOST, traces, orders, error))
    return false;
  if (!traces || search->readings.now.reading.over || has_nothing(&search->readings.whole.why))
    return true;
  return why_live_trace(search, (for_ns - readings_ns) / WHY_PARTS_MOST, error);
}

/* The sentence of the place with most to win in the tree; sums have the last word where there is none. NULL: no memory.
 */
static char *first_of(const struct search *search)
{
  const struct why_node *most = NULL;
  for (size_t i = 0; i < search->traced.why.nodes.count; i++) {
    const struct why_node *node = &search->traced.why.nodes.items[i];
    if (node->aspect == WHY_WHERE && node->finding->text && node->percent >= search->options->threshold &&
        (!most || node->percent > most->percent))
      most = node;
  }
  return most ? findings_look_first(most->finding) : strdup(search->readings.whole.findings.first);
}

static bool why_live_put(struct search *search, struct error *error)
{
  const struct why_live_options *options = search->options;
  bool traced = search->traced.trace != NULL;
  struct analysis_run run = {.command = options->command,
                             .trace =
                                 traced ? search->traced.trace : (struct trace *)search->readings.now.reading.trace,
                             .pool = search->pool,
                             .format = options->format};
  char *first = traced ? first_of(search) : strdup(search->readings.whole.findings.first);
  run.print = first ? print_open(run.format, stdout, run.trace->ticks_per_second) : NULL;
  if (!run.print) {
    free(first);
    return error_set(error, "out of memory");
  }
  why_put(&run, traced ? &search->traced.why : &search->readings.whole.why, first);
  free(first);
  why_inserted_put(&run, &search->inserted);
  error->message[0] = '\0'; /* print_close() says why */
  return print_close(run.print);
}

/* Whatever has happened, the process is as before. */
static bool search_and_restore(struct search *search, struct error *error)
{
  struct error other;
  bool good = is_on(search, "before", error);
  search->live = good ? live_open(search->process.directory, error) : NULL;
  search->pool = pool_create(search->options->jobs);
  good = good && search->live && (search->pool || error_set(error, "out of memory")) && why_live_measure(search, error);
  if (!insert_end(&search->insert, good ? error : &other) && good && (good = why_live_has_ended(search)))
    search->insert.now = search->insert.before;
  if (good)
    good = is_on(search, "after", error) && why_live_put(search, error);
  return good;
}

/* False: an error, after a message. */
static bool search_process(const struct live_process *process, const struct why_live_options *options)
{
  struct search search = {.options = options, .process = *process};
  struct error error;
  otf2_library_quiet();
  why_catch_interrupts();
  bool good = insert_begin(&search.insert, &search.process, &error) && search_and_restore(&search, &error);
  if (!good)
    command_failed(options->command, error.message);
  why_traced_free(&search.traced);
  why_readings_free(&search.readings);
  live_close(search.live);
  pool_destroy(search.pool);
  vector_free(&search.inserted.steps);
  return good;
}

int why_live(const char *pid, const struct why_live_options *options)
{
  struct live_process process;
  struct error error;
  if (!live_process_find(pid, &process, &error)) {
    command_failed(options->command, error.message);
    return EXIT_FAULT;
  }
  bool good = search_process(&process, options);
  live_process_free(&process);
  return good ? EXIT_DONE : EXIT_FAULT;
}

int why_live_program(char **arguments, const struct why_live_options *options)
{
  struct live_started started;
  struct error error;
  struct live_started_as as = {.aside = options->format != PRINT_TEXT};
  bool good = live_start_program(arguments, as, &started, &error);
  if (!good)
    command_failed(options->command, error.message);
  struct live_process process = {
      .pid = live_started_pid(&started), .trace = started.trace, .directory = started.directory};
  good = good && search_process(&process, options) && fflush(stdout) == 0;
  int status = live_started_end(&started);
  return good || status != EXIT_DONE ? status : EXIT_FAULT;
}
