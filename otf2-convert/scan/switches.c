#include "otf2-convert/scan/switches.h"

#include "base/count_of.h"
#include "otf2-convert/messages.h"
#include "otf2-convert/samples/samples.h"
#include "otf2-convert/symbols/symbols.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SWITCHES_LOGS_MOST 4096u
#define SLICE_RECORDS      262144u

#define LINES_MOST 4096u

void processor_lines_begin(struct processor_lines *lines, const struct conversion *on, uint32_t first_location)
{
  *lines = (struct processor_lines){.on = on, .first_location = first_location};
}

static struct processor_line *line_of(struct processor_lines *lines, uint32_t log, uint32_t processor)
{
  const uint64_t *known = hash_find(&lines->by_number, (uint64_t)log << 32 | processor);
  return known != NULL ? &lines->items.items[*known] : NULL;
}

/* False: no memory. More than there can be are not shown. */
static bool add_line(struct processor_lines *lines, const struct processor_line *new)
{
  struct processor_line line = *new;
  if (lines->items.count >= LINES_MOST)
    return true;
  line.sink.archive = lines->on->archive;
  line.sink.writer = archive_writer(lines->on->archive, lines->first_location + lines->items.count);
  line.sink.last = line.since;
  return line.sink.writer == NULL ||
         (vector_push(&lines->items, line) &&
          hash_add(&lines->by_number, (uint64_t)line.log << 32 | line.processor, lines->items.count - 1) != NULL);
}

static uint32_t processor_lines_region_of(struct processor_lines *lines, const struct processor_line *line)
{
  bool is_free = line->thread == PROCESSOR_FREE;
  uint64_t code = is_free ? 0 : (uint64_t)line->thread + 1;
  return definitions_region(lines->on->definitions, &lines->regions, line->process,
                            is_free ? C_PROCESSOR_FREE : C_ON_PROCESSOR, &code, 0);
}

static void write_visit(struct processor_lines *lines, struct processor_line *line, uint64_t end)
{
  if (line->thread == PROCESSOR_UNKNOWN || end <= line->since)
    return;
  uint32_t region = processor_lines_region_of(lines, line);
  sink_enter(&line->sink, line->since, region);
  sink_leave(&line->sink, end, region);
}

bool processor_lines_switch(struct processor_lines *lines, uint32_t log, uint32_t processor, uint32_t process,
                            uint32_t thread, uint64_t time)
{
  struct processor_line *line = line_of(lines, log, processor);
  if (line == NULL && thread >= PROCESSOR_UNKNOWN)
    return true;
  if (line == NULL)
    return add_line(lines, &(struct processor_line){log, processor, process, thread, time, {0}});
  if (thread == line->thread)
    return true;
  if (thread != PROCESSOR_UNKNOWN)
    write_visit(lines, line, time);
  line->since = time > line->since ? time : line->since;
  line->thread = thread;
  return true;
}

uint64_t processor_lines_end(struct processor_lines *lines, uint64_t time)
{
  uint64_t end = time;
  for (size_t i = 0; i < lines->items.count; i++) {
    write_visit(lines, &lines->items.items[i], time);
    end = lines->items.items[i].sink.last > end ? lines->items.items[i].sink.last : end;
  }
  return end;
}

void processor_lines_free(struct processor_lines *lines)
{
  vector_free(&lines->items);
  hash_free(&lines->by_number);
}

static const char *const call_names[] = {
#define CALL(name) [SYS_##name] = "blocked in " #name,
#include "otf2-convert/system_calls.inc" /* made from <sys/syscall.h> */
#undef CALL
};

/* Returns "blocked in read"; number: 1 + the call's number. NULL: it has no name here. */
static const char *call_name(uint64_t number)
{
  return number > 0 && number <= COUNT_OF(call_names) ? call_names[number - 1] : NULL;
}

bool switches_open(struct switches *switches, int trace_fd, const struct switches *into)
{
  *switches = *into;
  DIR *list = kernel_log_directory(trace_fd, KERNEL_LOG_DIRECTORY);
  struct dirent *entry;
  bool good = true;
  while (good && list != NULL && switches->logs.count < SWITCHES_LOGS_MOST && (entry = readdir(list)) != NULL) {
    struct kernel_log log;
    if (!kernel_log_is_name(entry->d_name))
      continue;
    if (!kernel_log_open(&log, dirfd(list), entry->d_name))
      message_note("kernel/%s: not a log of context switches: ignored", entry->d_name);
    else if (!(good = vector_push(&switches->logs, log)))
      kernel_log_close(&log);
  }
  if (list != NULL)
    closedir(list);
  return good;
}

void switches_remove(int trace_fd)
{
  DIR *list = kernel_log_directory(trace_fd, KERNEL_LOG_DIRECTORY);
  struct dirent *entry;
  while (list != NULL && (entry = readdir(list)) != NULL)
    if (kernel_log_is_name(entry->d_name) || kernel_page_is_copy(entry->d_name))
      unlinkat(dirfd(list), entry->d_name, 0);
  if (list != NULL)
    closedir(list);
  unlinkat(trace_fd, KERNEL_LOG_DIRECTORY, AT_REMOVEDIR);
}

bool switches_are_known(const struct switches *switches)
{
  bool known = false;
  for (size_t i = 0; i < switches->logs.count; i++)
    known |= !switches->logs.items[i].alone;
  return known;
}

void switches_close(struct switches *switches)
{
  for (size_t i = 0; i < switches->logs.count; i++)
    kernel_log_close(&switches->logs.items[i]);
  vector_free(&switches->logs);
  vector_free(&switches->threads);
  hash_free(&switches->by_id);
}

/* True if the log's kernel had the process, and numbered it as the process itself did. */
static bool switches_is_of(const struct kernel_log *log, const struct process *process)
{
  return process->info.boot_id != NULL && strcmp(process->info.boot_id, log->header.boot_id) == 0 &&
         process->info.pid_namespace == log->header.pid_namespace;
}

static uint64_t ticks_of(const struct process *process, struct kernel_moment moment)
{
  return process->info.clock_is_tsc ? moment.stamp : moment.monotonic;
}

static uint64_t switches_time_of(const struct process *process, struct kernel_moment moment)
{
  return process_time_of_ns(process, moment.monotonic);
}

/* Locations of one thread are in the order of their begins. Those before the current one have ended. */
static void add_location(struct switches_thread *thread, struct location *locations, uint32_t added)
{
  uint64_t begin = locations[added].facts.first_time;
  uint32_t before = begin >= locations[thread->last].facts.first_time ? thread->last : thread->location;
  while (locations[before].later != 0 && begin >= locations[locations[before].later - 1].facts.first_time)
    before = locations[before].later - 1;
  if (before == thread->location && begin < locations[before].facts.first_time) {
    locations[added].later = before + 1;
    thread->location = added;
    return;
  }
  locations[added].later = locations[before].later;
  locations[before].later = added + 1;
  if (before == thread->last)
    thread->last = added;
}

/* The thread's location at a time, which does not decrease. */
static struct location *location_at(struct switches_thread *thread, struct location *locations, uint64_t time)
{
  uint32_t later;
  while ((later = locations[thread->location].later) != 0 && time >= locations[later - 1].facts.first_time)
    thread->location = later - 1;
  return &locations[thread->location];
}

/* Notes which threads of the kernel the locations are, as far as their first record has been seen. */
static bool note_locations(struct switches *switches, struct location *locations, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    struct location *location = &locations[i];
    if (location->facts.tid == 0 || location->is_switched)
      continue;
    uint64_t key = location->process->info.pid << 32 | (uint32_t)location->facts.tid;
    uint64_t *known = hash_find(&switches->by_id, key);
    struct switches_thread thread = {.location = i, .last = i};
    location->is_switched = true;
    if (known != NULL)
      add_location(&switches->threads.items[*known], locations, i);
    else if (!vector_push(&switches->threads, thread) ||
             hash_add(&switches->by_id, key, switches->threads.count - 1) == NULL)
      return false;
  }
  return true;
}

static bool add_off(struct location *locations, const struct switches_thread *thread, uint64_t until)
{
  struct location *location = &locations[thread->out_location];
  struct off_time off = {.begin = thread->out, .end = until, .ready = thread->preempted, .call = thread->call};
  return off.begin >= off.end || vector_push(&location->off, off);
}

/* The text of a call, as an off_time has it. False: no memory. */
static bool note_call(struct switches *switches, const struct kernel_log *log, uint32_t said, uint32_t *call)
{
  const char *name = call_name((said & KERNEL_CALL_OF) + 1);
  size_t on = said >> KERNEL_NAME_AT;
  char text[64 + KERNEL_NAME_MOST];
  if (name == NULL)
    return true;
  snprintf(text, sizeof text, on > 0 && on <= log->names.count ? "%s (%s)" : "%s", name,
           on > 0 && on <= log->names.count ? log->names.items[on - 1] : "");
  uint32_t number = string_table_number(switches->calls, text);
  *call = number + 1;
  return number != STRING_TABLE_NONE;
}

/* The processor's own line. */
static bool take_processor(struct switches *switches, const struct kernel_log *log, const struct location *location,
                           const struct kernel_record *record, uint64_t time)
{
  uint32_t number = (uint32_t)(log - switches->logs.items);
  uint64_t begin = location->facts.first_time;
  if (time > switches->bound)
    time = switches->bound;
  return processor_lines_switch(switches->lines, number, record->processor, location->process->index,
                                record->kind == KERNEL_IN ? location->number : PROCESSOR_FREE,
                                time < begin ? begin : time);
}

static bool take_loss(struct switches *switches, const struct kernel_log *log, const struct kernel_record *record)
{
  switches->lost += record->who;
  switches->losses++;
  return processor_lines_switch(switches->lines, (uint32_t)(log - switches->logs.items), record->processor, 0,
                                PROCESSOR_UNKNOWN, 0);
}

/* They were counted among all events of the kernel. */
static bool take_lost_samples(struct switches *switches, const struct kernel_record *record)
{
  uint64_t lost = record->who < switches->lost ? record->who : switches->lost;
  switches->lost -= lost;
  switches->samples->lost += lost;
  return true;
}

static bool switches_take_sample(struct switches *switches, const struct kernel_log *log,
                                 const struct kernel_record *record, struct location *location,
                                 struct kernel_moment moment)
{
  struct sample sample = {.location = location,
                          .stack = record->processor & ((1u << KERNEL_TRIGGER_AT) - 1),
                          .trigger = record->processor >> KERNEL_TRIGGER_AT};
  uint64_t begin = location->facts.first_time;
  sample.ticks = ticks_of(location->process, moment);
  sample.time = switches_time_of(location->process, moment);
  if (sample.time > switches->bound)
    sample.time = switches->bound;
  if (sample.time < begin)
    sample.time = begin;
  if (sample.trigger < log->samplers.count && log->samplers.items[sample.trigger].by_time &&
      java_samples_cover(location, sample.time))
    return true;
  return java_samples_until(switches->samples, location, sample.time) &&
         sample_archive_take(switches->samples, log, sample);
}

static bool switches_take(struct switches *switches, struct location *locations, const struct kernel_log *log,
                          const struct kernel_record *record, struct kernel_moment moment)
{
  if (record->kind == KERNEL_LOST)
    return take_loss(switches, log, record);
  if (record->kind == KERNEL_COST) {
    switches->cost += record->who;
    return true;
  }
  if (record->kind == KERNEL_SAMPLES_LOST)
    return take_lost_samples(switches, record);
  const uint64_t *number = hash_find(&switches->by_id, record->who);
  if (number == NULL)
    return record->kind != KERNEL_SAMPLE || sample_archive_take(switches->samples, log, (struct sample){0});
  struct switches_thread *thread = &switches->threads.items[*number];
  uint64_t time = switches_time_of(locations[thread->location].process, moment);
  struct location *location = location_at(thread, locations, time);
  if (record->kind == KERNEL_SAMPLE)
    return switches_take_sample(switches, log, record, location, moment);
  if (record->kind == KERNEL_CALL)
    return !thread->is_out || note_call(switches, log, record->processor, &thread->call);
  bool good = true;
  if (record->kind == KERNEL_IN && thread->is_out && thread->losses == switches->losses)
    good = add_off(locations, thread, time);
  good = good && take_processor(switches, log, location, record, time);
  switches->count += record->kind != KERNEL_IN;
  thread->is_out = record->kind != KERNEL_IN;
  thread->preempted = record->kind == KERNEL_OUT_PREEMPTED;
  thread->out = time;
  thread->out_location = thread->location;
  thread->call = 0;
  thread->losses = switches->losses;
  return good;
}

/* A process by whose clocks the log's times are compared with others; NULL: none was recorded there. */
static const struct process *any_process(const struct kernel_log *log, const struct location *locations, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    if (switches_is_of(log, locations[i].process))
      return locations[i].process;
  return NULL;
}

uint64_t switches_limit(struct switches *switches, const struct location *locations, uint32_t count)
{
  uint64_t limit = UINT64_MAX;
  for (size_t i = 0; i < switches->logs.count; i++) {
    struct kernel_log *log = &switches->logs.items[i];
    const struct process *process = any_process(log, locations, count);
    while (process != NULL && log->waiting.count - log->next < SLICE_RECORDS && kernel_log_round(log))
      continue;
    if (process == NULL || log->over || log->end.raw < KERNEL_LATE_NS)
      continue;
    uint64_t time = switches_time_of(process, kernel_log_moment(log, log->end.raw - KERNEL_LATE_NS));
    limit = time < limit ? time : limit;
  }
  return limit;
}

static bool switches_take_log(struct switches *switches, struct kernel_log *log, struct location *locations,
                              uint32_t count, uint64_t until)
{
  const struct process *process = any_process(log, locations, count);
  if (process == NULL)
    return true;
  do {
    const struct kernel_record *record;
    if (!sample_archive_ask(switches->samples, log, count))
      return false;
    while ((record = kernel_log_peek(log)) != NULL) {
      struct kernel_moment moment = kernel_log_moment(log, record->time);
      if (until != UINT64_MAX && switches_time_of(process, moment) >= until)
        return true;
      if (!switches_take(switches, locations, log, record, moment))
        return false;
      log->next++;
    }
  } while (kernel_log_round(log));
  return true;
}

/* Threads that have no processor at the end had none since then. */
static bool end_all(struct switches *switches, struct location *locations)
{
  bool good = true;
  for (size_t i = 0; good && i < switches->threads.count; i++) {
    const struct switches_thread *thread = &switches->threads.items[i];
    if (thread->is_out && thread->losses == switches->losses)
      good = add_off(locations, thread, UINT64_MAX);
  }
  return good;
}

bool switches_until(struct switches *switches, struct location *locations, uint32_t count, uint64_t until,
                    uint64_t bound)
{
  switches->bound = bound;
  bool good = switches->logs.count == 0 || note_locations(switches, locations, count);
  for (size_t i = 0; good && i < switches->logs.count; i++)
    good = switches_take_log(switches, &switches->logs.items[i], locations, count, until);
  return good && (until != UINT64_MAX || end_all(switches, locations));
}
