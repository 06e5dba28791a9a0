/* Findings without a construct: serial parts, deadlocks, and the measurement itself. */
#include "analyzer/findings/builder.h"
#include "analyzer/findings/overhead_sentence.h"

#include <inttypes.h>
#include <stdlib.h>

/* Part of the work outside of teams that other threads may do. */
#define WHOLE_ALONE_PART 0.01

/* The largest team whose forker is of the process. */
static uint32_t largest_team(const struct builder *builder, uint32_t process)
{
  const struct trace *trace = builder->of->trace;
  uint32_t largest = 0;
  for (uint32_t i = 0; i < trace->team_count; i++) {
    const struct trace_team *team = &trace->teams[i];
    if (team->size > largest && trace->locations[team->members[0]].process == process)
      largest = team->size;
  }
  return largest;
}

/* A thread that is left out may have worked. The JVM's own threads, and virtual ones, count nowhere. */
static bool is_hidden(const struct trace *trace, uint32_t location)
{
  return trace->locations[location].left_out && trace_is_program_thread(trace, location);
}

/* The only thread of a process that works outside of teams; TRACE_NONE: there is none, there are several, or this is
 * unknown. */
static uint32_t alone_in(const struct builder *builder, uint32_t process)
{
  const struct trace *trace = builder->of->trace;
  const uint64_t *alone = builder->of->imbalance->alone;
  uint32_t most = TRACE_NONE;
  uint64_t all = 0;
  for (uint32_t i = 0; i < trace->location_count; i++) {
    if (trace->locations[i].process != process)
      continue;
    if (is_hidden(trace, i))
      return TRACE_NONE;
    all += alone[i];
    if (most == TRACE_NONE || alone[i] > alone[most])
      most = i;
  }
  /* A worker may have been in a team that was not recorded (a ring). */
  if (most == TRACE_NONE || trace->locations[most].type == TRACE_THREAD_WORKER)
    return TRACE_NONE;
  return (double)(all - alone[most]) <= WHOLE_ALONE_PART * (double)all ? most : TRACE_NONE;
}

bool serial_add(struct builder *builder)
{
  const struct trace *trace = builder->of->trace;
  bool good = true;
  for (uint32_t process = 0; good && process < trace->process_count; process++) {
    uint32_t threads = largest_team(builder, process), location = alone_in(builder, process);
    if (threads < 2 || location == TRACE_NONE)
      continue;
    double alone = (double)builder->of->imbalance->alone[location] - processors_read(builder, TRACE_NONE, location);
    struct finding finding = {FINDING_SERIAL, TRACE_NONE, location, alone * (1 - 1.0 / threads), .text = NULL};
    char time[UNITS_SIZE], won[WON_SIZE];
    good = builder_add(builder, &finding,
                       "the serial part: %s works alone for %s outside of parallel regions, %s if %" PRIu32
                       " threads shared it%s.",
                       trace_thread_said(trace, location), builder_duration(builder, alone, time),
                       builder_won(builder, finding.ticks, won), threads,
                       builder->of->processors->known || builder->of->processors->read
                           ? ""
                           : " (unrecorded waits count as work: for input, output, MPI and others)");
  }
  return good;
}

bool measurement_add(struct builder *builder)
{
  const struct overhead *overhead = builder->of->overhead;
  if (!overhead_is_too_much(overhead))
    return true;
  struct finding finding = {FINDING_MEASUREMENT, overhead->construct, overhead->location, (double)overhead->recording,
                            .text = NULL};
  char *sentence = overhead_sentence(builder->of->trace, overhead);
  bool good = sentence && builder_add(builder, &finding, "the measurement: r%s", sentence + 1); /* Recording has ... */
  free(sentence);
  return good;
}

bool deadlocks_add(struct builder *builder)
{
  const struct deadlocks *deadlocks = builder->of->deadlocks;
  bool good = true;
  for (size_t i = 0; good && deadlocks && i < deadlocks->count; i++) {
    const struct deadlock_wait *wait = &deadlocks->list[i];
    if (wait->cycle ? i > 0 && wait[-1].cycle == wait->cycle : !wait->ended)
      continue;
    char *text = deadlock_sentence(builder->of->trace, deadlocks, i);
    struct finding finding = {FINDING_DEADLOCK, wait->region, wait->location, builder->run > 1 ? builder->run : 1,
                              .text = NULL};
    good = text && builder_add(builder, &finding, "%s", text);
    free(text);
  }
  return good;
}
