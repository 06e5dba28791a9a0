#include "otf2-convert/describe/names.h"

#include "base/hash.h"
#include "common/raw/archive_names.h"
#include "common/raw/raw_trace.h"
#include "otf2-convert/timeline/record_details.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *region_name_base_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash == NULL || slash[1] == 0 ? path : slash + 1;
}

static bool is_loop(enum construct construct)
{
  return construct >= C_LOOP && construct <= C_LOOP_OTHER;
}

void region_description(const struct region *region, char *text, size_t size)
{
  const char *facts = construct_facts[region->construct].description;
  if (region->place.inlined && is_loop(region->construct))
    snprintf(text, size, "%s; %s: %s", facts, FACT_BOUNDS, VALUE_BOUNDS_INLINE);
  else
    snprintf(text, size, "%s", facts);
}

/* Java's OpenMP has no tasks: these are of pools. NULL: another construct. */
static const char *pool_name(enum construct construct)
{
  return construct == C_TASK            ? NAME_POOL_TASK
         : construct == C_TASKWAIT      ? NAME_POOL_JOIN
         : construct == C_TASKWAIT_WAIT ? NAME_POOL_JOIN_WAIT
                                        : NULL;
}

/* A construct's name: directives of OpenMP are comments in Java. */
static const char *construct_name(const struct region *region, char *buffer, size_t size)
{
  const char *name = construct_facts[region->construct].name;
  if (region->place.automatic && region->construct == C_PARALLEL)
    return NAME_AUTO_LOOP;
  if (region->place.automatic && is_loop(region->construct))
    return NAME_AUTO_ITERATIONS;
  if (region->java && pool_name(region->construct))
    return pool_name(region->construct);
  if (!region->java || strncmp(name, NAME_OMP, sizeof NAME_OMP - 1) != 0)
    return name;
  snprintf(buffer, size, "%s%s", NAME_OMP_JAVA, name + sizeof NAME_OMP - 1);
  return buffer;
}

void region_name(const struct definitions *definitions, const struct region *region, char *name, size_t size)
{
  const struct source_place *place = &region->place;
  char buffer[128];
  const char *construct = construct_name(region, buffer, sizeof buffer);
  if (region->user)
    snprintf(name, size, "%s", place->function);
  else if (place->line != 0 && place->file[0] != 0)
    snprintf(name, size, "%s%s%s:%" PRIu32, construct, NAME_AT, region_name_base_of(place->file), place->line);
  else if (region->java || (place->function[0] != 0 && place->into == 0))
    snprintf(name, size, "%s%s%s", construct, NAME_AT, place->function);
  else if (place->function[0] != 0)
    snprintf(name, size, "%s%s%s+0x%" PRIx64, construct, NAME_AT, place->function, place->into);
  else if (region->module != MODULE_NONE)
    snprintf(name, size, "%s%s%s+0x%" PRIx64, construct, NAME_AT,
             region_name_base_of(definitions->modules.items.items[region->module].path), region->offset);
  else if (region->unloaded)
    snprintf(name, size, "%s%s%s", construct, NAME_AT, NAME_UNLOADED);
  else if (region->offset != 0)
    snprintf(name, size, "%s%s0x%" PRIx64, construct, NAME_AT, region->offset);
  else
    snprintf(name, size, "%s", construct);
}

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

/* JOMP's threads are named 0, 1, ...; ViTE takes such a name for the number of another thread. */
static bool is_number(const char *text)
{
  return *text != 0 && text[strspn(text, "0123456789")] == 0;
}

void thread_name(const struct thread_names *names, char *name, size_t size)
{
  const char *master = names->openmp ? "OpenMP master" : "main thread";
  if (names->user != NULL)
    snprintf(name, size, "%s", names->user);
  else if (names->is_java && names->java != NULL)
    snprintf(name, size, "%s%s", is_number(names->java) ? "thread " : "", names->java);
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
