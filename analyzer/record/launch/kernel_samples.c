#include "analyzer/record/launch/kernel_samples.h"

#include "analyzer/record/launch/blocked_calls.h"
#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_TIME 100000u /* ns */
#define MOST_TIME  1000000000u

#define SOFTWARE(name, event, period) {name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event, period, false, 0}
#define KERNEL_TRIGGERS_HARDWARE(name, event, period)                                                                  \
  {name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event, period, false, 0}
/* With the periods that they have unless they are given one. */
static const struct kernel_trigger kernel_triggers_known[] = {
    {NAME_TRIGGER_CPU, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 10000000, true, 0},
    SOFTWARE("page-faults", PAGE_FAULTS, 100),
    SOFTWARE("minor-faults", PAGE_FAULTS_MIN, 100),
    SOFTWARE("major-faults", PAGE_FAULTS_MAJ, 1),
    SOFTWARE("alignment-faults", ALIGNMENT_FAULTS, 1),
    KERNEL_TRIGGERS_HARDWARE("cycles", CPU_CYCLES, 10000000),
    KERNEL_TRIGGERS_HARDWARE("instructions", INSTRUCTIONS, 10000000),
    KERNEL_TRIGGERS_HARDWARE("cache-references", CACHE_REFERENCES, 100000),
    KERNEL_TRIGGERS_HARDWARE("cache-misses", CACHE_MISSES, 10000),
    KERNEL_TRIGGERS_HARDWARE("branches", BRANCH_INSTRUCTIONS, 1000000),
    KERNEL_TRIGGERS_HARDWARE("branch-misses", BRANCH_MISSES, 10000),
};

const char *kernel_triggers_names(void)
{
  return "cpu page-faults minor-faults major-faults alignment-faults cycles instructions cache-references cache-misses "
         "branches branch-misses";
}

/* A time with its unit, in ns; 0: it is none, or out of bounds. */
static uint64_t read_time(const char *text, size_t length)
{
  static const struct {
    const char *unit;
    double ns;
  } units[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  char *end = NULL;
  double number = length > 0 && *text >= '0' && *text <= '9' ? strtod(text, &end) : 0;
  for (size_t i = 0; number > 0 && end <= text + length && i < COUNT_OF(units); i++) {
    size_t rest = (size_t)(text + length - end);
    double ns = number * units[i].ns;
    if (strlen(units[i].unit) == rest && strncmp(end, units[i].unit, rest) == 0 && ns >= LEAST_TIME && ns <= MOST_TIME)
      return (uint64_t)(ns + 0.5);
  }
  return 0;
}

uint64_t kernel_triggers_time(const char *text)
{
  return read_time(text, strlen(text));
}

/* A number of events; 0: it is none. */
static uint64_t read_count(const char *text, size_t length)
{
  char *end = NULL;
  unsigned long long number = length > 0 && length < 16 && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
  return end == text + length ? number : 0;
}

static const struct kernel_trigger *kernel_triggers_find(const char *name, size_t length)
{
  for (size_t i = 0; i < COUNT_OF(kernel_triggers_known); i++)
    if (strlen(kernel_triggers_known[i].name) == length && strncmp(kernel_triggers_known[i].name, name, length) == 0)
      return &kernel_triggers_known[i];
  return NULL;
}

static const char *kernel_triggers_read_one(struct kernel_triggers *triggers, const char *text, size_t length)
{
  const char *colon = memchr(text, ':', length);
  size_t name = colon ? (size_t)(colon - text) : length;
  const struct kernel_trigger *found = kernel_triggers_find(text, name);
  uint64_t period = found ? found->period : 0;
  bool time_alone = !found && !colon && length > 0 && *text >= '0' && *text <= '9';
  if (time_alone)
    found = &kernel_triggers_known[0];
  if (!found)
    return "is no trigger of samples";
  if (colon || time_alone) {
    const char *given = time_alone ? text : colon + 1;
    size_t rest = (size_t)(text + length - given);
    period = found->by_time ? read_time(given, rest) : read_count(given, rest);
  }
  if (period == 0)
    return found->by_time ? "needs the processor time between two samples, from 100us to 1s, as cpu:1ms"
                          : "needs the number of events between two samples, as page-faults:100";
  for (unsigned i = 0; i < triggers->count; i++)
    if (triggers->list[i].name == found->name)
      return "is there twice";
  if (triggers->count == KERNEL_TRIGGERS_MOST)
    return "is one trigger too many: 8 can be used at once";
  struct kernel_trigger *trigger = &triggers->list[triggers->count++];
  *trigger = *found;
  trigger->period = period;
  return NULL;
}

const char *kernel_triggers_read(struct kernel_triggers *triggers, const char *text, const char **wrong, int *length)
{
  for (;;) {
    size_t part = strcspn(text, ",");
    const char *objection = kernel_triggers_read_one(triggers, text, part);
    *wrong = text;
    *length = (int)part;
    if (objection || text[part] == '\0')
      return objection;
    text += part + 1;
  }
}

/* The registers of struct kernel_registers, in its order, by the kernel's numbers (asm/perf_regs.h of x86). */
#define REGISTERS (1ull << 1 | 1ull << 6 | 1ull << 7 | 1ull << 8 | 1ull << 18 | 0xfull << 20)
_Static_assert(sizeof(struct kernel_registers) == 9 * sizeof(uint64_t), "as many as the mask has bits");

#define SELDOM_NS 5000000u

enum {
  DEFAULT_COPY = 2048,          /* bytes of a stack: some callers */
  DEFAULT_BLOCKS_MOST = 1 << 17 /* of a log; later samples have no callers */
};

void kernel_samples_default(struct kernel_sampling *sampling)
{
  sampling->triggers = (struct kernel_triggers){.list = {kernel_triggers_known[0]}, .count = 1};
#if defined(__x86_64__)
  sampling->stacks = KERNEL_STACKS_COPY;
#else
  sampling->stacks = KERNEL_STACKS_FP;
#endif
  sampling->copy_bytes = DEFAULT_COPY;
  sampling->beside = true;
}

uint32_t kernel_samples_copy(const struct kernel_triggers *triggers)
{
  bool seldom = triggers->count == 1 && triggers->list[0].by_time && triggers->list[0].period >= SELDOM_NS;
  return seldom ? KERNEL_COPY_MOST : 32768;
}

void kernel_samples_event(const struct kernel_sampling *sampling, unsigned trigger, struct perf_event_attr *event)
{
  const struct kernel_trigger *wanted = &sampling->triggers.list[trigger];
  event->type = wanted->type;
  event->config = wanted->config;
  event->sample_period = wanted->period;
  event->context_switch = 0;
  event->sample_type |= PERF_SAMPLE_IP;
  if (sampling->stacks == KERNEL_STACKS_FP)
    event->sample_type |= PERF_SAMPLE_CALLCHAIN;
  if (sampling->stacks == KERNEL_STACKS_COPY) {
    event->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    event->sample_regs_user = REGISTERS;
    event->sample_stack_user = sampling->copy_bytes;
  }
}

void kernel_samples_begin(struct kernel_sampling *sampling, struct kernel_writer *writer)
{
  unsigned number = 0;
  for (unsigned i = 0; i < sampling->triggers.count; i++) {
    const struct kernel_trigger *trigger = &sampling->triggers.list[i];
    sampling->numbers[i] = number;
    if (trigger->refused != 0)
      continue;
    number++;
    uint32_t name = kernel_writer_name(writer, trigger->name);
    kernel_writer_put(writer, KERNEL_SAMPLER, kernel_writer_now(), trigger->period,
                      name | (trigger->by_time ? KERNEL_SAMPLER_TIME : 0));
  }
  sampling->looks = number;
  if (!sampling->beside)
    return;
  kernel_writer_put(writer, KERNEL_SAMPLER, kernel_writer_now(), 1, kernel_writer_name(writer, NAME_TRIGGER_FUTEX));
  kernel_writer_put(writer, KERNEL_SAMPLER, kernel_writer_now(), 1, kernel_writer_name(writer, NAME_TRIGGER_CALL));
}

bool kernel_samples_any(const struct kernel_sampling *sampling)
{
  for (unsigned i = 0; i < sampling->triggers.count; i++)
    if (sampling->triggers.list[i].refused == 0)
      return true;
  return false;
}

/* Unread part of a record. */
struct rest {
  const char *at;
  size_t bytes;
};

static bool take_bytes(struct rest *rest, void *into, size_t bytes)
{
  if (rest->bytes < bytes)
    return false;
  memcpy(into, rest->at, bytes);
  rest->at += bytes;
  rest->bytes -= bytes;
  return true;
}

/* Marks among the addresses name their owner. The kernel was asked to omit its own. */
static uint32_t take_chain(struct rest *rest, struct kernel_writer *writer)
{
  uint64_t count, address, stack[KERNEL_STACK_MOST];
  uint32_t depth = 0;
  if (!take_bytes(rest, &count, sizeof count))
    return 0;
  for (uint64_t i = 0; i < count && depth < KERNEL_STACK_MOST && take_bytes(rest, &address, sizeof address); i++)
    if (address < PERF_CONTEXT_MAX)
      stack[depth++] = address;
  return depth > 0 ? kernel_writer_stack(writer, stack, depth) : 0;
}

/* 0: there is no copy, as of a thread that is about to end. */
static uint32_t take_copy(const struct kernel_sampling *sampling, struct rest *rest, struct kernel_writer *writer)
{
  uint64_t abi, size, used;
  struct kernel_registers registers;
  if (!take_bytes(rest, &abi, sizeof abi) || abi != PERF_SAMPLE_REGS_ABI_64 ||
      !take_bytes(rest, &registers, sizeof registers) || !take_bytes(rest, &size, sizeof size) || size == 0 ||
      size > rest->bytes)
    return 0;
  const char *bytes = rest->at;
  rest->at += size;
  rest->bytes -= size;
  if (!take_bytes(rest, &used, sizeof used) || used > size || used == 0)
    return 0;
  if (sampling->beside && writer->blocks.count > DEFAULT_BLOCKS_MOST)
    return 0;
  return kernel_writer_copy(writer, &registers, bytes, (uint32_t)used);
}

uint64_t kernel_samples_take(const struct kernel_sampling *sampling, unsigned trigger, const void *record, size_t size,
                             struct kernel_writer *writer)
{
  struct {
    struct perf_event_header header;
    uint64_t id, ip;
    uint32_t pid, tid;
    uint64_t time;
    uint32_t cpu, reserved;
  } sample;
  struct rest rest = {record, size};
  if (sampling->triggers.list[trigger].refused != 0 || !take_bytes(&rest, &sample, sizeof sample))
    return 0; /* some processors may take what another one refuses: the log has no number for it */
  uint32_t stack = sampling->stacks == KERNEL_STACKS_FP     ? take_chain(&rest, writer)
                   : sampling->stacks == KERNEL_STACKS_COPY ? take_copy(sampling, &rest, writer)
                                                            : 0;
  if (stack == 0)
    stack = kernel_writer_stack(writer, &sample.ip, 1);
  if (sampling->beside && writer->bytes > KERNEL_LOG_MOST / 2)
    return sample.time; /* the rest is for switches */
  kernel_writer_put(writer, KERNEL_SAMPLE, sample.time, (uint64_t)sample.pid << 32 | sample.tid,
                    stack | sampling->numbers[trigger] << KERNEL_TRIGGER_AT);
  return sample.time;
}

void kernel_looks_out(struct kernel_looks *looks, uint64_t who)
{
  (void)hash_put(&looks->waiting, who, 1); /* without memory there is one look less */
}

void kernel_looks_in(struct kernel_looks *looks, uint64_t who)
{
  if (hash_find(&looks->waiting, who))
    hash_remove(&looks->waiting, who);
}

static void look_at(uint64_t who, const struct kernel_sampling *sampling, struct kernel_writer *writer)
{
  struct kernel_registers registers;
  uint64_t stack[DEFAULT_COPY / sizeof(uint64_t)];
  size_t size = sizeof stack;
  bool futex;
  if (writer->bytes > KERNEL_LOG_MOST / 2 || writer->blocks.count > DEFAULT_BLOCKS_MOST ||
      !blocked_calls_look(who, &registers, stack, &size, &futex))
    return;
  bool copies = sampling->stacks == KERNEL_STACKS_COPY;
  uint32_t number = copies ? kernel_writer_copy(writer, &registers, stack, (uint32_t)size) : 0;
  if (number == 0)
    number = kernel_writer_stack(writer, &registers.ip, 1);
  unsigned trigger = sampling->looks + !futex;
  kernel_writer_put(writer, KERNEL_SAMPLE, kernel_writer_now(), who, number | trigger << KERNEL_TRIGGER_AT);
}

void kernel_looks_round(struct kernel_looks *looks, const struct kernel_sampling *sampling,
                        struct kernel_writer *writer)
{
  for (size_t i = 0; i < looks->waiting.room; i++) {
    looks->next = looks->next + 1 < looks->waiting.room ? looks->next + 1 : 0;
    if (!looks->waiting.entries[looks->next].used)
      continue;
    uint64_t who = looks->waiting.entries[looks->next].key;
    hash_remove(&looks->waiting, who);
    look_at(who, sampling, writer);
    return;
  }
}

void kernel_looks_free(struct kernel_looks *looks)
{
  hash_free(&looks->waiting);
}
