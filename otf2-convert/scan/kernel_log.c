#include "otf2-convert/scan/kernel_log.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define WAITING_MOST (4u << 20) /* records of one round; more is no log of ours */
#define SORTED_MOST  64u        /* times that each record is put in order, on average; likewise */
#define ROUNDS_MOST  256u       /* records wait for a round or two */

static bool kernel_log_is_ours(const struct kernel_log_header *header)
{
  return memcmp(header->magic, KERNEL_LOG_MAGIC, sizeof header->magic) == 0 &&
         header->boot_id[sizeof header->boot_id - 1] == '\0';
}

DIR *kernel_log_directory(int at, const char *path)
{
  int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  DIR *list = fd < 0 ? NULL : fdopendir(fd);
  if (list == NULL && fd >= 0)
    close(fd);
  return list;
}

bool kernel_log_is_name(const char *name)
{
  size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, ".log") == 0 && name[0] != '.';
}

bool kernel_log_open(struct kernel_log *log, int directory, const char *name)
{
  *log = (struct kernel_log){0};
  int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  log->file = fd < 0 ? NULL : fdopen(fd, "r");
  if (log->file == NULL && fd >= 0)
    close(fd);
  if (log->file != NULL && fread(&log->header, sizeof log->header, 1, log->file) == 1 &&
      kernel_log_is_ours(&log->header))
    return true;
  kernel_log_close(log);
  return false;
}

static void forget_all(struct kernel_log *log)
{
  for (size_t i = 0; i < log->names.count; i++)
    free(log->names.items[i]);
  vector_free(&log->names);
  vector_free(&log->samplers);
  vector_free(&log->stacks);
  vector_free(&log->blocks);
  vector_free(&log->waiting);
  vector_free(&log->rounds);
}

void kernel_log_close(struct kernel_log *log)
{
  if (log->file != NULL)
    fclose(log->file);
  forget_all(log);
  *log = (struct kernel_log){.over = true};
}

void kernel_log_rewind(struct kernel_log *log)
{
  struct kernel_log kept = {.file = log->file, .header = log->header};
  forget_all(log);
  *log = kept;
  log->over = log->file == NULL || fseeko(log->file, sizeof log->header, SEEK_SET) != 0;
}

static int kernel_log_by_time(const void *a, const void *b)
{
  const struct kernel_record *x = a, *y = b;
  return x->time < y->time ? -1 : x->time > y->time;
}

/* The next record of the file, which is `ahead` then. */
static bool kernel_log_step(struct kernel_log *log)
{
  struct kernel_record *ahead = &log->ahead;
  return fread(ahead, sizeof *ahead, 1, log->file) == 1 && ahead->kind >= KERNEL_ROUND && ahead->kind <= KERNEL_LAST;
}

/* Takes the text of the name that is ahead. */
static bool kernel_log_take_name(struct kernel_log *log)
{
  size_t length = log->ahead.processor, size = sizeof log->ahead, padded = (length + size - 1) / size * size;
  if (log->ahead.who != log->names.count + 1 || log->ahead.who > KERNEL_NAMES_MOST || length > KERNEL_NAME_MOST)
    return false;
  char *text = calloc(1, padded + 1);
  if (text != NULL && fread(text, 1, padded, log->file) == padded && vector_push(&log->names, text)) {
    text[length] = '\0';
    return true;
  }
  free(text);
  return false;
}

/* The bytes behind a record that belong to it, with the zeros that fill them up. */
static uint64_t bytes_behind(const struct kernel_record *record)
{
  uint64_t size = sizeof *record, bytes = 0;
  switch (record->kind) {
  case KERNEL_ROUND: /* the clocks */
    bytes = size;
    break;
  case KERNEL_NAME:
    bytes = record->processor;
    break;
  case KERNEL_STACK:
    bytes = record->processor * (uint64_t)sizeof(uint64_t);
    break;
  case KERNEL_BLOCK:
    bytes = KERNEL_BLOCK_BYTES;
    break;
  case KERNEL_COPY:
    bytes = sizeof(struct kernel_registers) +
            kernel_copy_blocks(record->time, record->processor) * (uint64_t)sizeof(uint32_t);
    break;
  default:
    break;
  }
  return (bytes + size - 1) / size * size;
}

static bool pass_over(struct kernel_log *log)
{
  return fseeko(log->file, (off_t)bytes_behind(&log->ahead), SEEK_CUR) == 0;
}

/* Notes where the stack is that is ahead. */
static bool take_stack(struct kernel_log *log)
{
  const struct kernel_record *ahead = &log->ahead;
  off_t at = ftello(log->file);
  bool copy = ahead->kind == KERNEL_COPY;
  if (at < 0 || ahead->who != log->stacks.count + 1 || ahead->who > KERNEL_STACKS_MOST || ahead->processor == 0 ||
      ahead->processor > (copy ? KERNEL_COPY_MOST : KERNEL_STACK_MOST))
    return false;
  return vector_push(&log->stacks, (uint64_t)at - sizeof *ahead) && pass_over(log);
}

static bool take_block(struct kernel_log *log)
{
  off_t at = ftello(log->file);
  return at >= 0 && log->ahead.who == log->blocks.count + 1 && log->ahead.who <= KERNEL_BLOCKS_MOST &&
         vector_push(&log->blocks, (uint64_t)at) && pass_over(log);
}

static bool take_sampler(struct kernel_log *log)
{
  uint32_t name = log->ahead.processor & (KERNEL_SAMPLER_TIME - 1);
  struct kernel_sampler sampler = {.name = name <= log->names.count ? name : 0,
                                   .by_time = log->ahead.processor & KERNEL_SAMPLER_TIME,
                                   .period = log->ahead.who};
  return sampler.period > 0 && log->samplers.count < KERNEL_TRIGGERS_MOST && vector_push(&log->samplers, sampler);
}

/* Takes what is ahead, which is no round. */
static bool take_ahead(struct kernel_log *log)
{
  switch (log->ahead.kind) {
  case KERNEL_NAME:
    return kernel_log_take_name(log);
  case KERNEL_STACK:
  case KERNEL_COPY:
    return take_stack(log);
  case KERNEL_BLOCK:
    return take_block(log);
  case KERNEL_SAMPLER:
    return take_sampler(log);
  case KERNEL_ALONE:
    return log->alone = true;
  default:
    break;
  }
  log->taken++;
  return log->waiting.count < WAITING_MOST && vector_push(&log->waiting, log->ahead);
}

/* Takes the clocks at a round's begin, which is ahead. */
static bool take_clocks(struct kernel_log *log)
{
  struct kernel_record round = log->ahead;
  if (round.kind != KERNEL_ROUND || !kernel_log_step(log) || log->ahead.kind != KERNEL_CLOCKS)
    return false;
  struct kernel_moment now = {.raw = round.time, .stamp = round.who, .monotonic = log->ahead.who};
  if (now.raw < log->end.raw || now.monotonic < log->end.monotonic)
    return false;
  if (log->rounds.count == ROUNDS_MOST) {
    log->rounds.count -= ROUNDS_MOST / 2;
    memmove(log->rounds.items, log->rounds.items + ROUNDS_MOST / 2, log->rounds.count * sizeof *log->rounds.items);
  }
  bool is_same = now.raw == log->end.raw;
  log->end = now;
  return is_same || vector_push(&log->rounds, now);
}

bool kernel_log_skip_to_round(struct kernel_log *log, struct kernel_moment *moment)
{
  while (kernel_log_step(log)) {
    if (log->ahead.kind == KERNEL_ROUND) {
      if (!take_clocks(log))
        return false;
      *moment = log->end;
      return true;
    }
    if (bytes_behind(&log->ahead) > 0 && !pass_over(log))
      return false;
  }
  return false;
}

/* Drops the records that were returned. */
static void forget_done(struct kernel_log *log)
{
  if (log->next > 0)
    memmove(log->waiting.items, log->waiting.items + log->next,
            (log->waiting.count - log->next) * sizeof *log->waiting.items);
  log->waiting.count -= log->next;
  log->next = 0;
}

bool kernel_log_round(struct kernel_log *log)
{
  if (log->over)
    return false;
  forget_done(log);
  bool good = (log->end.raw != 0 || kernel_log_step(log)) && take_clocks(log);
  while (good && (good = kernel_log_step(log)) && log->ahead.kind != KERNEL_ROUND)
    good = take_ahead(log);
  log->over = !good;
  log->sure = log->end.raw;
  log->in_order = false;
  return true;
}

/* The next record is ahead, with all that belongs to it behind it in the first `size` bytes. False: not yet; *good:
 * whether it may still come. */
static bool step_whole(struct kernel_log *log, uint64_t size, bool *good)
{
  off_t at = ftello(log->file);
  *good = at >= 0 && (uint64_t)at <= size;
  if (!*good || size - (uint64_t)at < sizeof log->ahead || !(*good = kernel_log_step(log)))
    return false;
  if (bytes_behind(&log->ahead) <= size - (uint64_t)at - sizeof log->ahead)
    return true;
  *good = fseeko(log->file, at, SEEK_SET) == 0;
  return false;
}

enum kernel_followed kernel_log_follow(struct kernel_log *log)
{
  struct stat status;
  bool good = !log->over && fstat(fileno(log->file), &status) == 0 && S_ISREG(status.st_mode);
  if (good)
    forget_done(log);
  while (good && step_whole(log, (uint64_t)status.st_size, &good)) {
    uint64_t before = log->end.raw;
    if (log->ahead.kind != KERNEL_ROUND && before != 0) {
      good = take_ahead(log);
      log->in_order = false;
    } else if ((good = take_clocks(log)) && before != 0) {
      log->sure = before;
      return KERNEL_FOLLOWED_ROUND;
    }
  }
  log->over |= !good;
  return good ? KERNEL_FOLLOWED_ALL : KERNEL_FOLLOWED_OVER;
}

void kernel_log_end(struct kernel_log *log)
{
  log->over = true;
}

bool kernel_log_is_written(const struct kernel_log *log)
{
  int fd = log->file != NULL ? fileno(log->file) : -1;
  if (fd < 0)
    return false;
  if (flock(fd, LOCK_SH | LOCK_NB) != 0)
    return errno == EWOULDBLOCK;
  flock(fd, LOCK_UN);
  return false;
}

/* Absurd distances are none. */
static uint64_t add_ticks(uint64_t from, double ticks)
{
  return ticks > -0x1p62 && ticks < 0x1p62 ? from + (uint64_t)llround(ticks) : from;
}

struct kernel_moment kernel_log_moment(const struct kernel_log *log, uint64_t raw)
{
  const struct kernel_moment *rounds = log->rounds.items;
  size_t i = log->rounds.count;
  if (i < 2) {
    double since = (double)raw - (double)log->end.raw;
    return (struct kernel_moment){
        .raw = raw, .stamp = add_ticks(log->end.stamp, since), .monotonic = add_ticks(log->end.monotonic, since)};
  }
  for (i--; i > 1 && rounds[i - 1].raw > raw;)
    i--;
  const struct kernel_moment *a = &rounds[i - 1], *b = &rounds[i];
  double part = ((double)raw - (double)a->raw) / (double)(b->raw - a->raw);
  return (struct kernel_moment){.raw = raw,
                                .stamp = add_ticks(a->stamp, part * (double)(int64_t)(b->stamp - a->stamp)),
                                .monotonic =
                                    add_ticks(a->monotonic, part * (double)(int64_t)(b->monotonic - a->monotonic))};
}

/* Records of a log of ours wait for a round or two; records that wait for long would be put in order at each round. */
static void put_in_order(struct kernel_log *log)
{
  size_t count = log->waiting.count - log->next;
  if (!log->in_order && count > 1) {
    qsort(log->waiting.items + log->next, count, sizeof *log->waiting.items, kernel_log_by_time);
    log->sorted += count;
    log->over |= log->sorted > SORTED_MOST * log->taken + WAITING_MOST;
  }
  log->in_order = true;
}

const struct kernel_record *kernel_log_peek(struct kernel_log *log)
{
  put_in_order(log);
  if (log->next == log->waiting.count)
    return NULL;
  const struct kernel_record *record = &log->waiting.items[log->next];
  return log->over || record->time + KERNEL_LATE_NS < log->sure ? record : NULL;
}
