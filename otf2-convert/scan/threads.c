#include "otf2-convert/scan/threads.h"

#include "base/hash.h"

#include <stdlib.h>

static uint64_t threads_key_of(uint32_t process, uint64_t number)
{
  return (uint64_t)process << 32 | (uint32_t)number;
}

static bool take_created(struct threads *threads, struct location *location)
{
  bool good = true;
  for (size_t i = 0; good && i < location->thread_notes.count; i++)
    good = hash_put(&threads->created, threads_key_of(location->process->index, location->thread_notes.items[i].number),
                    location->thread_notes.items[i].time);
  location->thread_notes.count = 0;
  return good;
}

/* The thread's life begins when it was created, not when it records its first event. */
static void take_start(const struct threads *threads, struct location *location)
{
  struct thread_facts *facts = &location->facts;
  const uint64_t *created =
      hash_find(&threads->created, threads_key_of(location->process->index, facts->pthread_number));
  if (created != NULL && *created != 0 && *created < facts->first_time)
    facts->created = facts->first_time = *created;
}

bool threads_merge(struct threads *threads, struct location *locations, uint32_t count)
{
  bool good = true;
  if (threads->joined == NULL && (threads->joined = calloc((size_t)count + 1, sizeof *threads->joined)) == NULL)
    return false;
  for (uint32_t i = 0; good && i < count; i++)
    good = take_created(threads, &locations[i]);
  for (uint32_t i = 0; good && i < count; i++) {
    struct thread_facts *facts = &locations[i].facts;
    if (facts->pthread_number == 0 || threads->joined[i])
      continue;
    threads->joined[i] = true;
    take_start(threads, &locations[i]);
    good = hash_put(&threads->numbers, threads_key_of(locations[i].process->index, facts->tid), facts->pthread_number);
  }
  return good;
}

uint64_t threads_number(const struct threads *threads, uint32_t process, uint64_t tid)
{
  const uint64_t *number = tid == 0 ? NULL : hash_find(&threads->numbers, threads_key_of(process, tid));
  return number == NULL ? 0 : *number;
}

void threads_free(struct threads *threads)
{
  hash_free(&threads->created);
  hash_free(&threads->numbers);
  free(threads->joined);
}
