#include "analyzer/analyses/calls/entered.h"

#include "analyzer/trace/attributes.h"
#include "analyzer/trace/stream.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

bool calls_entered_has(const struct trace *trace)
{
  for (uint32_t i = 0; i < trace->region_count; i++)
    if (trace->regions[i].paradigm == OTF2_PARADIGM_COMPILER && trace->regions[i].role == OTF2_REGION_ROLE_FUNCTION)
      return true;
  return false;
}

/* A call that has not returned. */
struct open_call {
  uint32_t region, context;
  uint64_t begin, below; /* below: ticks of its callees */
};

struct entered {
  const struct trace *trace;
  struct samples *paths;
  struct calls_exact *exact;
  struct hash context_of;   /* 1 + the parent << 32 | region: the context */
  VECTOR(uint64_t) cell_of; /* of a context: 1 + its newest cell */
  VECTOR(struct open_call) calls;
  uint32_t location;
  size_t first; /* the first cell of the location */
  uint64_t last;
  bool out_of_memory;
};

static bool is_wait(const struct trace_region *region)
{
  return region->role == OTF2_REGION_ROLE_BARRIER || region->role == OTF2_REGION_ROLE_IMPLICIT_BARRIER ||
         region->role == OTF2_REGION_ROLE_TASK_WAIT;
}

/* TRACE_NONE: no memory. */
static uint32_t entered_context(struct entered *entered, uint32_t parent, uint32_t region)
{
  struct samples *paths = entered->paths;
  uint64_t key = (uint64_t)(parent + 1) << 32 | region; /* TRACE_NONE + 1 is 0 */
  const uint64_t *known = hash_find(&entered->context_of, key);
  if (known)
    return (uint32_t)*known;
  if (paths->context_count == TRACE_NONE - 1 || !array_make_room(paths->contexts, paths->context_count) ||
      !vector_push(&entered->cell_of, 0) || !hash_add(&entered->context_of, key, paths->context_count))
    return TRACE_NONE;
  paths->contexts[paths->context_count] = (struct samples_context){.function = region, .parent = parent, .file = ""};
  return paths->context_count++;
}

/* NULL: no memory. */
static struct calls_exact_sums *entered_sums(struct entered *entered, uint32_t context)
{
  struct calls_exact *exact = entered->exact;
  uint64_t *cell = &entered->cell_of.items[context];
  if (*cell <= entered->first) {
    if (!array_make_room(exact->cells, exact->cell_count))
      return NULL;
    exact->cells[exact->cell_count++] = (struct calls_exact_cell){.context = context, .location = entered->location};
    *cell = exact->cell_count;
  }
  return &exact->cells[*cell - 1].sums;
}

/* Ends the innermost call; `returned`: an event says so. False: no memory. */
static bool entered_end(struct entered *entered, uint64_t time, bool returned)
{
  const struct open_call call = entered->calls.items[--entered->calls.count];
  struct calls_exact_sums *sums = entered_sums(entered, call.context);
  if (!sums)
    return false;
  uint64_t duration = time - call.begin, own = duration - call.below;
  sums->calls++;
  sums->running += !returned;
  *(is_wait(&entered->trace->regions[call.region]) ? &sums->blocked : &sums->self) += own;
  if (returned && (sums->shortest == 0 || duration < sums->shortest))
    sums->shortest = duration;
  if (returned && duration > sums->longest)
    sums->longest = duration;
  if (entered->calls.count > 0)
    entered->calls.items[entered->calls.count - 1].below += duration;
  return true;
}

static bool entered_enter(struct entered *entered, uint32_t region, uint64_t time)
{
  size_t depth = entered->calls.count;
  uint32_t parent = depth > 0 ? entered->calls.items[depth - 1].context : TRACE_NONE;
  uint32_t context = entered_context(entered, parent, region);
  struct open_call call = {.region = region, .context = context, .begin = time};
  return context != TRACE_NONE && vector_push(&entered->calls, call);
}

/* Calls inside of one that returns have ended, too. A Leave without its Enter is ignored. */
static bool entered_leave(struct entered *entered, uint32_t region, uint64_t time)
{
  size_t at = entered->calls.count;
  while (at > 0 && entered->calls.items[at - 1].region != region)
    at--;
  bool good = true;
  while (good && at > 0 && entered->calls.count >= at)
    good = entered_end(entered, time, true);
  return good;
}

static bool entered_take(void *context, const struct trace_event *event)
{
  struct entered *entered = context;
  entered->last = event->time;
  if (event->index == TRACE_NONE)
    return true;
  entered->out_of_memory = (event->kind == TRACE_Enter && !entered_enter(entered, event->index, event->time)) ||
                           (event->kind == TRACE_Leave && !entered_leave(entered, event->index, event->time));
  return !entered->out_of_memory;
}

static bool entered_read(struct entered *entered, struct error *error)
{
  const struct trace *trace = entered->trace;
  bool good = true;
  for (uint32_t i = 0; good && i < trace->location_count; i++) {
    if (!trace_is_thread(trace, i) || trace->locations[i].excluded)
      continue;
    entered->location = i;
    entered->first = entered->exact->cell_count;
    uint64_t read = 1;
    struct trace_stream *stream = trace_stream_open(trace, i, entered_take, entered, error);
    good = stream != NULL;
    while (good && read > 0)
      good = trace_stream_read(stream, TRACE_BATCH, &read);
    trace_stream_close(stream);
    while (good && entered->calls.count > 0)
      entered->out_of_memory = !(good = entered_end(entered, entered->last, false));
    if (entered->out_of_memory)
      good = error_set(error, "%s: out of memory", trace->anchor);
  }
  return good;
}

static bool name_functions(struct samples *paths, const struct trace *trace)
{
  paths->anchor = strdup(trace->anchor);
  paths->functions = calloc((size_t)trace->region_count + 1, sizeof *paths->functions);
  paths->function_count = trace->region_count;
  for (uint32_t i = 0; paths->functions && i < trace->region_count; i++)
    paths->functions[i] = (struct samples_function){
        .name = trace->regions[i].name, .file = trace->regions[i].file, .module = "", .line = trace->regions[i].line};
  return paths->anchor && paths->functions;
}

struct exact_calls *calls_entered_open(const struct trace *trace, struct calls_exact *exact, struct error *error)
{
  *exact = (struct calls_exact){.cells = NULL};
  struct exact_calls *calls = calloc(1, sizeof *calls);
  struct entered entered = {.trace = trace, .exact = exact, .paths = calloc(1, sizeof *entered.paths)};
  if (calls)
    calls->paths = entered.paths;
  bool good = (calls && entered.paths && name_functions(entered.paths, trace)) ||
              error_set(error, "%s: out of memory", trace->anchor);
  good = good && entered_read(&entered, error);
  hash_free(&entered.context_of);
  vector_free(&entered.cell_of);
  vector_free(&entered.calls);
  if (good)
    return calls;
  if (!calls)
    samples_close(entered.paths);
  exact_calls_close(calls);
  return NULL;
}
