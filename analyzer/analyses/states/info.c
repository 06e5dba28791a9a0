#include "analyzer/command/analysis.h"

#include "analyzer/analyses/omitted/omitted.h"
#include "analyzer/analyses/omitted/omitted_show.h"
#include "analyzer/analyses/states/survey.h"
#include "analyzer/command/sentences.h"
#include "analyzer/findings/prints.h"
#include "analyzer/findings/sentences.h"
#include "analyzer/live/profile/profile.h"
#include "analyzer/trace/samples.h"
#include "analyzer/trace/states/state.h"
#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void put_property(const struct analysis_run *run, enum trace_owner owner, uint32_t index, const char *name,
                         const char *key, const char *title)
{
  const char *value = trace_property(run->trace, owner, index, name);
  if (value && *value)
    print_fact(run->print, key, title, PRINT_STRING, print_string(value));
}

static void put_start(const struct analysis_run *run)
{
  uint64_t realtime = run->trace->realtime_ns;
  time_t seconds = (time_t)(realtime / 1000000000);
  struct tm broken;
  char text[64];
  if (realtime == OTF2_UNDEFINED_TIMESTAMP || realtime == 0 || !localtime_r(&seconds, &broken) ||
      strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &broken) == 0)
    return;
  print_fact(run->print, "start", "Start", PRINT_STRING, print_string(text));
}

/* The first jump, by when it was and how far it was. */
static void put_jump(const struct analysis_run *run)
{
  const struct trace *trace = run->trace;
  const char *jump = trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_CLOCK_JUMP);
  uint64_t from, to;
  int64_t ahead;
  char text[160];
  if (!jump || sscanf(jump, "%" SCNu64 ":%" SCNu64 ":%" SCNd64, &from, &to, &ahead) != 3)
    return;
  double begin = (double)trace->first_tick, s = (double)trace->ticks_per_second;
  snprintf(text, sizeof text, "%.3f s %s, between %.3f s and %.3f s after the begin", fabs((double)ahead) / 1e9,
           ahead < 0 ? "back" : "ahead", ((double)from - begin) / s, ((double)to - begin) / s);
  print_fact(run->print, "clock_jump", "Clock, first jump", PRINT_STRING, print_string(text));
}

/* How well times of the counter are known. */
static void put_clock(const struct analysis_run *run)
{
  static const struct {
    const char *name, *key, *title;
  } durations[] = {{ARCHIVE_CLOCK_APART, "clock_apart", "Clock, readings apart at most"},
                   {ARCHIVE_CLOCK_WIDTH, "clock_width", "Clock, readings exact to"}};
  const struct trace *trace = run->trace;
  const char *anchors = trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_CLOCK_ANCHORS);
  const char *jumps = trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_CLOCK_JUMPS);
  if (!anchors)
    return;
  print_fact(run->print, "clock_readings", "Clock, readings", PRINT_COUNT, print_number(strtoull(anchors, NULL, 10)));
  for (size_t i = 0; i < COUNT_OF(durations); i++) {
    const char *ns = trace_property(trace, TRACE_OF_ARCHIVE, 0, durations[i].name);
    if (ns && trace->ticks_per_second == 1000000000)
      print_fact(run->print, durations[i].key, durations[i].title, PRINT_DURATION,
                 print_number(strtoull(ns, NULL, 10)));
  }
  uint64_t jumped = jumps ? strtoull(jumps, NULL, 10) : 0;
  if (jumped > 0 || run->format != PRINT_TEXT)
    print_fact(run->print, "clock_jumps", "Clock, jumps", PRINT_COUNT, print_number(jumped));
  put_jump(run);
}

/* The archive's properties about its own gaps. Text omits zeros. */
static void put_losses(const struct analysis_run *run)
{
  static const struct {
    const char *name, *key, *title;
  } numbers[] = {
      {ARCHIVE_SWITCHES, "switches", "Context switches"},
      {ARCHIVE_SWITCHES_COST, "switches_cost_ns", "... ns that recording them took"},
      {ARCHIVE_SWITCHES_LOST, "switches_lost", "... lost"},
      {ARCHIVE_SAMPLES, "samples", "Samples"},
      {ARCHIVE_SAMPLES_LOST, "samples_lost", "... lost"},
      {ARCHIVE_SAMPLES_LEFT_OUT, "samples_ignored", "... of threads that were not recorded"},
      {ARCHIVE_SAMPLES_NO_TIMER, "samples_no_timer", "Threads without samples"},
      {ARCHIVE_SAMPLES_CUT, "samples_cut", "... without their outermost callers"},
      {ARCHIVE_SAMPLES_UNNAMED, "samples_unnamed", "... in or below a Java method without a name"},
      {ARCHIVE_CALLS, "call_contexts", "Contexts of exact calls"},
      {ARCHIVE_CALLS_FULL, "calls_full", "... calls without one for want of room"},
      {ARCHIVE_CALLS_DEEP, "calls_deep", "... calls without one because they are too deep"},
      {ARCHIVE_CALLS_SKIPPED, "calls_not_measured", "... calls and returns in signal handlers, not recorded"},
      {ARCHIVE_CALLS_LEFT, "calls_left", "... calls that ended without a return"},
      {ARCHIVE_CALLS_UNMATCHED, "calls_unmatched", "... returns without a call"},
      {ARCHIVE_CALLS_ON_VIRTUAL, "calls_on_virtual", "... calls by virtual threads, not recorded"},
      {ARCHIVE_CALLS_DAMAGED, "calls_damaged", "... damaged parts"},
      {ARCHIVE_READINGS, "processor_readings", "Sums of time without a processor"},
      {ARCHIVE_COUNTERS, "counter_readings", "Readings of counters"},
      {ARCHIVE_COUNTERS_PRICE, "counter_reading_ns", "ns that such a reading takes"},
      {ARCHIVE_COUNTERS_LOST, "counters_lost", "Threads not counted to their end"},
      {ARCHIVE_EVENTS_LOST, "events_lost", "Events lost"},
      {ARCHIVE_EVENTS_SKIPPED, "events_not_measured", "Events not measured"},
      {ARCHIVE_THREADS_LOST, "threads_lost", "Threads lost"},
      {ARCHIVE_CHUNKS_DERIVED, "chunks_derived", "Chunks derived"},
      {ARCHIVE_CHUNKS_SUMMED, "chunks_summed", "Chunks summed"},
      {ARCHIVE_SINKS_UNTIMED, "sinks_not_measured", "Sinks not measured"},
      {ARCHIVE_INSTANCES_SKIPPED, "instances_omitted", "Instances omitted"},
      {ARCHIVE_ENDS_CORRECTED, "ends_corrected", "Ends corrected"},
      {ARCHIVE_ENDS_FORCED, "ends_forced", "Ends forced"},
      {ARCHIVE_ENDS_UNMATCHED, "ends_unmatched", "Ends unmatched"},
      {ARCHIVE_USER_NOT_LEFT, "user_not_left", "Regions not left"},
      {ARCHIVE_USER_UNMATCHED, "user_unmatched", "Leaves unmatched"},
  };
  for (size_t i = 0; i < COUNT_OF(numbers); i++) {
    const char *value = trace_property(run->trace, TRACE_OF_ARCHIVE, 0, numbers[i].name);
    uint64_t number = value ? strtoull(value, NULL, 10) : 0;
    if (value && (number > 0 || run->format != PRINT_TEXT))
      print_fact(run->print, numbers[i].key, numbers[i].title, PRINT_COUNT, print_number(number));
  }
  put_property(run, TRACE_OF_ARCHIVE, 0, ARCHIVE_SAMPLES_LOST_WHY, "samples_lost_why", "Samples were lost");
  put_property(run, TRACE_OF_ARCHIVE, 0, ARCHIVE_LOST_REASON, "lost_reason", "Lost because");
}

/* What took the samples: "cpu each 10 ms, futex". Archives without them, or with others that cannot be read, say
 * nothing.
 */
static void put_triggers(const struct analysis_run *run)
{
  struct error ignored;
  bool none;
  char text[512] = "";
  struct samples *samples = samples_open(run->trace, &none, &ignored);
  for (uint32_t i = 0; samples && i < samples->trigger_count; i++) {
    const struct samples_trigger *trigger = &samples->triggers[i];
    size_t length = strlen(text);
    char period[64] = "";
    if (trigger->timed)
      snprintf(period, sizeof period, " each %g ms", (double)trigger->period / 1e6);
    else if (trigger->period > 1)
      snprintf(period, sizeof period, " each %" PRIu64, trigger->period);
    snprintf(text + length, sizeof text - length, "%s%s%s", length ? ", " : "", trigger->name, period);
  }
  if (*text)
    print_fact(run->print, "samples_by", "... taken by", PRINT_STRING, print_string(text));
  samples_close(samples);
}

/* How a process ended. NULL: unknown. */
static const char *process_end(const struct trace *trace, uint32_t process)
{
  const char *ended = trace_property(trace, TRACE_OF_PROCESS, process, PROCESS_ENDED);
  return !ended || !*ended                         ? NULL
         : strcmp(ended, VALUE_ENDED_UNKNOWN) == 0 ? "killed, or ended by _exit or exec"
                                                   : ended;
}

/* From the begin of the first process, which is known on its initial thread, to the last event; within the restriction.
 */
static uint64_t run_duration(const struct trace *trace, const struct census *census)
{
  uint64_t first = census->first;
  for (uint32_t i = 0; i < trace->location_count; i++) {
    const char *text = trace_property(trace, TRACE_OF_LOCATION, i, LOCATION_BEGAN);
    uint64_t began = text ? trace_time_from(trace, strtoull(text, NULL, 10)) : first;
    first = began < first ? began : first;
  }
  return census->last >= first ? census->last - first : 0;
}

/* NULL: unknown. */
static const char *process_command(const struct analysis_run *run, uint32_t process)
{
  const char *command = trace_property(run->trace, TRACE_OF_PROCESS, process, PROCESS_COMMAND);
  return command && *command && run->names_only ? run->trace->processes[process].name : command;
}

static void info_put_facts(const struct analysis_run *run, const struct census *census, const struct budget *budget)
{
  const struct trace *trace = run->trace;
  struct print *print = run->print;
  print_fact(print, "archive", "Archive", PRINT_STRING, print_string(trace->anchor));
  if (trace->creator && *trace->creator)
    print_fact(print, "creator", "Written by", PRINT_STRING, print_string(trace->creator));
  put_property(run, TRACE_OF_ARCHIVE, 0, ARCHIVE_VERSION, "heddle_version", "Heddle version");
  if (trace->process_count == 1) {
    print_fact(print, "program", "Program", PRINT_STRING, print_string(trace->processes[0].name));
    if (process_command(run, 0))
      print_fact(print, "command", "Command", PRINT_STRING, print_string(process_command(run, 0)));
    put_property(run, TRACE_OF_PROCESS, 0, PROCESS_EXE, "executable", "Executable");
    put_property(run, TRACE_OF_PROCESS, 0, PROCESS_CWD, "directory", "Directory");
    put_property(run, TRACE_OF_PROCESS, 0, PROCESS_RUNTIME, "runtime", "Runtime");
    put_property(run, TRACE_OF_PROCESS, 0, PROCESS_CLOCK, "clock", "Clock");
    put_property(run, TRACE_OF_PROCESS, 0, PROCESS_CLOCK_WHY, "clock_why", "Clock, because");
    put_property(run, TRACE_OF_PROCESS, 0, PROCESS_PROCESSORS, "processors", "Processors");
    put_property(run, TRACE_OF_PROCESS, 0, PROCESS_CPU_LIMIT, "cpu_limit", "Processors, limit");
    put_property(run, TRACE_OF_PROCESS, 0, PROCESS_THROTTLED, "throttled_us", "Throttled, us");
    put_property(run, TRACE_OF_PROCESS, 0, PROCESS_STOLEN, "stolen", "Taken by the hypervisor, %");
    if (process_end(trace, 0))
      print_fact(print, "ended", "Ended", PRINT_STRING, print_string(process_end(trace, 0)));
  }
  if (*trace->machine)
    print_fact(print, "host", "Host", PRINT_STRING, print_string(trace->machine));
  put_start(run);
  put_clock(run);
  uint64_t duration = run_duration(trace, census);
  print_fact(print, "duration", "Duration", PRINT_DURATION, print_number(duration));
  print_fact(print, "ticks_per_second", "Ticks a second", PRINT_COUNT, print_number(trace->ticks_per_second));
  print_fact(print, "processes", "Processes", PRINT_COUNT, print_number(trace->process_count));
  print_fact(print, "threads", "Threads", PRINT_COUNT, print_number(census->threads));
  if (profiled_is(trace))
    print_fact(print, "profile", "Recorded", PRINT_STRING, print_string("a profile: sums, no events"));
  print_fact(print, "events", "Events", PRINT_COUNT, print_number(census->events));
  if (budget->text && run->format != PRINT_TEXT) { /* text has a sentence */
    print_fact(run->print, "budget", "Budget", PRINT_STRING, print_string(budget->text));
    print_fact(run->print, "recording_time", "Recording", PRINT_SHARE,
               print_share(budget->recording, budget->lifetimes));
    print_fact(run->print, "threads_over_budget", "Threads over budget", PRINT_COUNT, print_number(budget->over));
  }
  put_losses(run);
  put_triggers(run);
}

static void put_processes(const struct analysis_run *run)
{
  static const struct print_column columns[] = {
      {"process", "Process", PRINT_STRING, false}, {"threads", "Threads", PRINT_COUNT, false},
      {"command", "Command", PRINT_STRING, true},  {"host", "Host", PRINT_STRING, true},
      {"runtime", "Runtime", PRINT_STRING, true},  {"ended", "Ended", PRINT_STRING, true}};
  const struct trace *trace = run->trace;
  print_table(run->print, "process_list", "Processes", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < trace->process_count; i++) {
    uint64_t threads = 0;
    for (uint32_t location = 0; location < trace->location_count; location++)
      threads += trace->locations[location].process == i && trace_is_thread(trace, location);
    struct print_cell cells[] = {print_string(trace->processes[i].name),
                                 print_number(threads),
                                 print_string(process_command(run, i)),
                                 print_string(trace_property(trace, TRACE_OF_PROCESS, i, PROCESS_HOST)),
                                 print_string(trace_property(trace, TRACE_OF_PROCESS, i, PROCESS_RUNTIME)),
                                 print_string(process_end(trace, i))};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

static void put_environment(const struct analysis_run *run)
{
  static const struct print_column columns[] = {{"process", "Process", PRINT_STRING, true},
                                                {"variable", "Variable", PRINT_STRING, false},
                                                {"value", "Value", PRINT_STRING, false}};
  const struct trace *trace = run->trace;
  bool begun = false;
  for (uint32_t i = 0; i < trace->property_count; i++) {
    const struct trace_property *property = &trace->properties[i];
    if (property->owner != TRACE_OF_PROCESS || strncmp(property->name, NAME_ENV, strlen(NAME_ENV)) != 0)
      continue;
    if (!begun)
      print_table(run->print, "environment", "Environment", columns, COUNT_OF(columns), false);
    begun = true;
    bool several = trace->process_count > 1;
    struct print_cell cells[] = {several ? print_string(trace->processes[property->index].name) : print_none(),
                                 print_string(property->name + strlen(NAME_ENV)), print_string(property->value)};
    print_row(run->print, cells);
  }
  if (begun)
    print_table_end(run->print);
}

static void info_put_events(const struct analysis_run *run, const struct census *census)
{
  static const struct print_column columns[] = {{"event", "Event", PRINT_STRING, false},
                                                {"count", "Count", PRINT_COUNT, false}};
  print_table(run->print, "events_by_kind", "Events by kind", columns, COUNT_OF(columns), false);
  for (unsigned i = 0; i < TRACE_KINDS; i++) {
    struct print_cell cells[] = {print_string(trace_kind_name((enum trace_kind)i)), print_number(census->kinds[i])};
    if (census->kinds[i] > 0)
      print_row(run->print, cells);
  }
  print_table_end(run->print);
}

/* A row of the state table. A switch without default: the compiler warns if a new row has no name here. */
static const char *rule_kind(enum rule rule)
{
  switch (rule) {
  case RULE_INHERIT:
  case RULE_BASE:
  case RULES:
    return "function or other";
  case RULE_PARALLEL:
    return "parallel";
  case RULE_CHUNK:
    return "chunk of a loop";
  case RULE_LOOP:
    return "loop";
  case RULE_SECTION:
    return "section";
  case RULE_SECTIONS:
    return "sections";
  case RULE_SINGLE_SBLOCK:
    return "single, executed";
  case RULE_SINGLE:
    return "single";
  case RULE_MASTER:
    return "masked";
  case RULE_WORKSHARE:
    return "workshare or scope";
  case RULE_BARRIER:
    return "barrier";
  case RULE_IMPLICIT_BARRIER:
    return "implicit barrier";
  case RULE_TASK_WAIT:
    return "taskwait";
  case RULE_CRITICAL_SBLOCK:
    return "critical, held";
  case RULE_CRITICAL:
    return "critical";
  case RULE_ORDERED_SBLOCK:
    return "ordered, executed";
  case RULE_ORDERED:
    return "ordered";
  case RULE_ATOMIC:
    return "atomic";
  case RULE_SET_LOCK:
    return "lock";
  case RULE_SET_NEST_LOCK:
    return "nest lock";
  case RULE_TEST_LOCK:
    return "lock, tested";
  case RULE_WRAPPER:
    return "runtime routine";
  case RULE_REDUCTION:
  case RULE_JAVA_REDUCTION:
    return "reduction";
  case RULE_TASK:
    return "task";
  case RULE_TASK_UNTIED:
    return "untied task";
  case RULE_TASK_CREATE:
    return "task creation";
  case RULE_FLUSH:
    return "flush";
  case RULE_USER:
    return "user region or event";
  case RULE_TRACEFLUSH:
  case RULE_BUFFER_FLUSH:
    return "measurement";
  case RULE_MEASUREMENT_OFF:
    return "measurement off";
  case RULE_OMITTED:
    return "omitted";
  case RULE_PROFILE_ROW:
    return "profile";
  case RULE_STATE_INIT:
    return "thread start";
  case RULE_STATE_BLOCKED_MUTEX:
    return "blocked in mutex";
  case RULE_STATE_BLOCKED_CONDVAR:
    return "blocked in condvar";
  case RULE_STATE_IDLE:
    return "waiting for work";
  case RULE_STATE_IO:
    return "input and output";
  case RULE_STATE_SPIN:
    return "yielding";
  case RULE_STATE_READY:
    return "waiting for a processor";
  case RULE_STATE_OFF:
    return "blocked in the kernel";
  case RULE_STATE_GC:
    return "garbage collection";
  case RULE_STATE_SAFEPOINT:
    return "safepoint";
  case RULE_PTHREAD_MUTEX:
    return REGION_PTHREAD_MUTEX;
  case RULE_PTHREAD_RWLOCK:
    return "pthread rwlock";
  case RULE_PTHREAD_CONDITION:
    return REGION_PTHREAD_CONDITION;
  case RULE_SEMAPHORE:
    return REGION_PTHREAD_SEMAPHORE;
  case RULE_PTHREAD_BARRIER:
    return REGION_PTHREAD_BARRIER;
  case RULE_ATOMIC_WAIT:
    return REGION_PTHREAD_ATOMIC;
  case RULE_JOIN:
    return REGION_PTHREAD_JOIN;
  case RULE_NOTE:
    return "threads, other";
  }
  return "function or other";
}

/* The kind of a construct; the waiting parts of constructs are kinds of their own. */
static const char *construct_kind(const struct trace_region *region)
{
  enum rule rule = state_rule_of(region);
  bool waits = strstr(region->name, NAME_WAIT_AT) != NULL;
  if (waits && rule == RULE_BARRIER)
    return "barrier, waiting";
  if (waits && rule == RULE_IMPLICIT_BARRIER)
    return "implicit barrier, waiting";
  if (waits && rule == RULE_TASK_WAIT)
    return "taskwait, waiting";
  return rule_kind(rule);
}

struct kind {
  const char *name;
  uint64_t regions, calls;
};

static void info_put_constructs(const struct analysis_run *run, const struct census *census)
{
  static const struct print_column columns[] = {{"kind", "Construct", PRINT_STRING, false},
                                                {"places", "Places", PRINT_COUNT, false},
                                                {"executions", "Executions", PRINT_COUNT, false}};
  struct kind kinds[RULES + 3] = {{0}};
  size_t count = 0;
  for (uint32_t i = 0; i < run->trace->region_count; i++) {
    if (census->enters[i] == 0 && run->trace->regions[i].paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM)
      continue; /* on lines of processors alone */
    const char *name = construct_kind(&run->trace->regions[i]);
    size_t at = 0;
    while (at < count && strcmp(kinds[at].name, name) != 0)
      at++;
    if (at == count)
      kinds[count++].name = name;
    kinds[at].regions++;
    kinds[at].calls += census->enters[i];
  }
  print_table(run->print, "constructs_by_kind", "Constructs by kind", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < count; i++) {
    struct print_cell cells[] = {print_string(kinds[i].name), print_number(kinds[i].regions),
                                 print_number(kinds[i].calls)};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

static void info_put_omitted(const struct analysis_run *run, const struct omitted *omitted)
{
  static const struct print_column columns[] = {{"construct", "Construct", PRINT_STRING, false},
                                                {"executions", "Executions", PRINT_COUNT, false},
                                                {"time", "Time, all threads", PRINT_DURATION, false},
                                                {"chunks", "Chunks", PRINT_COUNT, true}};
  bool any = false;
  for (uint32_t i = 0; omitted->constructs && i < run->trace->region_count; i++)
    any |= omitted->constructs[i].instances + omitted->constructs[i].joined > 0;
  if (!any)
    return;
  print_table(run->print, "omitted", "Omitted: more executions than were to be recorded a second", columns,
              COUNT_OF(columns), false);
  for (uint32_t i = 0; i < run->trace->region_count; i++) {
    const struct omitted_construct *construct = &omitted->constructs[i];
    struct print_cell cells[] = {print_string(run->trace->regions[i].name), print_number(construct->instances),
                                 print_number(construct->time), print_number(construct->chunks)};
    if (construct->instances + construct->joined > 0)
      print_row(run->print, cells);
  }
  print_table_end(run->print);
}

/* Prints a warning if recording has slowed down a thread too much. False: out of memory. */
static bool put_overhead(const struct analysis_run *run, const struct overhead *overhead)
{
  if (!overhead_is_too_much(overhead))
    return true;
  char *sentence = overhead_sentence(run->trace, overhead);
  if (sentence)
    print_sentence(run->print, "overhead", sentence);
  free(sentence);
  return sentence != NULL;
}

bool info_put(const struct analysis_run *run, const struct census *census, const struct omitted *omitted,
              const struct overhead *overhead, const struct budget *budget, const struct deadlocks *deadlocks)
{
  print_csv_facts(run->print);
  info_put_facts(run, census, budget);
  if (run->trace->process_count > 1)
    put_processes(run);
  put_environment(run);
  info_put_events(run, census);
  if (profiled_is(run->trace))
    print_sentence(run->print, "profile_sentence", "`heddle profile` prints the sums of its constructs.");
  else
    info_put_constructs(run, census);
  info_put_omitted(run, omitted);
  char *sentence = started_sentence(run->trace);
  if (sentence)
    print_sentence(run->print, "recording", sentence);
  free(sentence);
  deadlocks_show(run, deadlocks);
  return omitted_put_places(run, omitted) && omitted_put_budget(run, budget) && put_overhead(run, overhead) &&
         deadlocks_say(run, deadlocks);
}

static bool info_work(const struct analysis_run *run, const void *own, struct error *error)
{
  (void)own;
  struct census census;
  struct omitted omitted;
  struct overhead overhead;
  struct budget budget;
  struct deadlocks deadlocks;
  const struct analysis_task tasks[] = {{&census_analysis, NULL, &census},
                                        {&omitted_analysis, NULL, &omitted},
                                        {&overhead_analysis, NULL, &overhead},
                                        {&budget_analysis, NULL, &budget},
                                        {&deadlocks_analysis, NULL, &deadlocks}};
  bool good = analyses_find(run->trace, run->pool, tasks, COUNT_OF(tasks), error) &&
              (info_put(run, &census, &omitted, &overhead, &budget, &deadlocks) || error_set(error, "out of memory"));
  analyses_free(tasks, COUNT_OF(tasks));
  return good;
}

const struct command command_info = {
    .name = "info",
    .group = COMMAND_LOOK,
    .summary = "prints what an archive holds",
    .synopsis = ANALYSIS_SYNOPSIS,
    .about =
        "Prints what an archive holds: the program, its threads, events and constructs by kind, and what was lost or\n"
        "corrected. DIR is the trace's directory or its .otf2 file.\n",
    ANALYSIS_OPERAND,
    .options = {ANALYSIS_OPTIONS},
    LOOK(.work = info_work, .work_on_profile = info_work, .jvm_threads = true),
};
