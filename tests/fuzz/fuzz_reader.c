/*
 * libFuzzer target: any bytes as the logs and windows of a process (packed as fuzz_trace.h says), read by the raw
 * reader alone. However it is walked, a thread has the same records, each of an existing kind, and no more records than
 * its files have bytes.
 */
#include "common/raw/raw_reader.h"
#include "tests/fuzz/fuzz_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t buffer[RAW_ITER_WORDS];

/* What a walk met. */
struct walk {
  uint64_t records, words, bad_chunks;
  uint64_t hash; /* a hash of all that it met, in order */
};

static void require(bool condition, const char *what)
{
  if (condition)
    return;
  fprintf(stderr, "fuzz_reader: %s\n", what);
  abort();
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  (void)count, (void)arguments;
  fuzz_trace_begin();
  return 0;
}

static void meet(struct walk *walk, const struct raw_iter *iter, const uint64_t *record)
{
  unsigned words = raw_record_words(record[0]);
  require(words >= 2, "a record has no length");
  for (unsigned i = 0; i < words; i++)
    walk->hash = (walk->hash ^ record[i]) * 0x100000001b3u;
  walk->records++;
  walk->words += record == iter->synthetic || record == iter->second ? 0 : record == iter->repeated ? 1 : words;
}

static struct walk walk_at_once(struct raw_log *log)
{
  struct walk walk = {0};
  struct raw_mark mark = {0};
  struct raw_iter iter;
  const uint64_t *record;
  raw_iter_start(&iter, log, &mark, UINT64_MAX, buffer);
  while ((record = raw_iter_next(&iter)) != NULL)
    meet(&walk, &iter, record);
  require(iter.error == 0, "a read failed");
  walk.bad_chunks = iter.bad_chunks;
  return walk;
}

/* Stops after every few records, gives the last one back, and closes the file. */
static struct walk walk_in_steps(struct raw_log *log, unsigned step)
{
  struct walk walk = {0};
  struct raw_mark mark = {0};
  struct raw_iter iter;
  const uint64_t *record;
  for (bool more = true; more;) {
    unsigned left = step;
    raw_iter_start(&iter, log, &mark, UINT64_MAX, buffer);
    while ((record = raw_iter_next(&iter)) != NULL && (left-- > 0 || record == iter.synthetic))
      meet(&walk, &iter, record);
    more = record != NULL;
    if (more)
      raw_iter_back(&iter, record);
    walk.bad_chunks += iter.bad_chunks;
    raw_iter_stop(&iter, &mark);
    raw_log_rest(log);
  }
  return walk;
}

/* The chunks of a thread come with rising numbers. Returns the bytes of records that they claim. */
static uint64_t walk_chunks(struct raw_log *log)
{
  struct raw_place place = {0};
  struct raw_chunk chunk;
  uint64_t bytes = 0, last = 0;
  while (raw_log_next(log, &place, &chunk)) {
    require(chunk.sequence > last, "chunks are out of order");
    last = chunk.sequence;
    bytes += chunk.used;
  }
  return bytes;
}

/* Up to a time: nothing of a chunk that began later. */
static void walk_until(struct raw_log *log, uint64_t words)
{
  struct raw_place place = {0};
  struct raw_chunk chunk;
  if (!raw_log_next(log, &place, &chunk))
    return;
  struct raw_mark mark = {0};
  struct raw_iter iter;
  raw_iter_start(&iter, log, &mark, chunk.anchor_ticks, buffer);
  require(raw_iter_next(&iter) == NULL, "a chunk is begun before its time");
  struct walk walk = {0};
  const uint64_t *record;
  raw_iter_start(&iter, log, &mark, chunk.anchor_ticks + 1, buffer);
  while (chunk.anchor_ticks != UINT64_MAX && (record = raw_iter_next(&iter)) != NULL)
    meet(&walk, &iter, record);
  require(walk.words <= words, "a part has more records than the whole");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct raw_dir dir;
  fuzz_trace_unpack(data, size);
  int process = fuzz_trace_process(1);
  require(raw_dir_open(&dir, process, ".") == 0, "the directory cannot be read");
  for (uint32_t i = 0; i < dir.log_count; i++) {
    struct raw_log *log = &dir.logs[i];
    require(i == 0 || dir.logs[i - 1].thread < log->thread, "a thread is there twice");
    struct walk whole = walk_at_once(log), steps = walk_in_steps(log, 1 + (size & 7));
    require(whole.records == steps.records && whole.words == steps.words && whole.hash == steps.hash,
            "a walk with pauses differs from one without");
    require(whole.bad_chunks == steps.bad_chunks, "a damaged chunk is counted more than once");
    uint64_t bytes = walk_chunks(log);
    require(whole.words * 8 <= bytes && bytes <= log->bytes, "there are more records than bytes");
    walk_until(log, whole.words);
  }
  raw_dir_close(&dir);
  close(process);
  fuzz_trace_clear();
  return 0;
}
