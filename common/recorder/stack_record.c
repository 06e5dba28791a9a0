#include "common/recorder/stack_record.h"

#include "common/recorder/recorder.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

_Static_assert(RAW_STACK_COPY + RAW_STACK_MOST / 8 == 2 + RECORDER_MOST * RAW_EXTRA, "the longest record");
_Static_assert(sizeof(struct stack_registers) == (RAW_STACK_PERIOD - RAW_STACK_REGISTERS) * sizeof(uint64_t),
               "as said");

#define PAGE       4096u
#define PAGES      (RAW_STACK_MOST / PAGE + 2)
#define LEAST_SAME 256u /* bytes; for fewer it is not worth it that the converter looks for them */

/* The kernel reads there before it finds that nothing is to be done. */
static bool is_readable(uintptr_t page)
{
  const unsigned long nothing = ~0u;
  return syscall(SYS_rt_sigprocmask, nothing, page, NULL, sizeof(uint64_t)) != 0 && errno != EFAULT;
}

/*
 * Where the kernel does not copy, as in sandboxes: the page of the stack pointer, which is there, and those behind it
 * that can be read. A page behind the end of the stack, which is not the thread's, may go in the moment between.
 * Sanitizers know places in them that the program must not read.
 */
__attribute__((no_sanitize("address", "thread", "undefined"))) static size_t copy_ourselves(uint64_t *into,
                                                                                            uintptr_t from)
{
  size_t bytes = PAGE - from % PAGE;
  while (bytes < RAW_STACK_MOST && is_readable(from + bytes))
    bytes += PAGE;
  size_t words = (bytes < RAW_STACK_MOST ? bytes : RAW_STACK_MOST) / sizeof *into;
  for (size_t i = 0; i < words; i++)
    into[i] = ((const volatile uint64_t *)from)[i]; /* NOLINT: an address */
  return words * sizeof *into;
}

/* The kernel goes page by page, and stops where it cannot read: no guess about where a stack ends, which may be
 * anybody's, can be wrong, and no other thread can take the memory away meanwhile. */
static size_t copy(uint64_t *into, uintptr_t from)
{
  struct iovec to = {into, RAW_STACK_MOST}, pages[PAGES];
  unsigned long count = 0;
  for (size_t done = 0, part; done < RAW_STACK_MOST; done += part) {
    part = PAGE - (from + done) % PAGE;
    part = part < RAW_STACK_MOST - done ? part : RAW_STACK_MOST - done;
    pages[count++] = (struct iovec){(void *)(from + done), part}; /* NOLINT: an address */
  }
  int kept = errno;
  long copied = syscall(SYS_process_vm_readv, getpid(), &to, 1ul, pages, count, 0ul);
  size_t bytes = copied > 0 ? (size_t)copied / sizeof *into * sizeof *into : copy_ourselves(into, from);
  errno = kept;
  return bytes;
}

/* How many bytes of a record's copy the record before it does not have: at its end, both have the same at the same
 * addresses, up to where the other one's ends. */
static size_t bytes_of_its_own(const uint64_t *record, size_t bytes, const uint64_t *other)
{
  uint64_t sp = record[RAW_STACK_REGISTERS + 2], other_sp = other[RAW_STACK_REGISTERS + 2];
  size_t other_bytes = raw_value_of(*other) >> RAW_STACK_BYTES_AT;
  if ((sp ^ other_sp) % sizeof *record != 0 || sp + bytes > other_sp + other_bytes || sp + bytes <= other_sp)
    return bytes;
  size_t own = bytes;
  const uint64_t *end = other + RAW_STACK_COPY + (sp + bytes - other_sp) / sizeof *record;
  while (own > 0 && sp + own > other_sp && record[RAW_STACK_COPY + own / sizeof *record - 1] == end[-1]) {
    own -= sizeof *record;
    end--;
  }
  return bytes - own >= LEAST_SAME ? own : bytes;
}

bool stack_record_put(const struct stack_record *stack)
{
  struct recorder *self = recorder_enter_list(RECORDER_MOST);
  if (!self)
    return false;
  uint64_t *record = self->cursor;
  record[1] = clock_ticks();
  record[RAW_STACK_FROM] = stack->from;
  record[RAW_STACK_TO] = stack->to;
  record[RAW_STACK_REST] = 0;
  __builtin_memcpy(record + RAW_STACK_REGISTERS, &stack->at, sizeof stack->at);
  record[RAW_STACK_PERIOD] = stack->period;
  record[RAW_STACK_PERIOD + 1] = 0;
  size_t bytes = copy(record + RAW_STACK_COPY, stack->at.sp), own = bytes;
  if (self->stack)
    own = bytes_of_its_own(record, bytes, self->stack);
  if (own < bytes)
    record[RAW_STACK_REST] = self->stack[1];
  else
    self->stack = record;
  unsigned words = (unsigned)(RAW_STACK_COPY + own / sizeof *record), elements = (words - 1) / RAW_EXTRA;
  if (2 + elements * RAW_EXTRA > words)
    record[words] = 0;
  recorder_publish(self, 2 + elements * RAW_EXTRA,
                   raw_head(RAW_STACK, elements, (uint64_t)stack->kind | own << RAW_STACK_BYTES_AT));
  RECORDER_NO_TAIL_CALL();
  return true;
}
