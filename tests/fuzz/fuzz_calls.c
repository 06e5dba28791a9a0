/*
 * libFuzzer target: any file of exact calls (common/raw/raw_calls.h) of a process with three threads, converted. The
 * archive must be sound (otf2_checker), and the file is read in bounded time and memory, whatever it says.
 *
 * Twelve bytes of the input are a node, a segment, or a wrong word somewhere:
 *     what, thread or function, number (2 bytes), flags, seven numbers
 */
#include "common/raw/raw_calls.h"
#include "tests/fuzz/fuzz_trace.h"
#include "tests/unit/otf2-convert/raw_writer.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { THREADS = 3, UNITS = 6, WINDOW = 4096, STEP = 12, SEGMENT = 0, DAMAGE = 1, KINDS = 8 };

static const char process[] = "host: fuzz\npid: 1\nstart: 1\nexe: /bin/a\nclock: monotonic\nanchor: 1000 1000 1000\n"
                              "modules: 0 900 1000 0\nmodule: 0 1000 1000 2000 - /bin/b\n"
                              "module: 1000 3000 3000 4000 - /bin/c\nmodule: 1000 5000 5000 6000 - /lib/libomp.so\n"
                              "modules: 900 1100 1200 1\ngone: 3000\nmodule: 1200 3000 3800 5800 - /bin/d\n"
                              "modules: 1100 1400 1500 told\n";

struct file {
  uint8_t bytes[UNITS * RAW_CALLS_UNIT + STEP];
  size_t end;    /* of the segments so far */
  size_t begin;  /* of the last one */
  uint32_t used; /* nodes in it */
};

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  (void)count, (void)arguments;
  fuzz_trace_begin();
  return 0;
}

/* Small numbers that meet each other, and a few that do not fit. */
static uint64_t number_of(uint8_t byte)
{
  return byte < 200 ? byte : byte < 220 ? UINT64_MAX - byte : (uint64_t)1 << (byte - 192);
}

static void add_segment(struct file *file, const uint8_t *at)
{
  uint32_t units = 1 + at[4] % 2;
  if (file->end + units * RAW_CALLS_UNIT > UNITS * RAW_CALLS_UNIT)
    return;
  struct raw_calls_segment head = {.magic = RAW_CALLS_MAGIC,
                                   .version = RAW_CALLS_VERSION,
                                   .size = units * RAW_CALLS_UNIT,
                                   .thread = at[1] % (THREADS + 1),
                                   .first = (uint32_t)(at[2] | at[3] << 8),
                                   .begun = number_of(at[5]),
                                   .ended = number_of(at[6]),
                                   .full = number_of(at[7]),
                                   .left = number_of(at[8]),
                                   .newest = number_of(at[9])};
  file->begin = file->end;
  file->end += head.size;
  file->used = 0;
  memcpy(file->bytes + file->begin, &head, sizeof head);
}

static void add_node(struct file *file, const uint8_t *at)
{
  size_t place = file->begin + sizeof(struct raw_calls_segment) + file->used * sizeof(struct raw_calls_node);
  if (place + sizeof(struct raw_calls_node) > file->end)
    return;
  struct raw_calls_node node = {.function = at[1] * UINT64_C(53),
                                .site = at[5] * UINT64_C(31),
                                .parent = at[4] & 0x80 ? (uint32_t)(at[2] | at[3] << 8) : at[2] % 8,
                                .begin = at[4] & 0x40 ? number_of(at[6]) : 0,
                                .first = number_of(at[3]),
                                .inclusive = number_of(at[7]),
                                .shortest = number_of(at[8]),
                                .longest = number_of(at[9]),
                                .blocked = number_of(at[10]),
                                .wait_begin = at[4] & 0x20 ? number_of(at[11]) : 0,
                                .wait_children = number_of(at[8]),
                                .depth_and_flags = at[4] & 3u};
  node.durations[at[4] >> 2 & 7] = number_of(at[11]);
  memcpy(file->bytes + place, &node, sizeof node);
  file->used++;
  struct raw_calls_segment head;
  memcpy(&head, file->bytes + file->begin, sizeof head);
  head.used = file->used;
  memcpy(file->bytes + file->begin, &head, sizeof head);
}

/* A word of a segment's head or of its nodes becomes another one. */
static void damage(struct file *file, const uint8_t *at)
{
  size_t place = file->begin + (size_t)(at[2] | at[3] << 8) % RAW_CALLS_UNIT / 4 * 4;
  uint32_t word = (uint32_t)(at[4] | at[5] << 8 | at[6] << 16) | (uint32_t)at[7] << 24;
  if (file->end > 0)
    memcpy(file->bytes + place, &word, sizeof word);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct file file;
  memset(&file, 0, sizeof file);
  char *directory = raw_write_process(fuzz_trace_path(), "fuzz.1.1", process);
  for (unsigned i = 0; i < THREADS; i++) {
    struct raw_thread *thread = raw_thread_open(directory, i, WINDOW, 0);
    RAW0(thread, RAW_THREAD_END, 0, 0, 1000 + i);
    raw_thread_close(thread);
  }
  free(directory);
  for (; size >= STEP; data += STEP, size -= STEP)
    if (data[0] % KINDS == SEGMENT)
      add_segment(&file, data);
    else if (data[0] % KINDS == DAMAGE)
      damage(&file, data);
    else
      add_node(&file, data);
  fuzz_trace_convert_calls(file.bytes, file.end + size); /* the last unit may be torn */
  fuzz_trace_clear();
  return 0;
}
