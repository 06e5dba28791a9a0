#include "analyzer/analyses/tasks/sums.h"

#include <stdlib.h>

uint32_t task_sums_site(struct task_sums *sums, uint32_t region)
{
  const uint64_t *at = hash_find(&sums->site_of, region);
  if (at)
    return (uint32_t)*at;
  struct task_site site = {.region = region};
  if (!vector_push(&sums->sites, site) || !hash_add(&sums->site_of, region, sums->sites.count - 1))
    return TRACE_NONE;
  return (uint32_t)sums->sites.count - 1;
}

struct task_thread *task_sums_thread(struct task_sums *sums, uint32_t site, uint32_t location)
{
  uint64_t key = (uint64_t)site << 32 | location;
  const uint64_t *at = hash_find(&sums->thread_of, key);
  struct task_thread thread = {.site = site, .location = location};
  if (at)
    return &sums->threads.items[*at];
  if (!vector_push(&sums->threads, thread) || !hash_add(&sums->thread_of, key, sums->threads.count - 1))
    return NULL;
  return &sums->threads.items[sums->threads.count - 1];
}

static int compare_sites(const void *of_a, const void *of_b)
{
  const struct task_site *a = of_a, *b = of_b;
  if (a->run.total != b->run.total)
    return a->run.total < b->run.total ? 1 : -1;
  return (a->region > b->region) - (a->region < b->region);
}

static int compare_threads(const void *of_a, const void *of_b)
{
  const struct task_thread *a = of_a, *b = of_b;
  if (a->site != b->site)
    return a->site < b->site ? -1 : 1;
  if (a->run != b->run)
    return a->run < b->run ? 1 : -1;
  return (a->location > b->location) - (a->location < b->location);
}

void task_sums_finish(struct task_sums *sums, struct tasks *tasks)
{
  *tasks = sums->whole;
  tasks->sites = sums->sites.items;
  tasks->site_count = sums->sites.count;
  tasks->threads = sums->threads.items;
  tasks->thread_count = sums->threads.count;
  for (size_t i = 0; i < tasks->thread_count; i++)
    tasks->threads[i].site = tasks->sites[tasks->threads[i].site].region; /* until the sites are sorted */
  if (tasks->site_count > 0)
    qsort(tasks->sites, tasks->site_count, sizeof *tasks->sites, compare_sites);
  for (size_t i = 0; i < tasks->site_count; i++)
    hash_put(&sums->site_of, tasks->sites[i].region, i); /* the keys are there: no memory is needed */
  for (size_t i = 0; i < tasks->thread_count; i++)
    tasks->threads[i].site = (size_t)*hash_find(&sums->site_of, tasks->threads[i].site);
  if (tasks->thread_count > 0)
    qsort(tasks->threads, tasks->thread_count, sizeof *tasks->threads, compare_threads);
  sums->sites.items = NULL;
  sums->threads.items = NULL;
  task_sums_free(sums);
}

void task_sites_clear(struct task_site *sites, size_t count)
{
  for (size_t i = 0; sites && i < count; i++) {
    lengths_free(&sites[i].queue);
    lengths_free(&sites[i].held);
    lengths_free(&sites[i].run);
    lengths_free(&sites[i].apart);
  }
}

void task_sums_free(struct task_sums *sums)
{
  task_sites_clear(sums->sites.items, sums->sites.count);
  vector_free(&sums->sites);
  vector_free(&sums->threads);
  hash_free(&sums->site_of);
  hash_free(&sums->thread_of);
}
