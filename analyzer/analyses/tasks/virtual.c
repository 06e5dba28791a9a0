#include "analyzer/analyses/tasks/virtual.h"

#include "analyzer/trace/definitions.h"

#include <stdlib.h>

#define VIRTUAL_NEVER UINT64_MAX

struct virtual_thread {
  uint32_t site;
  uint64_t start;          /* NEVER: it was not seen */
  uint64_t since;          /* it is on a carrier since then; NEVER: on none ... */
  uint64_t away;           /* ... since then; NEVER: it was on none yet */
  uint64_t run, unmounted; /* ticks */
};

void virtual_threads_init(struct virtual_threads *threads, const struct trace *trace)
{
  *threads = (struct virtual_threads){.trace = trace, .alive.size = sizeof(struct virtual_thread)};
}

void virtual_sites_clear(struct virtual_site *sites, size_t count)
{
  for (size_t i = 0; sites && i < count; i++) {
    lengths_free(&sites[i].queue);
    lengths_free(&sites[i].run);
  }
}

void virtual_threads_free(struct virtual_threads *threads)
{
  virtual_sites_clear(threads->sites.items, threads->sites.count);
  slots_free(&threads->alive);
  hash_free(&threads->site_of);
  vector_free(&threads->sites);
}

/* TRACE_NONE: no memory. */
static uint32_t site_of(struct virtual_threads *threads, uint32_t region)
{
  const uint64_t *known = hash_find(&threads->site_of, region);
  if (known)
    return (uint32_t)*known;
  uint32_t place = (uint32_t)threads->sites.count;
  if (!vector_push(&threads->sites, (struct virtual_site){.region = region}) ||
      !hash_add(&threads->site_of, region, place))
    return TRACE_NONE;
  return place;
}

/* Replaces one with the same id: such an end was not seen. */
static bool begin(struct virtual_threads *threads, uint64_t key, uint32_t region, uint64_t start)
{
  struct virtual_thread thread = {.start = start, .since = VIRTUAL_NEVER, .away = VIRTUAL_NEVER};
  thread.site = site_of(threads, region);
  if (thread.site == TRACE_NONE || !slots_put(&threads->alive, key, &thread))
    return false;
  struct virtual_site *site = &threads->sites.items[thread.site];
  site->threads++;
  if (site->threads - site->ended > site->most_alive)
    site->most_alive = site->threads - site->ended;
  return true;
}

static bool mount(struct virtual_threads *threads, uint64_t key, uint64_t time)
{
  struct virtual_thread *thread = slots_find(&threads->alive, key);
  if (!thread && !begin(threads, key, TRACE_NONE, VIRTUAL_NEVER))
    return false;
  thread = slots_find(&threads->alive, key);
  struct virtual_site *site = &threads->sites.items[thread->site];
  bool first = thread->away == VIRTUAL_NEVER && thread->since == VIRTUAL_NEVER;
  if (thread->away != VIRTUAL_NEVER)
    thread->unmounted += time - thread->away;
  thread->since = time;
  thread->away = VIRTUAL_NEVER;
  site->mounts++;
  return !first || thread->start == VIRTUAL_NEVER || lengths_add(&site->queue, time - thread->start);
}

static void unmount(struct virtual_thread *thread, uint64_t time)
{
  if (thread->since != VIRTUAL_NEVER)
    thread->run += time - thread->since;
  thread->since = VIRTUAL_NEVER;
  thread->away = time;
}

static bool virtual_add_up(struct virtual_threads *threads, const struct virtual_thread *thread)
{
  struct virtual_site *site = &threads->sites.items[thread->site];
  site->unmounted += thread->unmounted;
  return thread->away == VIRTUAL_NEVER || lengths_add(&site->run, thread->run);
}

bool virtual_threads_take(struct virtual_threads *threads, uint32_t location, const struct task_step *step)
{
  if (step->kind < TASK_STEP_START || step->kind > TASK_STEP_UNMOUNT)
    return true;
  struct virtual_thread thread, *known;
  uint64_t key = trace_key_in_process(threads->trace, location, step->data);
  if (step->kind == TASK_STEP_START)
    return begin(threads, key, step->region, step->time);
  if (step->kind == TASK_STEP_MOUNT)
    return mount(threads, key, step->time);
  if ((known = slots_find(&threads->alive, key)) != NULL)
    unmount(known, step->time);
  if (!known || !step->ended)
    return true;
  slots_take(&threads->alive, key, &thread);
  threads->sites.items[thread.site].ended++;
  return virtual_add_up(threads, &thread);
}

static int by_run(const void *of_a, const void *of_b)
{
  const struct virtual_site *a = of_a, *b = of_b;
  if (a->run.total != b->run.total)
    return a->run.total < b->run.total ? 1 : -1;
  return a->region < b->region ? -1 : a->region > b->region;
}

bool virtual_threads_finish(struct virtual_threads *threads, struct tasks *tasks)
{
  const struct hash *alive = &threads->alive.by_key;
  for (size_t i = 0; i < alive->room; i++)
    if (alive->entries[i].used && !virtual_add_up(threads, slots_find(&threads->alive, alive->entries[i].key)))
      return false;
  if (threads->sites.count > 0)
    qsort(threads->sites.items, threads->sites.count, sizeof *threads->sites.items, by_run);
  tasks->virtual_sites = threads->sites.items;
  tasks->virtual_count = threads->sites.count;
  threads->sites.items = NULL;
  threads->sites.count = threads->sites.room = 0;
  return true;
}
