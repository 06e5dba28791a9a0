#include "analyzer/record/launch/kernel_writer.h"

#include "base/hash.h"
#include "common/process/own_directory.h"
#include "common/process/vdso.h"
#include "common/recorder/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BUFFERED (256u << 10)
#define SIZE     sizeof(struct kernel_record)

static uint64_t now_by(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t kernel_writer_now(void)
{
  return now_by(CLOCK_MONOTONIC_RAW);
}

static uint64_t time_stamp(void)
{
  return clock_is_monotonic() ? 0 : clock_ticks();
}

void kernel_writer_boot_id(char *text, size_t size)
{
  *text = '\0';
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
  if (file && fgets(text, (int)size, file))
    text[strcspn(text, "\n")] = '\0';
  if (file)
    fclose(file);
}

/* A file of the same name is of a process that had this one's number, as in a container. */
int kernel_writer_file(int trace, const char *suffix)
{
  const char *why;
  char host[256] = "", name[320];
  int directory = own_directory_below(trace, KERNEL_LOG_DIRECTORY, 0700, &why);
  if (directory < 0)
    return -1;
  gethostname(host, sizeof host - 1);
  snprintf(name, sizeof name, "%s.%d%s", host, (int)getpid(), suffix);
  unlinkat(directory, name, 0);
  int fd = own_file_make(directory, name, 0600);
  int kept = errno;
  close(directory);
  errno = kept;
  return fd;
}

bool kernel_writer_open(struct kernel_writer *writer, int trace)
{
  struct stat namespace;
  struct kernel_log_header header = {.magic = KERNEL_LOG_MAGIC};
  int fd = kernel_writer_file(trace, ".log");
  writer->log = fd < 0 ? NULL : fdopen(fd, "w");
  if (!writer->log)
    return false;
  clock_use(clock_counter_fault() == NULL);
  clock_shift();
  flock(fd, LOCK_EX | LOCK_NB); /* without locks readers take the end of the program for the log's */
  setvbuf(writer->log, NULL, _IOFBF, BUFFERED);
  kernel_writer_boot_id(header.boot_id, sizeof header.boot_id);
  if (stat("/proc/self/ns/pid", &namespace) == 0)
    header.pid_namespace = namespace.st_ino;
  return fwrite(&header, sizeof header, 1, writer->log) == 1;
}

static void put_records(struct kernel_writer *writer, const struct kernel_record *records, size_t count)
{
  writer->bytes += count * SIZE;
  if (writer->error == 0 && fwrite(records, SIZE, count, writer->log) != count)
    writer->error = errno ? errno : EIO;
}

void kernel_writer_put(struct kernel_writer *writer, uint32_t kind, uint64_t time, uint64_t who, uint32_t processor)
{
  struct kernel_record record = {.time = time, .who = who, .kind = kind, .processor = processor};
  if (writer->bytes < KERNEL_LOG_MOST || kind == KERNEL_LOST)
    put_records(writer, &record, 1);
  else
    writer->lost += kind != KERNEL_ROUND && kind != KERNEL_CLOCKS;
}

void kernel_writer_show(struct kernel_writer *writer)
{
  if (fflush(writer->log) != 0 && writer->error == 0)
    writer->error = errno;
}

/* Takes the shortest of some readings. */
uint64_t kernel_writer_round(struct kernel_writer *writer)
{
  uint64_t narrowest = UINT64_MAX, raw = 0, stamp = 0, monotonic = 0;
  for (int i = 0; i < 8; i++) {
    uint64_t before = kernel_writer_now(), ticks = time_stamp(), now = now_by(CLOCK_MONOTONIC);
    uint64_t after = kernel_writer_now();
    if (after - before >= narrowest)
      continue;
    narrowest = after - before;
    raw = before + narrowest / 2;
    stamp = ticks;
    monotonic = now;
  }
  kernel_writer_put(writer, KERNEL_ROUND, raw, stamp, 0);
  kernel_writer_put(writer, KERNEL_CLOCKS, raw, monotonic, 0);
  return raw;
}

/* Writes bytes, and zeros up to a whole record. */
static void put_bytes(struct kernel_writer *writer, const void *bytes, size_t count)
{
  struct kernel_record last = {0};
  size_t whole = count / SIZE, rest = count % SIZE;
  put_records(writer, bytes, whole);
  memcpy(&last, (const char *)bytes + whole * SIZE, rest);
  if (rest > 0)
    put_records(writer, &last, 1);
}

/* Things that are in the log once: their kind, and the bytes that follow. */
struct thing {
  uint32_t kind, most; /* the most that a log has of the kind */
  uint64_t time;       /* 0: now */
  uint32_t processor;
  const void *bytes;
  size_t count;
};

/* The number of the thing with a key, which is in the log then; 0: there are too many. */
static uint32_t put_once(struct kernel_writer *writer, struct hash *numbers, uint64_t key, const struct thing *thing)
{
  const uint64_t *known = hash_find(numbers, key);
  if (known)
    return (uint32_t)*known;
  uint32_t number = (uint32_t)numbers->count + 1;
  if (number > thing->most || writer->bytes >= KERNEL_LOG_MOST || !hash_add(numbers, key, number))
    return 0;
  kernel_writer_put(writer, thing->kind, thing->time ? thing->time : kernel_writer_now(), number, thing->processor);
  put_bytes(writer, thing->bytes, thing->count);
  return number;
}

uint32_t kernel_writer_name(struct kernel_writer *writer, const char *text)
{
  uint32_t bytes = (uint32_t)strnlen(text, KERNEL_NAME_MOST);
  struct thing name = {
      .kind = KERNEL_NAME, .most = KERNEL_NAMES_MOST, .processor = bytes, .bytes = text, .count = bytes};
  return put_once(writer, &writer->names, hash_text(0, text), &name);
}

static uint64_t hash_words(uint64_t hash, const void *words, size_t bytes)
{
  for (const char *at = words, *end = at + bytes / 8 * 8; at < end; at += 8) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    hash = hash_upper(hash ^ word);
    hash ^= hash >> 29;
  }
  return hash_mix(hash);
}

uint32_t kernel_writer_stack(struct kernel_writer *writer, const uint64_t *addresses, uint32_t count)
{
  struct thing stack = {.kind = KERNEL_STACK,
                        .most = KERNEL_STACKS_MOST,
                        .processor = count,
                        .bytes = addresses,
                        .count = count * sizeof *addresses};
  return put_once(writer, &writer->stacks, hash_words(count, addresses, stack.count), &stack);
}

/* The number of a block, as kernel_writer_copy. */
static uint32_t block_number(struct kernel_writer *writer, uint64_t address, const char *bytes)
{
  struct thing block = {
      .kind = KERNEL_BLOCK, .most = KERNEL_BLOCKS_MOST, .time = address, .bytes = bytes, .count = KERNEL_BLOCK_BYTES};
  return put_once(writer, &writer->blocks, hash_words(address, bytes, KERNEL_BLOCK_BYTES), &block);
}

#define NUMBERS_MOST (KERNEL_COPY_MOST / KERNEL_BLOCK_BYTES + 2)

/* Data after the record of a copy. */
struct copy_tail {
  struct kernel_registers registers;
  uint32_t blocks[NUMBERS_MOST];
};

uint32_t kernel_writer_copy(struct kernel_writer *writer, const struct kernel_registers *registers, const void *bytes,
                            uint32_t count)
{
  uint64_t begin = registers->sp, at = begin;
  struct copy_tail tail = {.registers = *registers};
  uint32_t blocks = kernel_copy_blocks(begin, count);
  if (count > KERNEL_COPY_MOST || begin + count < begin)
    return 0;
  for (uint32_t i = 0; i < blocks; i++) {
    char block[KERNEL_BLOCK_BYTES] = {0};
    uint64_t first = (begin / KERNEL_BLOCK_BYTES + i) * KERNEL_BLOCK_BYTES, end = first + KERNEL_BLOCK_BYTES;
    end = end < begin + count ? end : begin + count;
    memcpy(block + (at - first), (const char *)bytes + (at - begin), end - at);
    tail.blocks[i] = block_number(writer, first, block);
    if (tail.blocks[i] == 0)
      return 0;
    at = end;
  }
  struct thing copy = {.kind = KERNEL_COPY,
                       .most = KERNEL_STACKS_MOST,
                       .time = begin,
                       .processor = count,
                       .bytes = &tail,
                       .count = sizeof tail.registers + blocks * sizeof *tail.blocks};
  return put_once(writer, &writer->stacks, hash_words(count, &tail, (copy.count + 7) / 8 * 8), &copy);
}

int kernel_writer_end(struct kernel_writer *writer)
{
  if (writer->lost > 0)
    kernel_writer_put(writer, KERNEL_LOST, kernel_writer_now(), writer->lost, 0);
  kernel_writer_show(writer);
  return writer->error;
}

void kernel_writer_close(struct kernel_writer *writer)
{
  if (writer->log)
    fclose(writer->log);
  hash_free(&writer->names);
  hash_free(&writer->stacks);
  hash_free(&writer->blocks);
}

void kernel_page_keep(int trace)
{
  size_t size = 0;
  const void *bytes = vdso_bytes(&size);
  int fd = bytes ? kernel_writer_file(trace, VDSO_SUFFIX) : -1;
  if (fd >= 0 && write(fd, bytes, size) != (ssize_t)size)
    (void)!ftruncate(fd, 0);
  if (fd >= 0)
    close(fd);
}
