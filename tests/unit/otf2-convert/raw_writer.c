#include "tests/unit/otf2-convert/raw_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOGS 2u

static void die(const char *what)
{
  perror(what);
  abort();
}

static char *join(const char *directory, const char *name)
{
  char *path;
  if (asprintf(&path, "%s/%s", directory, name) < 0)
    die("asprintf");
  return path;
}

char *raw_write_process(const char *trace, const char *name, const char *text)
{
  char *raw = join(trace, "raw"), *directory = join(raw, name), *path = join(directory, "process");
  if ((mkdir(trace, 0700) != 0 && errno != EEXIST) || (mkdir(raw, 0700) != 0 && errno != EEXIST) ||
      (mkdir(directory, 0700) != 0 && errno != EEXIST))
    die(directory);
  if (text != NULL) {
    FILE *file = fopen(path, "w");
    if (file == NULL || fprintf(file, "heddle-raw: %u\n%s", RAW_VERSION, text) < 0 || fclose(file) != 0)
      die(path);
  }
  free(path);
  free(raw);
  return directory;
}

struct raw_thread *raw_thread_open(const char *directory, uint32_t thread, uint32_t window_size, uint32_t ring_slots)
{
  struct raw_thread *t = calloc(1, sizeof *t + window_size);
  if (t == NULL)
    die("raw_thread_open");
  t->directory = strdup(directory);
  t->thread = thread;
  t->sequence = 1;
  t->window_size = window_size;
  t->ring_slots = ring_slots;
  return t;
}

static struct raw_header header_of(const struct raw_thread *t)
{
  return (struct raw_header){.magic = RAW_MAGIC,
                             .version = RAW_VERSION,
                             .window_size = t->window_size,
                             .owner = (uint64_t)t->thread << 32 | t->sequence,
                             .used = t->used * 8,
                             .anchor_ticks = t->anchor,
                             .anchor_ns = t->anchor_ns != 0 ? t->anchor_ns : t->anchor,
                             .not_measured = t->not_measured,
                             .ring_slots = t->ring_slots,
                             .lost_after = t->lost_after};
}

/* Writes header and records at an offset of a file. */
static void write_chunk(const char *path, const struct raw_header *header, const uint64_t *words, size_t bytes,
                        uint64_t offset)
{
  int fd = open(path, O_WRONLY | O_CREAT, 0600);
  if (fd < 0 || pwrite(fd, header, sizeof *header, (off_t)offset) != (ssize_t)sizeof *header ||
      pwrite(fd, words, bytes, (off_t)(offset + sizeof *header)) != (ssize_t)bytes || close(fd) != 0)
    die(path);
}

static void next_chunk(struct raw_thread *t)
{
  t->sequence++;
  t->used = 0;
}

void raw_thread_flush(struct raw_thread *t)
{
  char name[40];
  struct stat status = {0};
  snprintf(name, sizeof name, "chunks-%u.log", t->thread % LOGS);
  char *path = join(t->directory, name);
  struct raw_header header = header_of(t);
  uint64_t size = t->window_size, ring = t->ring_slots, place = 1;
  if (ring != 0)
    place = 1 + t->thread * ring + t->sequence % ring;
  else if (stat(path, &status) == 0)
    place = ((uint64_t)status.st_size + size - 1) / size;
  write_chunk(path, &header, t->words, t->used * 8, place * size);
  t->log_end = place * size + sizeof header + t->used * 8;
  free(path);
  next_chunk(t);
}

void raw_thread_lose(struct raw_thread *t)
{
  next_chunk(t);
}

void raw_thread_leave(struct raw_thread *t, unsigned slot)
{
  char *path = join(t->directory, "windows");
  struct raw_header header = header_of(t);
  header.used = 0;
  memset(&t->words[t->used], 0, t->window_size - sizeof header - t->used * 8);
  write_chunk(path, &header, t->words, t->window_size - sizeof header, (uint64_t)slot * t->window_size);
  free(path);
  next_chunk(t);
}

void raw_put(struct raw_thread *t, unsigned kind, unsigned detail, uint64_t value, uint64_t time, size_t extra,
             const uint64_t *words)
{
  if ((t->used + 2 + extra) * 8 > t->window_size - sizeof(struct raw_header) - 8)
    raw_thread_flush(t);
  if (t->used == 0)
    t->anchor = time;
  t->words[t->used++] = raw_head(kind, detail, value);
  t->words[t->used++] = time;
  for (size_t i = 0; i < extra; i++)
    t->words[t->used++] = words[i];
}

void raw_thread_close(struct raw_thread *t)
{
  if (t->used > 0)
    raw_thread_flush(t);
  free(t->directory);
  free(t);
}
