/* Machines, their processes and threads with properties, and processors. */
#include "common/budget/recording_cost.h"
#include "otf2-convert/describe/describe.h"
#include "otf2-convert/describe/names.h"
#include "otf2-convert/describe/topology.h"
#include "otf2-convert/plan/process.h"
#include "otf2-convert/scan/counters.h"
#include "otf2-convert/timeline/record_details.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORDING_COST_MOST (1000000ull * RECORDING_COST_RECORDS) /* a record that takes longer was not measured */

static const char *or_unknown(const char *text)
{
  return text != NULL && text[0] != 0 ? text : "unknown";
}

static void describe_machine_write_node(struct describer *d, const struct topology_node *node, uint32_t ref,
                                        uint32_t parent, const char *host)
{
  static const struct {
    const char *class;
    OTF2_SystemTreeDomain domain;
  } kinds[] = {[TOPOLOGY_MACHINE] = {"machine", OTF2_SYSTEM_TREE_DOMAIN_MACHINE},
               [TOPOLOGY_PACKAGE] = {"package", OTF2_SYSTEM_TREE_DOMAIN_SOCKET},
               [TOPOLOGY_NUMA] = {"NUMA node", OTF2_SYSTEM_TREE_DOMAIN_NUMA},
               [TOPOLOGY_CORE] = {"core", OTF2_SYSTEM_TREE_DOMAIN_CORE}};
  const char *class = kinds[node->kind].class;
  OTF2_StringRef name =
      node->kind == TOPOLOGY_MACHINE ? describer_string(d, host) : describer_format(d, "%s %u", class, node->number);
  OTF2_StringRef class_ref = describer_string(d, class);
  archive_check(d->archive, OTF2_GlobalDefWriter_WriteSystemTreeNode(d->writer, ref, name, class_ref, parent));
  archive_check(d->archive, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(d->writer, ref, kinds[node->kind].domain));
  if (node->kind == TOPOLOGY_MACHINE)
    archive_check(d->archive, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(d->writer, ref,
                                                                             OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
}

/* The first process on the same host. */
static uint32_t host_of(const struct plan *plan, uint32_t process)
{
  const char *host = or_unknown(plan->processes.items[process].info.host);
  uint32_t i = 0;
  while (strcmp(or_unknown(plan->processes.items[i].info.host), host) != 0)
    i++;
  return i;
}

/* Writes the machine of a process and what is in it, with refs from *next on. */
static void write_machine(struct describer *d, uint32_t process, int trace_fd, uint32_t *next)
{
  const struct process *on = &d->plan->processes.items[process];
  const int directories[] = {on->raw.fd, trace_fd};
  struct topology topology;
  if (!topology_read(&topology, directories, 2, or_unknown(on->info.host), on->same_boot))
    d->error = ENOMEM;
  for (size_t i = 0; i < topology.nodes.count; i++)
    describe_machine_write_node(d, &topology.nodes.items[i], *next + (uint32_t)i,
                                i == 0 ? OTF2_UNDEFINED_SYSTEM_TREE_NODE
                                       : *next + (uint32_t)topology.nodes.items[i].parent,
                                or_unknown(on->info.host));
  *next += (uint32_t)topology.nodes.count;
  topology_free(&topology);
}

static void group_property(struct describer *d, uint32_t group, OTF2_StringRef name, const char *text)
{
  if (text == NULL || text[0] == 0)
    return;
  OTF2_AttributeValue value = {.stringRef = describer_string(d, text)};
  archive_check(d->archive,
                OTF2_GlobalDefWriter_WriteLocationGroupProperty(d->writer, group, name, OTF2_TYPE_STRING, value));
}

/* The command line as one would type it, roughly: arguments with blanks in quotes. */
static void command_line(const string_list *arguments, char *line, size_t size)
{
  size_t used = 0;
  line[0] = 0;
  for (size_t i = 0; i < arguments->count && used + 4 < size; i++) {
    const char *argument = arguments->items[i];
    bool plain = argument[0] != 0 && strpbrk(argument, " \t\n\"'$`\\|&;<>()*?") == NULL;
    int n = snprintf(line + used, size - used, plain ? "%s%s" : "%s'%s'", i == 0 ? "" : " ", argument);
    used += n < 0 ? 0 : (size_t)n;
  }
}

static void write_environment(struct describer *d, uint32_t group, const string_list *environment)
{
  struct hash written = {0}; /* refs of names: each may be there but once */
  for (size_t i = 0; i < environment->count; i++) {
    const char *entry = environment->items[i], *equals = strchr(entry, '=');
    if (equals == NULL || equals == entry)
      continue;
    OTF2_StringRef name =
        describer_format(d, "%s%.*s", NAME_ENV, (int)(equals - entry > 4096 ? 4096 : equals - entry), entry);
    if (hash_find(&written, name) != NULL)
      continue;
    if (hash_add(&written, name, 0) == NULL)
      d->error = ENOMEM;
    OTF2_AttributeValue value = {.stringRef = describer_string(d, equals + 1)};
    archive_check(d->archive,
                  OTF2_GlobalDefWriter_WriteLocationGroupProperty(d->writer, group, name, OTF2_TYPE_STRING, value));
  }
  hash_free(&written);
}

/* True if recording began paused, or was paused at once, and remained so, although there was something to record. */
static bool never_started(const struct describer *d, uint32_t number)
{
  bool recorded = d->plan->processes.items[number].info.live != 0, paused = false;
  for (uint32_t i = 0; i < d->converted->location_count; i++) {
    const struct location *location = &d->converted->locations[i];
    recorded |= location->process->index == number && location->facts.has_program_events;
    paused |= location->process->index == number && (location->facts.paused || location->facts.paused_after);
  }
  return paused && !recorded;
}

/* Returns the end of the process, as `heddle record` saw it, else as the process recorded it. */
static const char *describe_machine_end_of(const struct process_info *info)
{
  if (info->exit_status != NULL)
    return info->exit_status;
  return info->ended && info->ended_how != NULL ? info->ended_how : VALUE_ENDED_UNKNOWN;
}

static void write_cpu_limit(struct describer *d, uint32_t number, const struct process_info *info)
{
  char text[32];
  uint64_t period = info->cpu_limit.period_us, first = info->cpu_limit.first_us, last = info->cpu_limit.last_us;
  if (period == 0)
    return;
  snprintf(text, sizeof text, "%.2f", (double)info->cpu_limit.quota_us / (double)period);
  group_property(d, number, describer_string(d, PROCESS_CPU_LIMIT), text);
  if (!info->cpu_limit.ended || last < first)
    return;
  snprintf(text, sizeof text, "%" PRIu64, last - first);
  group_property(d, number, describer_string(d, PROCESS_THROTTLED), text);
}

static void write_stolen(struct describer *d, uint32_t number, const struct process_info *info)
{
  char text[32];
  uint64_t taken = info->stolen.last - info->stolen.first, of = info->stolen.last_of - info->stolen.first_of;
  if (info->stolen.last <= info->stolen.first || info->stolen.last_of <= info->stolen.first_of || taken > of)
    return;
  snprintf(text, sizeof text, "%.2f", 100.0 * (double)taken / (double)of);
  group_property(d, number, describer_string(d, PROCESS_STOLEN), text);
}

/* What the process was built with: `heddle specification: NAME HASH VERSION` (archive_names.h). */
static void write_specifications(struct describer *d, uint32_t number, const struct user_names *names)
{
  for (uint64_t id = 1; id <= names->items.count; id++) {
    if (!user_name_is_built(names, id))
      continue;
    const char *name = user_name(names, id) + strlen(NAME_BUILT), *end = strchr(name, ' ');
    if (end != NULL)
      group_property(d, number, describer_format(d, "%s%.*s", NAME_SPECIFICATION, (int)(end - name), name), end + 1);
  }
}

static void write_process(struct describer *d, uint32_t number, uint32_t machine)
{
  const struct process *process = &d->plan->processes.items[number];
  const struct process_info *info = &process->info;
  uint32_t parent = OTF2_UNDEFINED_LOCATION_GROUP;
  for (uint32_t i = 0; i < number && info->parent != NULL; i++) /* a parent began before its child */
    if (strcmp(d->plan->processes.items[i].directory, info->parent) == 0)
      parent = i;
  uint64_t rank = process_rank(info);
  OTF2_StringRef name =
      rank == PROCESS_NO_RANK
          ? describer_format(d, "%s [%" PRIu64 "]", or_unknown(process_name(info)), info->pid)
          : describer_format(d, "rank %" PRIu64 ": %s [%" PRIu64 "]", rank, or_unknown(process_name(info)), info->pid);
  archive_check(d->archive, OTF2_GlobalDefWriter_WriteLocationGroup(d->writer, number, name,
                                                                    OTF2_LOCATION_GROUP_TYPE_PROCESS, machine, parent));
  char command[16384];
  command_line(&info->arguments, command, sizeof command);
  group_property(d, number, describer_string(d, PROCESS_COMMAND), command);
  group_property(d, number, describer_string(d, PROCESS_EXE), info->exe);
  group_property(d, number, describer_string(d, PROCESS_CWD), info->cwd);
  group_property(d, number, describer_string(d, PROCESS_HOST), info->host);
  group_property(d, number, describer_string(d, PROCESS_RUNTIME), info->runtime);
  group_property(d, number, describer_string(d, PROCESS_ENDED), describe_machine_end_of(info));
  if (never_started(d, number))
    group_property(d, number, describer_string(d, PROCESS_RECORDING), VALUE_RECORDING_NEVER);
  group_property(d, number, describer_string(d, PROCESS_CLOCK),
                 info->clock_is_tsc ? VALUE_CLOCK_TSC : VALUE_CLOCK_MONOTONIC);
  group_property(d, number, describer_string(d, PROCESS_CLOCK_WHY), info->clock_why);
  if (info->processors > 0) {
    char processors[24];
    snprintf(processors, sizeof processors, "%" PRIu64, info->processors);
    group_property(d, number, describer_string(d, PROCESS_PROCESSORS), processors);
  }
  write_cpu_limit(d, number, info);
  write_stolen(d, number, info);
  if (info->budget != NULL)
    group_property(d, number, describer_string(d, PROCESS_BUDGET), info->budget);
  if (info->java_calls.period != 0)
    group_property(d, number, describer_string(d, PROCESS_JAVA_SAMPLED), "1");
  write_environment(d, number, &info->environment);
  write_specifications(d, number, &info->names);
}

static void location_number(struct describer *d, uint32_t location, const char *name, uint64_t number)
{
  OTF2_StringRef name_ref = describer_string(d, name);
  OTF2_AttributeValue value = {.uint64 = number};
  archive_check(d->archive,
                OTF2_GlobalDefWriter_WriteLocationProperty(d->writer, location, name_ref, OTF2_TYPE_UINT64, value));
}

/*
 * A thread and its place among the threads of its process: the roots as they came, then workers by their number. So if
 * there is one root, a thread's place is its omp_get_thread_num(). Java's threads and threads of programs without
 * OpenMP stay as they came.
 */
struct placed {
  const struct location *location;
  bool is_root;
  uint32_t number; /* roots count from 1; workers: the thread's number in its first team, if it is the first one with
                      it, else the next free number */
};

static bool describe_machine_is_root(const struct location *location)
{
  return location->facts.type == THREAD_INITIAL || location->number == location->process->first_location;
}

static int compare_places(const void *a, const void *b)
{
  const struct placed *left = a, *right = b;
  if (left->is_root != right->is_root)
    return left->is_root ? -1 : 1;
  if (left->number != right->number)
    return left->number < right->number ? -1 : 1;
  return left->location->number < right->location->number ? -1 : 1;
}

static int compare_numbers(const void *a, const void *b)
{
  uint32_t left = ((const struct placed *)a)->location->number, right = ((const struct placed *)b)->location->number;
  return (left > right) - (left < right);
}

/* Gives each thread its number and puts them in their order. False: no memory. */
static bool place_threads(struct placed *threads, uint32_t count)
{
  struct thread_number *numbers = calloc(count + 1u, sizeof *numbers);
  if (numbers == NULL)
    return false;
  for (uint32_t i = 0; i < count; i++)
    numbers[i] = (struct thread_number){.is_root = describe_machine_is_root(threads[i].location),
                                        .in_team = threads[i].location->facts.first_index};
  bool good = thread_numbers(numbers, count);
  for (uint32_t i = 0; i < count; i++) {
    threads[i].is_root = numbers[i].is_root;
    threads[i].number = numbers[i].number;
  }
  free(numbers);
  qsort(threads, count, sizeof *threads, compare_places);
  return good;
}

/*
 * The name of a thread that the program created: its start function, and which of the threads with this function it is.
 * Empty: the function is unknown, or a library's that calls the program's.
 */
static void start_name(struct describer *d, const struct location *location, struct hash *started, char *name,
                       size_t size)
{
  struct source_place place = {.function = "", .file = ""};
  uint64_t code = location->facts.start_code;
  name[0] = 0;
  if (code != 0)
    place = definitions_place(d->definitions, location->process->index, code + 1);
  if (place.function[0] == 0 || place.header || strcmp(place.function, "execute_native_thread_routine") == 0 ||
      strncmp(place.function, "std::thread::_State", 19) == 0)
    return;
  OTF2_StringRef function = describer_string(d, place.function);
  uint64_t *count = hash_find(started, function);
  if (count == NULL && (count = hash_add(started, function, 0)) == NULL)
    d->error = ENOMEM;
  else
    snprintf(name, size, "%s %" PRIu64, place.function, ++*count);
}

static OTF2_StringRef location_name(struct describer *d, const struct placed *thread, bool openmp, struct hash *started)
{
  const struct thread_facts *facts = &thread->location->facts;
  char start[DEFINITIONS_TEXT_MAX] = "", name[DEFINITIONS_TEXT_MAX];
  struct thread_names names = {.user = facts->user_name,
                               .java = facts->java_name,
                               .system = facts->name,
                               .started = start,
                               .java_id = facts->java_id,
                               .number = thread->number,
                               .is_java = facts->is_java,
                               .is_virtual = (facts->java_flags & RAW_JAVA_VIRTUAL) != 0,
                               .is_root = thread->is_root,
                               .openmp = openmp};
  if (facts->type != THREAD_WORKER && facts->type != THREAD_INITIAL)
    names.pthread_number = facts->pthread_number;
  if (names.pthread_number != 0 && names.user == NULL && !names.is_java && facts->name[0] == 0)
    start_name(d, thread->location, started, start, sizeof start);
  thread_name(&names, name, sizeof name);
  return describer_string(d, name);
}

static void location_text(struct describer *d, uint32_t location, const char *name, const char *text)
{
  OTF2_StringRef name_ref = describer_string(d, name);
  OTF2_AttributeValue value = {.stringRef = describer_string(d, text)};
  archive_check(d->archive,
                OTF2_GlobalDefWriter_WriteLocationProperty(d->writer, location, name_ref, OTF2_TYPE_STRING, value));
}

/* Writes the estimated cost of recording for the thread. */
static void write_price(struct describer *d, const struct location *location)
{
  const struct process *process = location->process;
  struct timeline_counts counts = location->counts;
  uint64_t ticks = process->info.record_ticks, begin = process->info.first.ticks;
  if (ticks == 0 || ticks > RECORDING_COST_MOST || counts.records > UINT32_MAX * RECORDING_COST_MOST ||
      counts.calls_omitted > UINT32_MAX * RECORDING_COST_MOST)
    return;
  double records = (double)counts.records + (double)counts.calls_omitted * RECORDING_COST_OMITTED;
  uint64_t emitting = (uint64_t)(records * (double)ticks / RECORDING_COST_RECORDS);
  uint64_t recording = process_duration(process, begin, emitting);
  location_number(d, location->number, LOCATION_RECORDS, counts.records);
  location_number(d, location->number, LOCATION_RECORDING_TICKS, recording + counts.stalled);
}

static uint64_t events_of(const struct describer *d, const struct location *location)
{
  if (d->of_calls)
    return calls_archive_of(&d->converted->calls, location->number);
  return d->of_samples ? sample_archive_of(&d->converted->samples, location->number) : location->events;
}

static void write_location(struct describer *d, const struct placed *thread, bool openmp, struct hash *started)
{
  const struct location *location = thread->location;
  const struct thread_facts *facts = &location->facts;
  OTF2_StringRef name = location_name(d, thread, openmp, started);
  if (d->of_samples && events_of(d, location) == 0 &&
      location->number != d->converted->samples.empty) /* it has no file: the archive of samples has no such thread */
    return;
  if (d->location_names != NULL)
    d->location_names[location->number] = name;
  archive_check(d->archive,
                OTF2_GlobalDefWriter_WriteLocation(d->writer, location->number, name, OTF2_LOCATION_TYPE_CPU_THREAD,
                                                   events_of(d, location), location->process->index));
  location_text(d, location->number, LOCATION_THREAD_TYPE,
                thread_type_name(facts->is_java, facts->type, facts->java_flags));
  if (facts->java_group != NULL)
    location_text(d, location->number, LOCATION_THREAD_GROUP, facts->java_group);
  if (facts->java_class != NULL)
    location_text(d, location->number, LOCATION_JAVA_CLASS, facts->java_class);
  if (facts->is_java)
    location_number(d, location->number, LOCATION_JAVA_ID, facts->java_id);
  if (facts->bound_to != NULL)
    location_text(d, location->number, LOCATION_BOUND_TO, facts->bound_to);
  char scaled[COUNTER_NAMES_MOST * COUNTER_NAME_SIZE];
  if (describe_counters_scaled(location, scaled, sizeof scaled))
    location_text(d, location->number, LOCATION_COUNTERS_SCALED, scaled);
  archive_write_local_definitions(d->archive, location->number);
  if (facts->tid != 0)
    location_number(d, location->number, LOCATION_TID, facts->tid);
  const struct process_info *info = &location->process->info;
  if (d->plan->clocks.one && facts->tid == info->pid && info->began_ns != 0 && info->began_ns < facts->first_time)
    location_number(d, location->number, LOCATION_BEGAN, info->began_ns);
  if (facts->events_lost + facts->lost_after != 0)
    location_number(d, location->number, LOCATION_EVENTS_LOST, facts->events_lost + facts->lost_after);
  if (facts->not_measured != 0)
    location_number(d, location->number, LOCATION_EVENTS_SKIPPED, facts->not_measured);
  write_price(d, location);
}

/* Writes the threads of the process that begin with location `first`; returns the first location of the next process.
 */
static uint32_t write_threads(struct describer *d, uint32_t first)
{
  const struct process *process = d->converted->locations[first].process;
  uint32_t end = first, count = 0;
  struct hash started = {0}; /* name of a start function -> threads with it */
  bool java = false, openmp = process_info_has_openmp(&process->info);
  while (end < d->converted->location_count && d->converted->locations[end].process == process)
    java |= d->converted->locations[end++].facts.is_java;
  struct placed *threads = calloc(end - first, sizeof *threads);
  for (uint32_t i = first; threads != NULL && i < end; i++)
    if (d->converted->locations[i].facts.any)
      threads[count++].location = &d->converted->locations[i];
  if (threads == NULL || !place_threads(threads, count))
    d->error = ENOMEM;
  if (threads != NULL && (java || !openmp))
    qsort(threads, count, sizeof *threads, compare_numbers);
  for (uint32_t i = 0; threads != NULL && i < count; i++)
    write_location(d, &threads[i], openmp, &started);
  hash_free(&started);
  free(threads);
  return end;
}

void describe_machine(struct describer *d, int trace_fd)
{
  uint32_t next = 0, location = 0;
  for (uint32_t i = 0; i < d->plan->processes.count; i++) {
    uint32_t first = host_of(d->plan, i);
    d->plan->processes.items[i].machine = first == i ? next : d->plan->processes.items[first].machine;
    if (first == i)
      write_machine(d, i, trace_fd, &next);
    write_process(d, i, d->plan->processes.items[i].machine);
  }
  while (location < d->converted->location_count)
    location = write_threads(d, location);
}

/* Processors as locations. They are no threads: readers that sum up threads ignore accelerators' streams. */

/* A group for the processors of a log. */
static void write_group(struct describer *d, uint32_t log, uint32_t group, uint32_t process)
{
  const struct process *on = &d->plan->processes.items[process];
  OTF2_StringRef name = log == 0 ? describer_string(d, NAME_PROCESSORS)
                                 : describer_format(d, "%s (%" PRIu32 ")", NAME_PROCESSORS, log + 1);
  archive_check(d->archive,
                OTF2_GlobalDefWriter_WriteLocationGroup(d->writer, group, name, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR,
                                                        on->machine, OTF2_UNDEFINED_LOCATION_GROUP));
}

static int describe_processors_in_order(const void *a, const void *b)
{
  const struct processor_line *x = *(const struct processor_line *const *)a,
                              *y = *(const struct processor_line *const *)b;
  if (x->log != y->log)
    return x->log < y->log ? -1 : 1;
  return (x->processor > y->processor) - (x->processor < y->processor);
}

/* The lines by log, then by number, as they are to be shown. NULL: no memory. */
static const struct processor_line **sorted(const struct processor_lines *lines)
{
  const struct processor_line **order = calloc(lines->items.count + 1, sizeof *order);
  for (size_t i = 0; order != NULL && i < lines->items.count; i++)
    order[i] = &lines->items.items[i];
  if (order != NULL && lines->items.count > 1)
    qsort(order, lines->items.count, sizeof *order, describe_processors_in_order);
  return order;
}

static void write_processor(struct describer *d, const struct processor_line *line, uint32_t group)
{
  uint32_t number = d->converted->processors.first_location + (uint32_t)(line - d->converted->processors.items.items);
  archive_check(d->archive,
                OTF2_GlobalDefWriter_WriteLocation(
                    d->writer, number, describer_format(d, "%s %" PRIu32, NAME_PROCESSOR, line->processor),
                    OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, archive_events(d->archive, line->sink.writer), group));
  archive_write_local_definitions(d->archive, number);
}

void describe_processors(struct describer *d)
{
  const struct processor_lines *lines = &d->converted->processors;
  const struct processor_line **order = sorted(lines);
  uint32_t group = d->plan->processes.count - 1;
  if (order == NULL)
    d->error = ENOMEM;
  for (size_t i = 0; order != NULL && i < lines->items.count; i++) {
    if (i == 0 || order[i]->log != order[i - 1]->log)
      write_group(d, order[i]->log, ++group, order[i]->process);
    write_processor(d, order[i], group);
  }
  free(order);
}
