#include "otf2-convert/samples/kernel_stack.h"

#include <string.h>
#include <unistd.h>

static bool kernel_stack_read_at(const struct kernel_log *log, uint64_t at, void *into, size_t bytes)
{
  return pread(fileno(log->file), into, bytes, (off_t)at) == (ssize_t)bytes;
}

bool kernel_stack_read(const struct kernel_log *log, uint32_t number, struct kernel_stack *stack)
{
  struct kernel_record head;
  if (number == 0 || number > log->stacks.count || log->file == NULL)
    return false;
  uint64_t at = log->stacks.items[number - 1];
  if (!kernel_stack_read_at(log, at, &head, sizeof head) || head.processor == 0)
    return false;
  at += sizeof head;
  stack->is_copy = head.kind == KERNEL_COPY;
  stack->count = head.processor;
  if (head.kind == KERNEL_STACK)
    return stack->count <= KERNEL_STACK_MOST &&
           kernel_stack_read_at(log, at, stack->addresses, stack->count * sizeof(uint64_t));
  if (head.kind != KERNEL_COPY || stack->count > KERNEL_COPY_MOST || head.time + stack->count < head.time)
    return false;
  stack->copy.begin = head.time;
  return kernel_stack_read_at(log, at, &stack->copy.registers, sizeof stack->copy.registers) &&
         kernel_stack_read_at(log, at + sizeof stack->copy.registers, stack->copy.blocks,
                              kernel_copy_blocks(head.time, stack->count) * sizeof *stack->copy.blocks);
}

static const unsigned char *block(const struct kernel_log *log, struct kernel_blocks *blocks, uint32_t number)
{
  struct kernel_block *cached = &blocks->cached[number % KERNEL_STACK_CACHED];
  if (cached->log == log && cached->number == number)
    return cached->bytes;
  if (number == 0 || number > log->blocks.count)
    return NULL;
  cached->log = NULL;
  if (!kernel_stack_read_at(log, log->blocks.items[number - 1], cached->bytes, sizeof cached->bytes))
    return NULL;
  cached->log = log;
  cached->number = number;
  return cached->bytes;
}

bool kernel_stack_word(const struct kernel_log *log, const struct kernel_stack *stack, struct kernel_blocks *blocks,
                       uint64_t address, uint64_t *word)
{
  uint64_t begin = stack->copy.begin;
  if (address < begin || address - begin > stack->count || stack->count - (address - begin) < sizeof *word)
    return false;
  uint64_t index = address / KERNEL_BLOCK_BYTES - begin / KERNEL_BLOCK_BYTES, into = address % KERNEL_BLOCK_BYTES;
  size_t first = KERNEL_BLOCK_BYTES - into < sizeof *word ? KERNEL_BLOCK_BYTES - into : sizeof *word;
  const unsigned char *bytes = block(log, blocks, stack->copy.blocks[index]);
  if (bytes == NULL)
    return false;
  memcpy(word, bytes + into, first);
  if (first == sizeof *word)
    return true;
  bytes = block(log, blocks, stack->copy.blocks[index + 1]);
  if (bytes != NULL)
    memcpy((char *)word + first, bytes, sizeof *word - first);
  return bytes != NULL;
}
