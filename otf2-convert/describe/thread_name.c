#include "otf2-convert/describe/thread_name.h"

#include "base/hash.h"
#include "common/raw/archive_names.h"
#include "common/raw/raw_trace.h"
#include "otf2-convert/timeline/ompt_numbers.h"

#include <inttypes.h>
#include <stdio.h>

static bool is_there(const char *text)
{
  return text != NULL && text[0] != 0;
}

bool thread_numbers(struct thread_number *threads, size_t count)
{
  struct hash taken = {0};
  bool good = true;
  uint32_t roots = 0, next = 1;
  for (size_t i = 0; i < count; i++) {
    struct thread_number *thread = &threads[i];
    uint32_t wanted = thread->in_team;
    bool has = !thread->is_root && wanted != UINT32_MAX && wanted != 0 && hash_find(&taken, wanted) == NULL;
    thread->number = thread->is_root ? ++roots : has ? wanted : 0;
    good &= !has || hash_add(&taken, wanted, 0) != NULL;
  }
  for (size_t i = 0; i < count; i++) {
    if (threads[i].number != 0)
      continue;
    while (hash_find(&taken, next) != NULL)
      next++;
    threads[i].number = next++;
  }
  hash_free(&taken);
  return good;
}

void thread_name(const struct thread_names *names, char *name, size_t size)
{
  const char *master = names->openmp ? "OpenMP master" : "main thread";
  if (names->user != NULL)
    snprintf(name, size, "%s", names->user);
  else if (names->is_java && names->java != NULL)
    snprintf(name, size, "%s", names->java);
  else if (names->is_java && names->is_virtual)
    snprintf(name, size, "%s %" PRIu64, REGION_VIRTUAL_THREAD, names->java_id);
  else if (names->is_java)
    snprintf(name, size, "Java thread %" PRIu64, names->java_id);
  else if (is_there(names->system))
    snprintf(name, size, "%s", names->system);
  else if (names->pthread_number != 0 && is_there(names->started))
    snprintf(name, size, "%s", names->started);
  else if (names->pthread_number != 0)
    snprintf(name, size, "thread %" PRIu64, names->pthread_number);
  else if (!names->is_root)
    snprintf(name, size, "%s %" PRIu32, names->openmp ? "OpenMP thread" : "thread", names->number);
  else if (names->number == 1)
    snprintf(name, size, "%s", master);
  else
    snprintf(name, size, "%s %" PRIu32, master, names->number);
}

const char *thread_type_name(bool is_java, unsigned type, unsigned flags)
{
  if (!is_java)
    return type == THREAD_INITIAL  ? VALUE_THREAD_INITIAL
           : type == THREAD_WORKER ? VALUE_THREAD_WORKER
                                   : VALUE_THREAD_OTHER;
  return (flags & RAW_JAVA_VIRTUAL) != 0    ? VALUE_THREAD_JAVA_VIRTUAL
         : (flags & RAW_JAVA_WORKER) != 0   ? VALUE_THREAD_WORKER
         : (flags & RAW_JAVA_INTERNAL) != 0 ? VALUE_THREAD_JVM
         : (flags & RAW_JAVA_DAEMON) != 0   ? VALUE_THREAD_JAVA_DAEMON
                                            : VALUE_THREAD_JAVA;
}
