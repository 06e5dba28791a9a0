#include "analyzer/record/launch/kernel_samples.h"

#include <string.h>

/* The registers of struct kernel_registers, in its order, by the kernel's numbers (asm/perf_regs.h of x86). */
#define REGISTERS (1ull << 1 | 1ull << 6 | 1ull << 7 | 1ull << 8 | 1ull << 18 | 0xfull << 20)
_Static_assert(sizeof(struct kernel_registers) == 9 * sizeof(uint64_t), "as many as the mask has bits");

#define SELDOM_NS 5000000u

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
}

bool kernel_samples_any(const struct kernel_sampling *sampling)
{
  for (unsigned i = 0; i < sampling->triggers.count; i++)
    if (sampling->triggers.list[i].refused == 0)
      return true;
  return false;
}

/* What is left of a record. */
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

/* Among the addresses are marks that say whose they are; the kernel was told to leave its own out. */
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
static uint32_t take_copy(struct rest *rest, struct kernel_writer *writer)
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
                   : sampling->stacks == KERNEL_STACKS_COPY ? take_copy(&rest, writer)
                                                            : 0;
  if (stack == 0)
    stack = kernel_writer_stack(writer, &sample.ip, 1);
  kernel_writer_put(writer, KERNEL_SAMPLE, sample.time, (uint64_t)sample.pid << 32 | sample.tid,
                    stack | sampling->numbers[trigger] << KERNEL_TRIGGER_AT);
  return sample.time;
}
