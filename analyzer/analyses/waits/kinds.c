#include "analyzer/analyses/waits/kinds.h"

#include "analyzer/trace/definitions.h"
#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

/* Regions of threads, by the construct in their names. */
static const struct {
  const char *name;
  struct wait_kind kind;
} thread_kinds[] = {
    {REGION_OBJECT_WAIT, {MATCH_QUEUE, SIGNAL_NONE, DOMAIN_JAVA}},
    {REGION_NOTIFY, {MATCH_NONE, SIGNAL_ONE, DOMAIN_JAVA}},
    {REGION_NOTIFY_ALL, {MATCH_NONE, SIGNAL_ALL, DOMAIN_JAVA}},
    {REGION_PARK, {MATCH_PERMIT, SIGNAL_NONE, 0}},
    {REGION_IDLE, {MATCH_IDLE, SIGNAL_NONE, 0}},
    {REGION_JAVA_LOCK, {MATCH_PERMIT, SIGNAL_NONE, 0}},
    {REGION_UNPARK, {MATCH_NONE, SIGNAL_THREAD, 0}},
    {REGION_INTERRUPT, {MATCH_NONE, SIGNAL_INTERRUPT, 0}},
    {REGION_START_THREAD, {MATCH_NONE, SIGNAL_START, 0}},
    {REGION_VIRTUAL_THREAD, {MATCH_NONE, SIGNAL_MOUNT, 0}},
    {REGION_MONITOR_ENTER, {MATCH_OWNER, SIGNAL_NONE, DOMAIN_MONITOR}},
    {REGION_SLEEP, {MATCH_CLOCK, SIGNAL_NONE, 0}},
    {REGION_SOCKET_READ, {MATCH_IO, SIGNAL_NONE, 0}},
    {REGION_SOCKET_WRITE, {MATCH_IO, SIGNAL_NONE, 0}},
    {REGION_ACCEPT, {MATCH_IO, SIGNAL_NONE, 0}},
    {REGION_CONNECT, {MATCH_IO, SIGNAL_NONE, 0}},
    {REGION_SELECT, {MATCH_IO, SIGNAL_NONE, 0}},
    {REGION_FILE_READ, {MATCH_IO, SIGNAL_NONE, 0}},
    {REGION_FILE_WRITE, {MATCH_IO, SIGNAL_NONE, 0}},
    {REGION_LOOKUP, {MATCH_IO, SIGNAL_NONE, 0}},
    {REGION_JOIN, {MATCH_END, SIGNAL_NONE, DOMAIN_JAVA}},
    {REGION_PTHREAD_MUTEX, {MATCH_RELEASE, SIGNAL_NONE, DOMAIN_LOCK}},
    {REGION_PTHREAD_READ, {MATCH_RELEASE, SIGNAL_NONE, DOMAIN_LOCK}},
    {REGION_PTHREAD_WRITE, {MATCH_RELEASE, SIGNAL_NONE, DOMAIN_LOCK}},
    {REGION_PTHREAD_SPIN, {MATCH_RELEASE, SIGNAL_NONE, DOMAIN_LOCK}},
    {REGION_PTHREAD_UNLOCK, {MATCH_NONE, SIGNAL_RELEASE, DOMAIN_LOCK}},
    {REGION_PTHREAD_CONDITION, {MATCH_QUEUE, SIGNAL_NONE, DOMAIN_CONDITION}},
    {REGION_PTHREAD_SIGNAL, {MATCH_NONE, SIGNAL_ONE, DOMAIN_CONDITION}},
    {REGION_PTHREAD_BROADCAST, {MATCH_NONE, SIGNAL_ALL, DOMAIN_CONDITION}},
    {REGION_PTHREAD_SEMAPHORE, {MATCH_QUEUE, SIGNAL_NONE, DOMAIN_SEMAPHORE}},
    {REGION_PTHREAD_POST, {MATCH_NONE, SIGNAL_ONE, DOMAIN_SEMAPHORE}},
    {REGION_PTHREAD_BARRIER, {MATCH_ARRIVAL, SIGNAL_NONE, DOMAIN_BARRIER}},
    {REGION_PTHREAD_JOIN, {MATCH_END, SIGNAL_NONE, DOMAIN_POSIX}},
};

static struct wait_kind thread_kind(const struct trace_region *region)
{
  const char *at = strstr(region->name, NAME_AT);
  size_t size = at ? (size_t)(at - region->name) : strlen(region->name);
  for (size_t i = 0; i < COUNT_OF(thread_kinds); i++)
    if (strlen(thread_kinds[i].name) == size && strncmp(region->name, thread_kinds[i].name, size) == 0)
      return thread_kinds[i].kind;
  return (struct wait_kind){MATCH_NONE, SIGNAL_NONE, 0};
}

static struct wait_kind kind_of(const struct trace_region *region, unsigned rule)
{
  switch (rule) {
  case RULE_BARRIER:
  case RULE_IMPLICIT_BARRIER:
    return (struct wait_kind){MATCH_ARRIVAL, SIGNAL_NONE, DOMAIN_TEAM};
  case RULE_TASK_WAIT:
    return (struct wait_kind){MATCH_TASKS, SIGNAL_NONE, 0};
  case RULE_CRITICAL:
  case RULE_ORDERED:
  case RULE_ATOMIC:
  case RULE_SET_LOCK:
  case RULE_SET_NEST_LOCK:
  case RULE_TEST_LOCK:
    return (struct wait_kind){MATCH_LOCK, SIGNAL_NONE, 0};
  default:
    return region->paradigm == OTF2_PARADIGM_PTHREAD ? thread_kind(region)
                                                     : (struct wait_kind){MATCH_NONE, SIGNAL_NONE, 0};
  }
}

struct wait_kind *wait_kinds(const struct trace *trace, const uint8_t *rules)
{
  struct wait_kind *kinds = calloc((size_t)trace->region_count + 1, sizeof *kinds);
  for (uint32_t i = 0; kinds && i < trace->region_count; i++)
    kinds[i] = kind_of(&trace->regions[i], rules[i]);
  return kinds;
}
