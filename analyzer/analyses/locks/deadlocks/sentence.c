#include "analyzer/analyses/locks/deadlocks/deadlocks.h"

#include "analyzer/command/print/units.h"
#include "analyzer/trace/definitions.h"
#include "common/raw/archive_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_SAID 6 /* of a longer cycle the rest is counted */

const char *deadlock_object(const struct trace *trace, const struct deadlock_wait *wait, char name[DEADLOCK_NAME_SIZE])
{
  const char *known = wait->lock != DEADLOCK_NO_LOCK ? trace_lock_name(trace, wait->lock) : NULL;
  if (wait->kind == DEADLOCK_BARRIER)
    return "the barrier";
  if (known)
    return known;
  if (wait->class_name && wait->object)
    snprintf(name, DEADLOCK_NAME_SIZE, "%s@%" PRIx64, *wait->class_name ? wait->class_name : "an object", wait->object);
  else if (wait->class_name)
    snprintf(name, DEADLOCK_NAME_SIZE, "%s", *wait->class_name ? wait->class_name : "an object");
  else
    return trace->regions[wait->region].name; /* a critical section's place */
  return name;
}

/* ` (omp_set_lock @a.c:3, from 1.2 ms on)`, as far as it is known. Java: where the owner was then. */
static void put_place(FILE *out, const struct trace *trace, uint32_t region, uint64_t since)
{
  char text[UNITS_SIZE];
  bool timed = since != UINT64_MAX;
  if (region == TRACE_NONE && !timed)
    return;
  const char *name = region == TRACE_NONE ? "" : trace->regions[region].name, *at = strstr(name, NAME_AT);
  bool owner = region != TRACE_NONE && at && trace_region_begins(&trace->regions[region], REGION_MONITOR_OWNER);
  fprintf(out, " (%s%s%s", owner ? "it is" : "", owner ? at : name, region != TRACE_NONE && timed ? ", " : "");
  if (timed)
    fprintf(out, "from %s on",
            units_duration(since > trace->first_tick ? since - trace->first_tick : 0, trace->ticks_per_second, text));
  fputc(')', out);
}

static void put_wait(FILE *out, const struct trace *trace, const struct deadlock_wait *wait)
{
  char name[DEADLOCK_NAME_SIZE];
  const char *holder = trace_thread_said(trace, wait->holder);
  fprintf(out, "%s waits for %s", trace_thread_said(trace, wait->location),
          wait->kind == DEADLOCK_JOIN ? holder : deadlock_object(trace, wait, name));
  put_place(out, trace, wait->region, wait->since);
  if (wait->kind == DEADLOCK_JOIN)
    return;
  if (wait->kind == DEADLOCK_BARRIER)
    fprintf(out, ", to which %s %s", holder, wait->ended ? "cannot come, because it has ended" : "does not come");
  else if (wait->holder == wait->location)
    fputs(", which it holds itself", out);
  else
    fprintf(out, ", which %s %s", holder, wait->ended ? "held when it ended" : "holds");
  if (wait->kind == DEADLOCK_LOCK)
    put_place(out, trace, wait->holder_region, wait->acquired);
}

/* Threads outside of all cycles, which wait for others that can never go on. */
static size_t behind(const struct deadlocks *deadlocks)
{
  size_t count = 0;
  for (size_t i = 0; i < deadlocks->count; i++)
    count += deadlocks->list[i].cycle == 0 && !deadlocks->list[i].ended;
  return count;
}

char *deadlock_sentence(const struct trace *trace, const struct deadlocks *deadlocks, size_t first)
{
  char *text = NULL;
  size_t size, members = 1, more = behind(deadlocks);
  const struct deadlock_wait *wait = &deadlocks->list[first];
  while (wait->cycle && first + members < deadlocks->count && wait[members].cycle == wait->cycle)
    members++;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  if (wait->cycle)
    fprintf(out, "the deadlock of %zu thread%s: ", members, members == 1 ? "" : "s");
  else
    fputs("the lock of a thread that has ended: ", out);
  for (size_t i = 0; i < members && i < THREADS_SAID; i++) {
    fputs(i > 0 ? "; " : "", out);
    put_wait(out, trace, &wait[i]);
  }
  if (members > THREADS_SAID)
    fprintf(out, "; and so on, %zu threads more", members - THREADS_SAID);
  fputc('.', out);
  if (more > 0 && first == 0)
    fprintf(out, " %zu more thread%s behind %s.", more, more == 1 ? " waits" : "s wait",
            members > 1 || deadlocks->cycles > 1 ? "them" : "it");
  return fclose(out) == 0 ? text : (free(text), NULL);
}
