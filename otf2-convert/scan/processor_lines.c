#include "otf2-convert/scan/processor_lines.h"

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
