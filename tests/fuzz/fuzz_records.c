/*
 * libFuzzer target: any sequence of records on up to four threads, in sound files, converted. What fuzz_convert reaches
 * but rarely, because its inputs must be sound files first: constructs that nest, end, wait, migrate and get lost in
 * every way. The archive must be sound (otf2_checker).
 *
 * Eight bytes of the input are a record or a deed of the recorder's:
 * - deed or kind (see below; a kind keeps its number when others are added behind it);
 * - thread (2 bits) and passing time (6 bits);
 * - detail;
 * - value (2 bytes);
 * - word 2 (2 bytes);
 * - word 3.
 *
 * Small numbers become ids, codes and sizes that meet each other: see the functions below.
 */
#include "common/raw/raw_record.h"
#include "tests/fuzz/fuzz_trace.h"
#include "tests/unit/otf2-convert/raw_writer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { THREADS = 4, WINDOW = 4096, RECORDS_MAX = 512, BLOCKS = 4 };

/* What the recorder does beside records. */
enum { FLUSH, LOSE, LEAVE, LIMIT, DEEDS };

static const unsigned kinds[] = {
#define X(name, number, words) number,
    RAW_KINDS(X)
#undef X
};
enum { SHORT_KINDS = 4 }; /* the last ones, which the reader makes records of */
enum { KINDS = sizeof kinds / sizeof *kinds - SHORT_KINDS };

static const char process[] = "host: fuzz\npid: 1\nstart: 1\nexe: /bin/a\nclock: monotonic\nanchor: 1000 1000 1000\n"
                              "counters: instructions=p:0:1:2,page-faults=u:0,clock=c:0\n"
                              "modules: 0 900 1000 0\nmodule: 0 1000 1000 2000 - /bin/b\n"
                              "module: 1000 3000 3000 4000 - /bin/c\nmodule: 1000 5000 5000 6000 - /lib/libomp.so\n"
                              "modules: 900 1100 1200 1\ngone: 3000\nmodule: 1200 3000 3800 5800 - /bin/d\n"
                              "modules: 1100 1400 1500 told\n"
                              "class: 1 java.util.concurrent.locks.ReentrantLock$Sync\nclass: 2 a\\x0a\n"
                              "class: 4 java.util.concurrent.ForkJoinPool\n"
                              "name: 1 a\nname: 2 b\\x0a\nname: 3 a\nname: 5 \n"
                              "place: 1 0 5 a b c\nplace: 2 1 0 a b -\nplace: 3 0 5 a b c\n"
                              "java-sampling: 1000000\ncall: 2 0 1\ncall: 3 2 2\ncall: 4 3 1\ncall: 6 5 3\n"
                              "call: 7 1 0\ncall: 8 4 4\njava-samples: 9 8 1\n";

struct script {
  struct raw_thread *threads[THREADS];
  unsigned windows; /* left so far */
  uint64_t time;
};

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  (void)count, (void)arguments;
  fuzz_trace_begin();
  return 0;
}

/* An id of a region or a task in one of a few blocks, or a number with a meaning of its own. */
static uint64_t id_of(unsigned number)
{
  return number % 16 < 2 ? number % 16 : (uint64_t)(1 + number / 256 % BLOCKS) << RAW_ID_BLOCK_SHIFT | number % 256;
}

/* An address of one of the modules, or of none; of Java every other one is a place. */
static uint64_t code_of(unsigned number)
{
  return (number & 1) != 0 ? RAW_CODE_PLACE | number / 2 % 5 : number % 0x7000;
}

/* One of a few mutexes and so on, which have variables or none (stand_ins.c). */
static uint64_t object_of(unsigned number)
{
  return number % 8 == 0 ? 0 : 0x1000 + number % 8 * 8;
}

/* What the kind has as its value: an id, a block, or an address, wait id or number. */
static uint64_t value_of(unsigned kind, unsigned number)
{
  switch (kind) {
  case RAW_PARALLEL_END:
  case RAW_IMPLICIT_BEGIN:
  case RAW_TASK_SWITCH:
  case RAW_TASK_STATUS:
  case RAW_TASK_DEPENDENCES:
  case RAW_TASK_PAIR:
    return id_of(number);
  case RAW_JAVA_SAMPLE:
    return number % 10;
  case RAW_ID_BLOCK_TAKEN:
    return number % (BLOCKS + 2);
  case RAW_CHUNK:
    return (uint64_t)(number >> 4) << 16 | (number & 15);
  case RAW_THREAD_TEXT:
    return number % 64 | (uint64_t)(number / 64 % 5) << 16;
  case RAW_USER_ENTER:
  case RAW_USER_LEAVE:
  case RAW_USER_PHASE:
  case RAW_USER_EVENT:
    return number % 7;
  case RAW_PARALLEL_BEGIN:
  case RAW_WORK_BEGIN:
  case RAW_SYNC_BEGIN:
  case RAW_BARRIER_BEGIN:
  case RAW_JAVA_START:
  case RAW_BLOCK_BEGIN:
  case RAW_BLOCK_END:
  case RAW_BLOCK_OWNER:
  case RAW_BLOCK_PINNED:
  case RAW_JAVA_NOTE:
  case RAW_SPIN:
  case RAW_PTHREAD_WAIT:
  case RAW_PTHREAD_WAKE:
  case RAW_PTHREAD_OBJECT:
  case RAW_PTHREAD_COUNT:
  case RAW_PTHREAD_HELD:
  case RAW_PTHREAD_CREATE:
  case RAW_PTHREAD_START:
    return code_of(number);
  case RAW_PTHREAD_RELEASED:
  case RAW_PTHREAD_GONE:
    return object_of(number);
  default:
    return number % 0x7000;
  }
}

static uint64_t word_of(unsigned kind, unsigned number, uint64_t time)
{
  switch (kind) {
  case RAW_PARALLEL_BEGIN:
    return (uint64_t)(number >> 12) << RAW_VALUE_BITS | id_of(number);
  case RAW_IMPLICIT_BEGIN:
    return (uint64_t)(number & 7) << 32 | (number >> 3 & 7);
  case RAW_TASK_CREATE:
  case RAW_TASK_STATUS:
  case RAW_TASK_PAIR:
    return id_of(number);
  case RAW_BLOCK_BEGIN:
  case RAW_BLOCK_END:
  case RAW_JAVA_NOTE:
    return (uint64_t)(number >> 4 & 7) << 32 | (number & 15);
  case RAW_PTHREAD_WAIT:
  case RAW_PTHREAD_WAITED:
  case RAW_PTHREAD_WAKE:
  case RAW_PTHREAD_OBJECT:
  case RAW_PTHREAD_COUNT:
  case RAW_PTHREAD_HELD:
    return object_of(number);
  case RAW_PTHREAD_CREATE:
  case RAW_PTHREAD_START:
    return number % 6;
  case RAW_USER_EVENT:
    return (uint64_t)(number >> 4 & 3) << 48 | (number & 7);
  case RAW_STALL:
  case RAW_GAP:
  case RAW_SPIN:
  case RAW_JAVA_THREAD:
    return time - number;
  default:
    return number;
  }
}

static void do_deed(struct script *script, unsigned thread, unsigned deed)
{
  struct raw_thread *t = script->threads[thread];
  switch (deed) {
  case FLUSH:
    raw_thread_flush(t);
    break;
  case LOSE:
    raw_thread_lose(t);
    break;
  case LEAVE:
    if (script->windows < 8)
      raw_thread_leave(t, script->windows++);
    break;
  default:
    t->lost_after++;
    t->not_measured++;
    break;
  }
}

static void play(struct script *script, const uint8_t *at)
{
  unsigned what = at[0] % (DEEDS + KINDS), thread = at[1] % THREADS;
  unsigned value = at[3] | (unsigned)at[4] << 8, number = at[5] | (unsigned)at[6] << 8;
  if (what < DEEDS) {
    do_deed(script, thread, what);
    return;
  }
  unsigned kind = kinds[what - DEEDS], detail = at[2];
  uint64_t words[2 * 255] = {0};
  if (raw_words_of_kind[kind] == RAW_WORDS_VARY)
    detail %= WINDOW / 64; /* it must fit into a window */
  script->time += at[1] / THREADS;
  words[0] = word_of(kind, number, script->time);
  words[1] = at[7];
  size_t extra = raw_record_words(raw_head(kind, detail, 0)) - 2;
  raw_put(script->threads[thread], kind, detail, value_of(kind, value), script->time, extra, words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct script script = {.time = 1000};
  char *directory = raw_write_process(fuzz_trace_path(), "fuzz.1.1", process);
  for (unsigned i = 0; i < THREADS; i++)
    script.threads[i] = raw_thread_open(directory, i, WINDOW, 0);
  for (unsigned i = 0; i < RECORDS_MAX && (i + 1) * 8 <= size; i++)
    play(&script, data + (size_t)i * 8);
  for (unsigned i = 0; i < THREADS; i++)
    raw_thread_close(script.threads[i]);
  free(directory);
  fuzz_trace_convert();
  fuzz_trace_clear();
  return 0;
}
