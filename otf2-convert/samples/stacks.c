#include "otf2-convert/samples/stacks.h"

#include "otf2-convert/scan/location.h"

#include <stdlib.h>
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

_Static_assert(sizeof(struct kernel_registers) == (RAW_STACK_PERIOD - RAW_STACK_REGISTERS) * sizeof(uint64_t),
               "both have the same registers");

void stack_note_release(struct stack_note *note)
{
  while (note != NULL && --note->holders == 0) {
    struct stack_note *rest = note->rest;
    free(note);
    note = rest;
  }
}

static struct stack_note *stack_notes_hold(struct stack_note *note)
{
  if (note != NULL)
    note->holders++;
  return note;
}

/* The copy of the record in which another one goes on; NULL: its chunk was lost, or the record is damaged. */
static struct stack_note *rest_of(const struct location *location, const uint64_t *record, uint64_t end)
{
  struct stack_note *whole = location->scan.stack;
  bool is_it = whole != NULL && record[RAW_STACK_REST] == location->scan.stack_ticks;
  return is_it && end >= whole->registers.sp && end - whole->registers.sp < whole->bytes ? whole : NULL;
}

static uint64_t time_inside(const struct location *location, const struct stack_note *note, uint64_t recorded)
{
  uint64_t begin = process_time_before(location->process, note->from, recorded);
  uint64_t end = process_time_before(location->process, note->to, recorded);
  uint64_t time = end > begin ? end - 1 : begin;
  return time < recorded ? time : recorded;
}

bool stack_notes_scan(struct location *location, const uint64_t *record, uint64_t time)
{
  uint64_t value = raw_value_of(record[0]), bytes = value >> RAW_STACK_BYTES_AT;
  uint64_t words = raw_record_words(record[0]);
  bool waits = (value & 0xff) == RAW_STACK_WAIT;
  if ((!waits && (value & 0xff) != RAW_STACK_TIMER) || words < RAW_STACK_COPY ||
      bytes > (words - RAW_STACK_COPY) * sizeof *record || record[RAW_STACK_PERIOD] == 0 ||
      (waits && record[RAW_STACK_FROM] >= record[RAW_STACK_TO]))
    return true;
  struct stack_note *note = calloc(1, sizeof *note + bytes);
  if (note == NULL)
    return false;
  note->waits = waits;
  note->from = record[RAW_STACK_FROM];
  note->to = record[RAW_STACK_TO];
  note->period = record[RAW_STACK_PERIOD];
  note->holders = 1;
  note->bytes = (uint32_t)bytes;
  note->time = waits ? time_inside(location, note, time) : time;
  memcpy(&note->registers, &record[RAW_STACK_REGISTERS], sizeof note->registers);
  memcpy(note->copy, &record[RAW_STACK_COPY], bytes);
  if (record[RAW_STACK_REST] != 0) {
    note->rest = stack_notes_hold(rest_of(location, record, note->registers.sp + bytes));
  } else {
    stack_note_release(location->scan.stack);
    location->scan.stack = stack_notes_hold(note);
    location->scan.stack_ticks = record[1];
  }
  if (vector_push(&location->stack_notes, note))
    return true;
  stack_note_release(note);
  return false;
}

bool stack_note_word(const struct stack_note *note, uint64_t address, uint64_t *word)
{
  unsigned char bytes[sizeof *word];
  if (address < note->registers.sp)
    return false;
  for (size_t i = 0; i < sizeof bytes; i++) {
    uint64_t at = address + i - note->registers.sp;
    const struct stack_note *has = at < note->bytes ? note : note->rest;
    if (has == NULL)
      return false;
    at = address + i - has->registers.sp;
    if (at >= has->bytes)
      return false;
    bytes[i] = has->copy[at];
  }
  memcpy(word, bytes, sizeof bytes);
  return true;
}

void stack_notes_free(struct location *location)
{
  for (size_t i = location->stack_next; i < location->stack_notes.count; i++)
    stack_note_release(location->stack_notes.items[i]);
  vector_free(&location->stack_notes);
  stack_note_release(location->scan.stack);
}
