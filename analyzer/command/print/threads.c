/* Tables with a row a thread, for people: many rows become one. */
#include "analyzer/command/print/backend.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_SHOWN = 50 }; /* of a group */

void print_threads_begin(struct print *print)
{
  struct print_threads *threads = &print->threads;
  if (!threads->by_thread)
    return;
  threads->thread = threads->location = SIZE_MAX;
  for (size_t i = 0; i < print->column_count; i++) {
    if (strcmp(print->columns[i].title, "Thread") == 0)
      threads->thread = i;
    if (strcmp(print->columns[i].key, "thread") == 0)
      threads->location = i;
  }
  threads->on = print->backend == &print_text_backend && print->shortens && threads->thread != SIZE_MAX &&
                threads->location != SIZE_MAX;
  threads->shown = threads->further = 0;
  threads->group = threads->thread < threads->location ? threads->thread : threads->location;
  threads->rest = threads->on ? calloc(print->column_count, sizeof *threads->rest) : NULL;
  print->failed |= threads->on && !threads->rest;
  threads->on &= threads->rest != NULL;
}

static bool is_same_group(const struct print_threads *threads, const struct print_cell *cells)
{
  for (size_t i = 0; i < threads->group; i++) {
    const char *before = threads->rest[i].text, *now = cells[i].text;
    if (!before != !now || (now && strcmp(before, now) != 0) || cells[i].count != threads->rest[i].count)
      return false;
  }
  return threads->shown > 0;
}

static void forget_group(struct print_threads *threads)
{
  for (size_t i = 0; i < threads->group; i++)
    free((char *)threads->rest[i].text);
}

/* Texts of rows are there only while the row is printed. */
static void begin_group(struct print *print, const struct print_cell *cells)
{
  struct print_threads *threads = &print->threads;
  forget_group(threads);
  memset(threads->rest, 0, print->column_count * sizeof *threads->rest);
  threads->shown = 0;
  for (size_t i = 0; i < threads->group; i++) {
    threads->rest[i] = cells[i];
    threads->rest[i].text = cells[i].text ? strdup(cells[i].text) : NULL;
    print->failed |= cells[i].text && !threads->rest[i].text;
  }
}

static void add_up(uint64_t *sum, uint64_t more)
{
  if (__builtin_add_overflow(*sum, more, sum))
    *sum = UINT64_MAX;
}

static void add_row(struct print *print, const struct print_cell *cells)
{
  struct print_threads *threads = &print->threads;
  threads->further++;
  for (size_t i = threads->group; i < print->column_count; i++) {
    enum print_type type = print->columns[i].type;
    struct print_cell *sum = &threads->rest[i];
    if (!cells[i].there || (type != PRINT_COUNT && type != PRINT_DURATION && type != PRINT_SHARE))
      continue;
    sum->there = true;
    add_up(&sum->count, cells[i].count);
    if (threads->one_whole)
      sum->of = cells[i].of;
    else
      add_up(&sum->of, cells[i].of);
    sum->estimate |= cells[i].estimate;
    sum->half_width = INFINITY;
  }
}

static void flush_group(struct print *print)
{
  char name[64];
  struct print_threads *threads = &print->threads;
  if (threads->further > 0) {
    snprintf(name, sizeof name, "%" PRIu64 " more (--all-threads)", threads->further);
    threads->rest[threads->thread] = print_string(name);
    print->backend->row(print, threads->rest);
  }
  threads->shown = threads->further = 0;
}

bool print_threads_take(struct print *print, const struct print_cell *cells)
{
  struct print_threads *threads = &print->threads;
  bool is_thread = cells[threads->location].there;
  if (!is_thread || !is_same_group(threads, cells))
    flush_group(print);
  if (is_thread && !is_same_group(threads, cells))
    begin_group(print, cells);
  if (!is_thread || threads->shown++ < THREADS_SHOWN)
    return false;
  add_row(print, cells);
  return true;
}

void print_threads_end(struct print *print)
{
  struct print_threads *threads = &print->threads;
  if (threads->on) {
    flush_group(print);
    forget_group(threads);
    free(threads->rest);
  }
  *threads = (struct print_threads){.on = false};
}
