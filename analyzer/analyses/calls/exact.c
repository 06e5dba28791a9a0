#include "analyzer/analyses/calls/exact.h"

#include <stdlib.h>
#include <string.h>

/* While a location is read. */
struct exact_adder {
  struct calls_exact *exact;
  uint32_t location;
  size_t first;   /* its first cell */
  uint64_t *cell; /* by context: 1 + the number of its newest cell */
  bool out_of_memory;
};

static void exact_add(struct calls_exact_sums *into, const struct calls_exact_sums *more)
{
  if (more->shortest > 0 && (into->shortest == 0 || more->shortest < into->shortest))
    into->shortest = more->shortest;
  if (more->longest > into->longest)
    into->longest = more->longest;
  into->calls += more->calls;
  into->running += more->running;
  into->self += more->self;
  into->blocked += more->blocked;
}

static bool exact_take(void *context, const struct exact_calls_sums *read)
{
  struct exact_adder *adder = context;
  struct calls_exact *exact = adder->exact;
  struct calls_exact_sums sums = {.calls = read->calls,
                                  .running = read->running,
                                  .self = read->self,
                                  .blocked = read->blocked,
                                  .shortest = read->shortest,
                                  .longest = read->longest};
  uint64_t *cell = &adder->cell[read->context];
  if (*cell <= adder->first) {
    adder->out_of_memory = !array_make_room(exact->cells, exact->cell_count);
    if (adder->out_of_memory)
      return false;
    exact->cells[exact->cell_count++] =
        (struct calls_exact_cell){.context = read->context, .location = adder->location};
    *cell = exact->cell_count;
  }
  exact_add(&exact->cells[*cell - 1].sums, &sums);
  return true;
}

static bool exact_find(const struct trace *trace, const struct exact_calls *archive, struct calls_exact *exact,
                       struct error *error)
{
  *exact = (struct calls_exact){.cells = NULL};
  struct exact_adder adder = {.exact = exact,
                              .cell = calloc((size_t)archive->paths->context_count + 1, sizeof *adder.cell)};
  bool good = adder.cell || error_set(error, "%s: out of memory", trace->anchor);
  for (uint32_t i = 0; good && i < trace->location_count; i++) {
    const struct trace_location *location = &trace->locations[i];
    if (!trace_is_thread(trace, i) || location->excluded)
      continue;
    adder.location = i;
    adder.first = exact->cell_count;
    good = exact_calls_read(archive, location, exact_take, &adder, error);
    if (good && adder.out_of_memory)
      good = error_set(error, "%s: out of memory", trace->anchor);
  }
  free(adder.cell);
  return good;
}

/* Paths of workers begin at `main`. */
struct beginning {
  struct samples *paths;
  uint32_t count; /* contexts of the archive; copies are behind them */
  bool *used;     /* by a worker */
  uint32_t main;  /* the context */
  uint32_t *copy; /* of a context that is used: below `main` */
};

static bool is_of_worker(const struct trace *trace, const struct calls_exact_cell *cell)
{
  const struct trace_location *location = &trace->locations[cell->location];
  return location->type == TRACE_THREAD_WORKER && location->process != TRACE_NONE;
}

/* The context in which `main` begins a thread of a process that is no worker; TRACE_NONE: there is none. */
static uint32_t main_of(const struct trace *trace, const struct calls_exact *exact, const struct samples *paths,
                        uint32_t process)
{
  uint32_t found = TRACE_NONE;
  for (size_t i = 0; i < exact->cell_count; i++) {
    const struct trace_location *location = &trace->locations[exact->cells[i].location];
    const struct samples_context *context = &paths->contexts[exact->cells[i].context];
    if (location->process == process && location->type != TRACE_THREAD_WORKER && context->parent == TRACE_NONE &&
        strcmp(paths->functions[context->function].name, "main") == 0)
      found = exact->cells[i].context;
  }
  return found;
}

/* Parents come first, here and in the archive. False: no memory. */
static bool copy_below_main(struct beginning *beginning)
{
  struct samples *paths = beginning->paths;
  uint32_t next = paths->context_count;
  if (next >= TRACE_NONE - beginning->count)
    return false;
  void *more = reallocarray(paths->contexts, (size_t)next + beginning->count + 1, sizeof *paths->contexts);
  if (!more)
    return false;
  paths->contexts = more;
  for (uint32_t i = 0; i < beginning->count; i++) {
    if (!beginning->used[i])
      continue;
    struct samples_context context = paths->contexts[i];
    context.parent = context.parent == TRACE_NONE ? beginning->main : beginning->copy[context.parent];
    paths->contexts[next] = context;
    beginning->copy[i] = next++;
  }
  paths->context_count = next;
  return true;
}

static void find_used(const struct trace *trace, const struct calls_exact *exact, struct beginning *beginning)
{
  for (size_t i = 0; i < exact->cell_count; i++)
    if (is_of_worker(trace, &exact->cells[i]))
      beginning->used[exact->cells[i].context] = true;
  for (uint32_t i = beginning->count; i-- > 0;) {
    uint32_t parent = beginning->paths->contexts[i].parent;
    if (beginning->used[i] && parent != TRACE_NONE)
      beginning->used[parent] = true;
  }
}

/* False: no memory. */
static bool begin_at_main(const struct trace *trace, struct samples *paths, struct calls_exact *exact)
{
  struct beginning beginning = {.paths = paths, .count = paths->context_count, .main = TRACE_NONE};
  uint32_t process = TRACE_NONE;
  beginning.used = calloc((size_t)beginning.count + 1, sizeof *beginning.used);
  beginning.copy = calloc((size_t)beginning.count + 1, sizeof *beginning.copy);
  bool good = beginning.used && beginning.copy;
  if (good)
    find_used(trace, exact, &beginning);
  for (size_t i = 0; good && i < exact->cell_count; i++) {
    struct calls_exact_cell *cell = &exact->cells[i];
    if (!is_of_worker(trace, cell))
      continue;
    if (trace->locations[cell->location].process != process) {
      uint32_t before = beginning.main;
      process = trace->locations[cell->location].process;
      beginning.main = main_of(trace, exact, paths, process);
      good = beginning.main == TRACE_NONE || beginning.main == before || copy_below_main(&beginning);
    }
    if (good && beginning.main != TRACE_NONE)
      cell->context = beginning.copy[cell->context];
  }
  free(beginning.used);
  free(beginning.copy);
  return good;
}

bool calls_exact_find(const struct trace *trace, const struct exact_calls *archive, struct calls_exact *exact,
                      struct error *error)
{
  return exact_find(trace, archive, exact, error) &&
         (begin_at_main(trace, archive->paths, exact) || error_set(error, "%s: out of memory", trace->anchor));
}

void calls_exact_free(struct calls_exact *exact)
{
  free(exact->cells);
  *exact = (struct calls_exact){.cells = NULL};
}

static bool exact_allocate(const struct calls_tree *tree, struct calls_exact_figures *figures)
{
  size_t nodes = (size_t)tree->node_count + 1;
  *figures = (struct calls_exact_figures){.nodes = calloc(nodes, sizeof *figures->nodes),
                                          .codes = calloc((size_t)tree->code_count + 1, sizeof *figures->codes),
                                          .calls = calloc(nodes, sizeof *figures->calls),
                                          .blocked = calloc(nodes, sizeof *figures->blocked)};
  return figures->nodes && figures->codes && figures->calls && figures->blocked;
}

bool calls_exact_figures_find(const struct calls_exact *exact, uint32_t location, const struct calls_tree *tree,
                              struct calls_exact_figures *figures)
{
  wide_total *weights = calloc((size_t)tree->node_count + 1, sizeof *weights);
  bool good = exact_allocate(tree, figures) && weights;
  for (size_t i = 0; good && i < exact->cell_count; i++)
    if (location == CALLS_ANY || exact->cells[i].location == location)
      exact_add(&figures->nodes[tree->node_of[exact->cells[i].context]], &exact->cells[i].sums);
  for (uint32_t i = 1; good && i < tree->node_count; i++) {
    const struct calls_exact_sums *sums = &figures->nodes[i];
    exact_add(&figures->codes[tree->nodes[i].code], sums);
    exact_add(&figures->all, sums);
    weights[i] = sums->self + sums->blocked;
    figures->calls[i] = sums->calls;
    figures->blocked[i] = sums->blocked;
  }
  good = good && calls_figures_of(weights, tree, &figures->times);
  figures->times.calls = figures->calls;
  figures->times.blocked = figures->blocked;
  free(weights);
  return good;
}

void calls_exact_figures_free(struct calls_exact_figures *figures)
{
  calls_figures_free(&figures->times);
  free(figures->nodes);
  free(figures->codes);
  free(figures->calls);
  free(figures->blocked);
  *figures = (struct calls_exact_figures){.nodes = NULL};
}

/* Exact calls in place of samples: which of both is shown, and the form of samples. */

const struct samples_trigger calls_exact_triggers[EXACT_TRIGGERS] = {
    [EXACT_TIME] = {.name = "time", .timed = true, .period = 1},
    [EXACT_BLOCKED_TIME] = {.name = "blocked", .timed = true, .period = 1},
    [EXACT_NUMBER] = {.name = "calls", .timed = false, .period = 1},
};

/* Rounded; sums of damaged archives may be too large. */
static uint64_t ns_of(const struct trace *trace, wide_total ticks)
{
  enum { NS = 1000000000 };
  uint64_t second = trace->ticks_per_second > 0 ? trace->ticks_per_second : NS;
  wide_total ns = ticks / second * NS + (ticks % second * NS + second / 2) / second;
  return ns < UINT64_MAX ? (uint64_t)ns : UINT64_MAX;
}

bool calls_exact_as_sums(const struct trace *trace, const struct calls_exact *exact, struct calls *calls)
{
  *calls = (struct calls){.cells = calloc(exact->cell_count * EXACT_TRIGGERS + 1, sizeof *calls->cells)};
  for (size_t i = 0; calls->cells && i < exact->cell_count; i++) {
    const struct calls_exact_cell *of = &exact->cells[i];
    const struct calls_exact_sums *sums = &of->sums;
    const uint64_t numbers[EXACT_TRIGGERS] = {
        [EXACT_TIME] = ns_of(trace, sums->self + sums->blocked),
        [EXACT_BLOCKED_TIME] = ns_of(trace, sums->blocked),
        [EXACT_NUMBER] = sums->calls < UINT64_MAX ? (uint64_t)sums->calls : UINT64_MAX,
    };
    for (uint32_t k = 0; k < EXACT_TRIGGERS; k++)
      if (numbers[k] > 0)
        calls->cells[calls->cell_count++] = (struct calls_cell){.context = of->context,
                                                                .location = of->location,
                                                                .construct = TRACE_NONE,
                                                                .state = CALLS_OUTSIDE,
                                                                .trigger = k,
                                                                .samples = numbers[k]};
  }
  return calls->cells;
}
