/*
 * libFuzzer target: any bytes as a log of the kernel's records. Reading ends, and from each stack the way up ends,
 * whatever registers, bytes and call frame information say.
 */
#include "otf2-convert/samples/stacks.h"
#include "otf2-convert/samples/unwind.h"
#include "otf2-convert/symbols/symbols.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST   64u   /* functions */
#define STACKS 1000u /* of an input */

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char directory[] = "/dev/shm/heddle-fuzz-XXXXXX";
static int directory_fd;
static struct kernel_stack stack;
static struct kernel_blocks blocks;

static void require(bool holds)
{
  if (!holds)
    abort();
}

static void remove_directory(void)
{
  unlinkat(directory_fd, "h.log", 0);
  rmdir(directory);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  (void)count, (void)arguments;
  require(mkdtemp(directory) != NULL);
  directory_fd = open(directory, O_RDONLY | O_DIRECTORY);
  require(directory_fd >= 0);
  atexit(remove_directory);
  return 0;
}

static struct frame_rules *rules(void *context, uint64_t *address, bool *code)
{
  (void)context;
  *code = *address % 7 != 0;
  return *address % 5 == 0 ? NULL : symbols_frames(NULL);
}

static bool word(void *context, uint64_t address, uint64_t *into)
{
  return kernel_stack_word(context, &stack, &blocks, address, into);
}

static void go_up(struct kernel_log *log)
{
  const struct unwind_sources sources = {.context = log, .rules = rules, .word = word};
  struct unwind_registers registers = {.known = UINT32_MAX >> (32 - FRAME_REGISTERS)};
  uint64_t addresses[MOST];
  registers.of[FRAME_BP] = stack.copy.registers.bp;
  registers.of[FRAME_SP] = stack.copy.registers.sp;
  registers.of[FRAME_PC] = stack.copy.registers.ip;
  struct unwound result = unwind(&sources, registers, addresses, MOST);
  require(result.depth <= MOST);
}

static void read_log(struct kernel_log *log)
{
  do {
    const struct kernel_record *record;
    for (; (record = kernel_log_peek(log)) != NULL; log->next++) {
      struct kernel_moment moment = kernel_log_moment(log, record->time);
      require(moment.raw == record->time);
    }
  } while (kernel_log_round(log));
  for (uint32_t i = 0; i <= log->stacks.count && i < STACKS; i++)
    if (kernel_stack_read(log, i, &stack) && stack.is_copy)
      go_up(log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct kernel_log_header header = {.magic = KERNEL_LOG_MAGIC};
  struct kernel_log log;
  int fd = openat(directory_fd, "h.log", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  require(fd >= 0 && write(fd, &header, sizeof header) == (ssize_t)sizeof header &&
          write(fd, data, size) == (ssize_t)size);
  close(fd);
  memset(&blocks, 0, sizeof blocks);
  if (kernel_log_open(&log, directory_fd, "h.log")) {
    read_log(&log);
    kernel_log_close(&log);
  }
  return 0;
}
