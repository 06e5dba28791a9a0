#include "analyzer/analyses/tasks/pools.h"

#include "analyzer/trace/definitions.h"
#include "base/hash.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Names that the JDK gives to threads without a known purpose: they need not belong together. */
#define ANY_THREAD "Thread-"

/* The length of a name without the number at its end. */
static size_t stem(const char *name)
{
  size_t length = strlen(name);
  while (length > 0 && isdigit((unsigned char)name[length - 1]))
    length--;
  return length;
}

static bool is_numbered(const char *name)
{
  return name[stem(name)] != 0 && stem(name) > 0;
}

/* By process and stem. */
static int compare_names(const void *of_a, const void *of_b, void *context)
{
  const struct trace *trace = context;
  const struct trace_location *a = &trace->locations[*(const uint32_t *)of_a];
  const struct trace_location *b = &trace->locations[*(const uint32_t *)of_b];
  size_t of_stem_a = stem(a->name), of_stem_b = stem(b->name);
  if (a->process != b->process)
    return a->process < b->process ? -1 : 1;
  if (is_numbered(a->name) != is_numbered(b->name))
    return is_numbered(a->name) ? 1 : -1;
  int order = strncmp(a->name, b->name, of_stem_a < of_stem_b ? of_stem_a : of_stem_b);
  return order != 0 ? order : (of_stem_a > of_stem_b) - (of_stem_a < of_stem_b);
}

bool task_pools_init(struct task_pools *pools, const struct trace *trace)
{
  uint32_t count = trace->location_count;
  *pools = (struct task_pools){.trace = trace};
  uint32_t *order = malloc(((size_t)count + 1) * sizeof *order);
  pools->pool_of = calloc((size_t)count + 1, sizeof *pools->pool_of);
  pools->states = calloc((size_t)count + 1, sizeof *pools->states);
  pools->at_work = calloc((size_t)count + 1, sizeof *pools->at_work);
  size_t servers = (size_t)count + trace->process_count + 1;
  pools->servers = malloc(servers * sizeof *pools->servers);
  bool good = order && pools->pool_of && pools->states && pools->at_work && pools->servers;
  for (size_t i = 0; good && i < servers; i++)
    pools->servers[i] = (struct task_server){.location = TRACE_NONE};
  for (uint32_t i = 0; good && i < count; i++)
    order[i] = i;
  if (good && count > 0)
    qsort_r(order, count, sizeof *order, compare_names, (void *)trace);
  for (uint32_t i = 0; good && i < count; i++) {
    bool alone = i == 0 || !is_numbered(trace->locations[order[i]].name) ||
                 compare_names(&order[i - 1], &order[i], (void *)trace) != 0;
    pools->count += alone;
    pools->pool_of[order[i]] = pools->count - 1;
  }
  for (uint32_t i = 0; good && i < pools->count; i++)
    pools->states[i].begin = UINT64_MAX;
  free(order);
  return good;
}

void task_pools_free(struct task_pools *pools)
{
  free(pools->pool_of);
  free(pools->states);
  free(pools->at_work);
  free(pools->servers);
  *pools = (struct task_pools){0};
}

void task_pools_turn(struct task_pools *pools, uint32_t location, uint64_t time, bool at_work)
{
  struct pool_state *state = &pools->states[pools->pool_of[location]];
  if (pools->at_work[location] == at_work)
    return;
  pools->at_work[location] = at_work;
  state->at_work += at_work ? 1 : -1;
  if (state->at_work > state->most_at_work)
    state->most_at_work = state->at_work;
  if (time < state->begin)
    state->begin = time;
  state->end = time;
}

void task_pools_begin(struct task_pools *pools, uint32_t location, uint64_t ready, uint64_t busy_until, uint64_t begin)
{
  struct pool_state *state = &pools->states[pools->pool_of[location]];
  state->submitted++;
  state->queue += begin - ready;
  if (busy_until <= ready)
    return;
  uint64_t from = ready > state->starved_until ? ready : state->starved_until;
  state->for_worker += busy_until - ready;
  state->starved += busy_until > from ? busy_until - from : 0;
  if (busy_until > state->starved_until)
    state->starved_until = busy_until;
}

/* Tasks of the location's process with an unknown maker. */
static struct task_server *server_of_forks(const struct task_pools *pools, uint32_t location)
{
  uint32_t process = pools->trace->locations[location].process, count = pools->trace->process_count;
  return &pools->servers[pools->trace->location_count + (process < count ? process : count)];
}

void task_pools_serve(struct task_pools *pools, uint32_t maker, uint32_t location)
{
  *(maker == TRACE_NONE ? server_of_forks(pools, location) : &pools->servers[maker]) =
      (struct task_server){location, ++pools->begins};
}

void task_pools_await(struct task_pools *pools, uint32_t location, enum await_kind kind, uint64_t waited)
{
  const struct task_server *own = &pools->servers[location], *forks = server_of_forks(pools, location);
  uint32_t server = own->location;
  if (kind == AWAIT_FORKED && pools->at_work[location])
    server = location;
  else if (kind == AWAIT_FORKED && forks->turn > own->turn)
    server = forks->location;
  if (server == TRACE_NONE)
    return;
  struct pool_state *state = &pools->states[pools->pool_of[server]];
  state->awaited++;
  state->await += waited;
}

void task_pools_task(struct task_pools *pools, uint32_t location, uint64_t blocked, uint64_t locked)
{
  struct pool_state *state = &pools->states[pools->pool_of[location]];
  state->tasks++;
  state->blocked += blocked;
  state->locked += locked;
}

/* What single locations did, while the results are made. */
struct worker {
  uint64_t ran;
  wide_total run, longest; /* longest: at its main site */
  size_t site;             /* ... this one */
};

static struct worker *find_workers(const struct tasks *tasks, uint32_t count)
{
  struct worker *workers = calloc((size_t)count + 1, sizeof *workers);
  for (size_t i = 0; workers && i < tasks->thread_count; i++) {
    const struct task_thread *thread = &tasks->threads[i];
    struct worker *worker = &workers[thread->location];
    worker->ran += thread->ran;
    worker->run += thread->run;
    if (thread->run > worker->longest) {
      worker->longest = thread->run;
      worker->site = thread->site;
    }
  }
  return workers;
}

/* By site: the pool whose workers executed most of it. TRACE_NONE: none did. NULL: no memory. */
static uint32_t *find_site_pools(const struct task_pools *pools, const struct tasks *tasks)
{
  uint32_t *site_pools = malloc((tasks->site_count + 1) * sizeof *site_pools);
  wide_total *most = calloc(tasks->site_count + 1, sizeof *most);
  bool good = site_pools && most;
  for (size_t i = 0; good && i < tasks->site_count; i++)
    site_pools[i] = TRACE_NONE;
  for (size_t i = 0; good && i < tasks->thread_count; i++) {
    const struct task_thread *thread = &tasks->threads[i];
    if (thread->ran == 0 || thread->run <= most[thread->site] ||
        !is_numbered(pools->trace->locations[thread->location].name))
      continue;
    most[thread->site] = thread->run;
    site_pools[thread->site] = pools->pool_of[thread->location];
  }
  free(most);
  if (good)
    return site_pools;
  free(site_pools);
  return NULL;
}

/*
 * A thread whose name has no number may execute tasks of a pool while it waits for them, like a user of parallel
 * streams. It belongs to the pool of its main site. TRACE_NONE: it is none.
 */
static uint32_t pool_of_caller(const struct task_pools *pools, const uint32_t *site_pools, uint32_t location,
                               const struct worker *worker)
{
  return is_numbered(pools->trace->locations[location].name) ? TRACE_NONE : site_pools[worker->site];
}

static int compare_members(const void *of_a, const void *of_b)
{
  const struct task_member *a = of_a, *b = of_b;
  if (a->pool != b->pool)
    return a->pool < b->pool ? -1 : 1;
  if (a->calls != b->calls)
    return a->calls ? 1 : -1;
  if (a->run != b->run)
    return a->run < b->run ? 1 : -1;
  return (a->location > b->location) - (a->location < b->location);
}

static int compare_pools(const void *of_a, const void *of_b)
{
  const struct task_pool *a = of_a, *b = of_b;
  if (a->run != b->run)
    return a->run < b->run ? 1 : -1;
  return (a->first > b->first) - (a->first < b->first);
}

/* True if a thread that executed nothing is a worker for certain. */
static bool idles_in_pool(const struct task_pools *pools, uint32_t location)
{
  const char *name = pools->trace->locations[location].name;
  return trace_is_program_thread(pools->trace, location) && is_numbered(name) &&
         strncmp(name, ANY_THREAD, sizeof ANY_THREAD - 1) != 0;
}

/* All members of pools that have tasks, by the place of their pool in the states. False: no memory. */
static bool add_members(const struct task_pools *pools, const struct worker *workers, struct tasks *tasks)
{
  uint32_t *site_pools = find_site_pools(pools, tasks);
  if (!site_pools)
    return false;
  for (uint32_t i = 0; i < pools->trace->location_count; i++) {
    const struct worker *worker = &workers[i];
    uint32_t pool = pools->pool_of[i];
    uint32_t other = worker->ran > 0 ? pool_of_caller(pools, site_pools, i, worker) : TRACE_NONE;
    if (worker->ran == 0 && (pools->states[pool].tasks == 0 || !idles_in_pool(pools, i)))
      continue;
    tasks->members[tasks->member_count++] = (struct task_member){.pool = other == TRACE_NONE ? pool : other,
                                                                 .location = i,
                                                                 .calls = other != TRACE_NONE,
                                                                 .ran = worker->ran,
                                                                 .run = worker->run};
  }
  if (tasks->member_count > 0)
    qsort(tasks->members, tasks->member_count, sizeof *tasks->members, compare_members);
  free(site_pools);
  return true;
}

static char *name_of(const struct task_pools *pools, const struct task_pool *pool)
{
  const char *name = pools->trace->locations[pool->first].name;
  char *text = malloc(strlen(name) + 2);
  if (!text)
    return NULL;
  strcpy(text, name);
  if (pool->workers + pool->never_ran > 1 && is_numbered(name))
    strcpy(text + stem(name), "*");
  return text;
}

static void add_member(struct task_pool *pool, const struct task_pools *pools, const struct task_member *member)
{
  const struct pool_state *state = &pools->states[pools->pool_of[member->location]];
  pool->callers += member->calls;
  pool->workers += !member->calls && member->ran > 0;
  pool->never_ran += member->ran == 0;
  pool->run += member->run;
  if (member->run > pool->run_max || pool->longest == TRACE_NONE) {
    pool->run_max = member->run;
    pool->longest = member->location;
  }
  if (pool->first != TRACE_NONE && !member->calls)
    return; /* the figures are the figures of the whole pool */
  if (pool->first == TRACE_NONE)
    pool->first = member->location;
  pool->tasks += state->tasks;
  pool->submitted += state->submitted;
  pool->queue += state->queue;
  pool->for_worker += state->for_worker;
  pool->starved += state->starved;
  pool->awaited += state->awaited;
  pool->await += state->await;
  pool->blocked += state->blocked;
  pool->locked += state->locked;
  pool->begin = state->begin < pool->begin ? state->begin : pool->begin;
  pool->end = state->end > pool->end ? state->end : pool->end;
  if (!member->calls)
    pool->most_at_work = state->most_at_work;
}

/* Members get the places of the pools as these are sorted. */
static bool renumber(struct tasks *tasks, uint32_t count)
{
  uint32_t *now = malloc(((size_t)count + 1) * sizeof *now);
  if (!now)
    return false;
  for (size_t i = 0; i < tasks->pool_count; i++)
    now[tasks->pools[i].place] = (uint32_t)i;
  for (size_t i = 0; i < tasks->member_count; i++)
    tasks->members[i].pool = now[tasks->members[i].pool];
  free(now);
  if (tasks->member_count > 0)
    qsort(tasks->members, tasks->member_count, sizeof *tasks->members, compare_members);
  return true;
}

bool task_pools_finish(const struct task_pools *pools, struct tasks *tasks)
{
  uint32_t count = pools->trace->location_count;
  struct worker *workers = find_workers(tasks, count);
  tasks->members = calloc((size_t)count + 1, sizeof *tasks->members);
  tasks->pools = calloc((size_t)pools->count + 1, sizeof *tasks->pools);
  bool good = workers && tasks->members && tasks->pools && add_members(pools, workers, tasks);
  for (size_t i = 0; good && i < tasks->member_count; i++) {
    const struct task_member *member = &tasks->members[i];
    if (tasks->pool_count == 0 || tasks->pools[tasks->pool_count - 1].place != member->pool)
      tasks->pools[tasks->pool_count++] =
          (struct task_pool){.place = member->pool, .first = TRACE_NONE, .longest = TRACE_NONE, .begin = UINT64_MAX};
    add_member(&tasks->pools[tasks->pool_count - 1], pools, member);
  }
  for (size_t i = 0; good && i < tasks->pool_count; i++)
    good = (tasks->pools[i].name = name_of(pools, &tasks->pools[i])) != NULL;
  if (good && tasks->pool_count > 0)
    qsort(tasks->pools, tasks->pool_count, sizeof *tasks->pools, compare_pools);
  good = good && renumber(tasks, pools->count);
  free(workers);
  return good;
}

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
