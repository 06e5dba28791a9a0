#include "tests/fuzz/otf2_player_input.h"

static const char *const played_names[] = {
    "!$omp parallel @a.c:1",
    "!$omp for @a.c:2",
    "chunk @a.c:2",
    "!$omp implicit barrier @a.c:2",
    "!$omp barrier @a.c:3",
    "!$omp critical @a.c:4",
    "critical sblock",
    "omp_set_lock @a.c:5",
    "omp_test_lock",
    "!$omp ordered @a.c:6",
    "!$omp task @a.c:7",
    "!$omp taskwait @a.c:8",
    "!$omp taskgroup @a.c:9",
    "!$omp taskloop @a.c:9",
    "//omp reduction @A.java:1",
    "!$omp reduction @a.c:2",
    "skipped",
    "monitor enter @A.java:4",
    "park @A.java:5",
    "first iteration",
    "iterations",
    "chunks",
    "derived",
    "construct",
    "instances",
    "joined",
    "time",
    "object class",
    "object",
    "owner",
    "owner at",
    "thread",
    "virtual thread",
    "closed",
    "schedule: static",
    "schedule: dynamic; chunk size: 1",
    "schedule: static; chunk size: 4",
    "schedule: guided",
    "state: blocked in mutex",
    "state: blocked in condvar",
    "state: idle",
    "state: spin",
    "state: gc",
    "state: init",
    "HEDDLE::CHUNKS_DERIVED",
    "HEDDLE::CHUNKS_SUMMED",
    "HEDDLE::COMMAND",
    "HEDDLE::CWD",
    "HEDDLE::ENDED",
    "HEDDLE::ENDS_CORRECTED",
    "HEDDLE::ENDS_FORCED",
    "HEDDLE::ENDS_UNMATCHED",
    "HEDDLE::EVENTS_LOST",
    "HEDDLE::EVENTS_SKIPPED",
    "HEDDLE::EXE",
    "HEDDLE::HOST",
    "HEDDLE::INSTANCES_SKIPPED",
    "HEDDLE::JAVA_ID",
    "HEDDLE::LOST_REASON",
    "HEDDLE::RECORDING_TICKS",
    "HEDDLE::RUNTIME",
    "HEDDLE::THREADS_LOST",
    "HEDDLE::THREAD_GROUP",
    "HEDDLE::THREAD_TYPE",
    "HEDDLE::USER_NOT_LEFT",
    "HEDDLE::USER_UNMATCHED",
    "HEDDLE::VERSION",
    "worker",
    "initial",
    "jvm",
    "phase",
    "TRACEFLUSH",
    "MEASUREMENT OFF",
    "openmp",
    "HEDDLE::CLOCK",
    "owner",
    "java.lang.Object",
    "main",
};
enum { NAMES = sizeof played_names / sizeof *played_names };
_Static_assert(PLAYED_NAMES + NAMES < 255, "refs are a byte");

/* What is played. Only read while threads of the analysis are at it. */
static const uint8_t *played;
static size_t played_size;

/* Memory that was freed is kept back for a while, to find uses of it; little of that is enough for small inputs. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
  return "quarantine_size_mb=4:thread_local_quarantine_size_kb=64:malloc_context_size=8";
}

uint8_t take(struct input *input)
{
  return input->at < input->end ? *input->at++ : 0;
}

uint32_t take_ref(struct input *input)
{
  uint8_t ref = take(input);
  return ref == 255 ? UINT32_MAX : ref;
}

uint64_t take_number(struct input *input)
{
  uint64_t number = 0;
  for (int i = 0; i < 8; i++)
    number |= (uint64_t)take(input) << 8 * i;
  return number;
}

/* A value of some type: a byte, of signed types with its sign, or for high types 8 bytes. */
OTF2_AttributeValue take_value(struct input *input, OTF2_Type *type)
{
  OTF2_AttributeValue value = {.uint64 = 0};
  uint8_t of = take(input);
  *type = of % 16;
  value.uint64 = of >= 128                                             ? take_number(input)
                 : *type >= OTF2_TYPE_INT8 && *type <= OTF2_TYPE_INT64 ? (uint64_t)(int64_t)(int8_t)take(input)
                                                                       : take(input);
  return value;
}

bool next_record(struct input *input, enum played_kind *kind, struct input *fields)
{
  if (input->at == input->end)
    return false;
  *kind = take(input) % PLAYED_KINDS;
  size_t length = take(input), left = (size_t)(input->end - input->at);
  fields->at = input->at;
  fields->end = input->at += length < left ? length : left;
  return true;
}

struct input whole_input(void)
{
  return (struct input){played, played + played_size};
}

const char *played_name(uint32_t i)
{
  return i < NAMES ? played_names[i] : NULL;
}

void set_input(const uint8_t *data, size_t size)
{
  played = data;
  played_size = size;
}
