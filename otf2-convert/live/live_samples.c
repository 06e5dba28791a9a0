#include "otf2-convert/live/live_samples.h"

#include "common/raw/archive_names.h"
#include "common/raw/live_control.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define LIVE_SAMPLES_DEPTH_MOST 512u /* calls above one that are looked at ... */
#define LIVE_SAMPLES_STEPS_MOST                                                                                        \
  (1u << 22) /* ... and in all of a reading: a file may have circles; beyond, only functions themselves */

bool live_samples_take(struct live_sampled_functions *samples, int directory)
{
  int fd = openat(directory, LIVE_SAMPLES_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return true;
  if (samples->file == NULL)
    samples->file = malloc(sizeof *samples->file);
  if (samples->file != NULL) {
    ssize_t size = pread(fd, samples->file, sizeof *samples->file, 0);
    size_t has = size < 0 ? 0 : (size_t)size;
    memset((char *)samples->file + has, 0, sizeof *samples->file - has);
  }
  close(fd);
  return samples->file != NULL;
}

void live_samples_free(struct live_sampled_functions *samples)
{
  free(samples->file);
  samples->file = NULL;
  string_table_free(&samples->functions);
  vector_free(&samples->places);
  hash_free(&samples->of_place);
  vector_free(&samples->all);
  hash_free(&samples->index);
  vector_free(&samples->seen);
  vector_free(&samples->waits);
}

/* The number of a function; STRING_TABLE_NONE: memory is short. */
static uint32_t function_of(struct live_sampled_functions *samples, const char *name, uint32_t place)
{
  uint32_t number = string_table_number(&samples->functions, name);
  if (number == samples->places.count && !vector_push(&samples->places, place))
    return STRING_TABLE_NONE;
  return number == STRING_TABLE_NONE || number < samples->places.count ? number : STRING_TABLE_NONE;
}

static uint32_t function_at(struct live_sampled_functions *samples, const struct java_names *names, uint32_t place)
{
  const uint64_t *known = hash_find(&samples->of_place, place);
  if (known != NULL)
    return (uint32_t)*known;
  const struct java_place *at = java_place(names, place);
  if (at == NULL)
    return function_of(samples, NAME_METHOD_UNKNOWN, 0);
  uint32_t function = function_of(samples, at->method, place);
  return function == STRING_TABLE_NONE || hash_add(&samples->of_place, place, function) == NULL ? STRING_TABLE_NONE
                                                                                                : function;
}

static bool live_samples_add(struct live_sampled_functions *samples, uint32_t thread, uint32_t function, uint64_t self,
                             uint64_t total)
{
  uint64_t key = (uint64_t)thread << 32 | function;
  const uint64_t *known = hash_find(&samples->index, key);
  if (known == NULL) {
    struct live_function none = {.thread = thread, .function = function};
    if (function == STRING_TABLE_NONE || !vector_push(&samples->all, none))
      return false;
    known = hash_add(&samples->index, key, samples->all.count - 1);
  }
  if (known == NULL)
    return false;
  samples->all.items[*known].self += self;
  samples->all.items[*known].total += total;
  return true;
}

/* Whether a function is met for the first time on the way from a call. */
static bool live_samples_is_first(struct live_sampled_functions *samples, uint32_t function, uint32_t from)
{
  if (samples->seen.count <= function && !vector_resize(&samples->seen, (size_t)function + 1))
    return true;
  bool first = samples->seen.items[function] != from;
  samples->seen.items[function] = from;
  return first;
}

/* number: of the place in the file, from 1. */
static bool add_call(struct live_sampled_functions *samples, const struct java_calls *calls,
                     const struct java_names *names, const struct live_sampled *sampled, uint32_t number,
                     uint32_t *steps)
{
  uint32_t thread = (uint32_t)(sampled->who >> 32);
  const struct java_call *call = java_call(calls, (uint32_t)sampled->who);
  bool good = true;
  for (unsigned depth = 0;
       good && call != NULL && depth < LIVE_SAMPLES_DEPTH_MOST && (depth == 0 || *steps < LIVE_SAMPLES_STEPS_MOST);
       depth++) {
    (*steps)++;
    uint32_t function = function_at(samples, names, call->place);
    if (function == STRING_TABLE_NONE)
      return false;
    if (live_samples_is_first(samples, function, number))
      good = live_samples_add(samples, thread, function, depth == 0 ? sampled->count : 0, sampled->count);
    call = java_call(calls, call->caller);
  }
  return good;
}

static int live_samples_by_thread(const void *a, const void *b)
{
  const struct live_function *x = a, *y = b;
  int order = (x->thread > y->thread) - (x->thread < y->thread);
  return order != 0 ? order : (x->function > y->function) - (x->function < y->function);
}

static bool add_all(struct live_sampled_functions *samples, const struct java_calls *calls,
                    const struct java_names *names, bool over)
{
  bool good = true;
  uint32_t steps = 0;
  for (uint32_t i = 0; good && i < LIVE_SAMPLED; i++) {
    const struct live_sampled *sampled = &samples->file->places[i];
    uint64_t thread = sampled->who >> 32;
    if (sampled->count == 0 || sampled->who == 0 || thread >= LIVE_THREADS)
      continue;
    if (java_call(calls, (uint32_t)sampled->who) != NULL)
      good = add_call(samples, calls, names, sampled, i + 1, &steps);
    else if (over)
      good = live_samples_add(samples, (uint32_t)thread, function_of(samples, NAME_METHOD_UNKNOWN, 0), sampled->count,
                              sampled->count);
    else
      samples->waits.items[thread] = true;
  }
  for (uint32_t i = 0; good && i < LIVE_THREADS; i++) {
    uint64_t count = samples->file->without_room[i];
    good = count == 0 || live_samples_add(samples, i, function_of(samples, LIVE_WITHOUT_ROOM, 0), count, count);
  }
  return good;
}

bool live_samples_sum(struct live_sampled_functions *samples, const struct java_calls *calls,
                      const struct java_names *names, bool over)
{
  samples->all.count = 0;
  samples->seen.count = 0;
  hash_free(&samples->index);
  samples->waits.count = 0;
  if (samples->file == NULL)
    return true;
  bool good = vector_resize(&samples->waits, LIVE_THREADS) && add_all(samples, calls, names, over);
  if (samples->all.count > 0)
    qsort(samples->all.items, samples->all.count, sizeof *samples->all.items, live_samples_by_thread);
  return good;
}

const struct live_function *live_samples_of(const struct live_sampled_functions *samples, uint32_t thread,
                                            size_t *count)
{
  size_t from = 0, to = samples->all.count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (samples->all.items[middle].thread < thread)
      from = middle + 1;
    else
      to = middle;
  }
  while (to < samples->all.count && samples->all.items[to].thread == thread)
    to++;
  *count = to - from;
  return *count > 0 ? &samples->all.items[from] : NULL;
}

bool live_samples_wait(const struct live_sampled_functions *samples, uint32_t thread)
{
  return thread < samples->waits.count && samples->waits.items[thread];
}
