#include "jvmti-agent/weaver/relocate.h"

#include "jvmti-agent/weaver/class_file.h"
#include "jvmti-agent/weaver/move_attributes.h"
#include "jvmti-agent/weaver/moving.h"

#include <stdlib.h>

#define CODE_MAX 65535u
/* HotSpot compiles no method that is longer than this, unless an option says so. */
#define COMPILED_MAX 8000u

static bool is_switch(uint8_t op)
{
  return op == OP_TABLESWITCH || op == OP_LOOKUPSWITCH;
}

/* Bytes between a switch and its operands, which are aligned. */
static uint32_t padding(uint32_t pc)
{
  return 3 - pc % 4;
}

/* Steps over the pieces of one kind at a place; returns their size. */
static uint32_t pieces(const struct insertions *all, size_t *next, uint32_t pc, enum insertion_side side)
{
  size_t size = 0;
  for (; *next < all->count && all->list[*next].pc == pc && all->list[*next].side == side; ++*next)
    size += all->list[*next].size;
  return (uint32_t)size;
}

/* Of all handlers at the end. */
static uint32_t handlers_size(const struct last_handler *handler)
{
  return handler->initialized != 0 ? 2u * handler->size : handler->size;
}

/* Lays the new code out. Its size; 0: it can't be. */
static uint32_t lay_out(struct moving *moving)
{
  const struct relocation *what = moving->what;
  uint32_t size = what->method->code_size, pc = 0, at = 0;
  size_t next = 0;
  memset(moving->places, 0xff, (size + 1) * sizeof *moving->places);
  for (;;) {
    struct place *place = &moving->places[pc];
    place->edge = at += pieces(what->insertions, &next, pc, INSERT_WITH);
    place->target = at += pieces(what->insertions, &next, pc, INSERT_BEHIND);
    place->moved = at += pieces(what->insertions, &next, pc, INSERT_BEFORE);
    if (pc == size || at > CODE_MAX)
      break;
    uint32_t length = class_instruction(what->file, what->method, pc);
    if (length == 0)
      return 0;
    at += length;
    if (is_switch(moving->old[pc]))
      at += padding(place->moved) - padding(pc);
    pc += length;
  }
  uint32_t most = size <= COMPILED_MAX ? COMPILED_MAX : CODE_MAX;
  return next == what->insertions->count && at + handlers_size(&what->handler) <= most ? at : 0;
}

static uint32_t jump(struct moving *moving, uint32_t pc, int64_t offset)
{
  int64_t to = pc + offset;
  if (to < 0 || to >= moving->what->method->code_size) {
    moving->failed = true;
    return 0;
  }
  return place_of(moving, (uint32_t)to).target - moving->places[pc].moved;
}

static void move_short_jump(struct moving *moving, uint32_t pc)
{
  int32_t offset = (int32_t)jump(moving, pc, (int16_t)class_u2(moving->old + pc + 1));
  moving->failed |= offset != (int16_t)offset;
  buffer_u1(moving->out, moving->old[pc]);
  buffer_u2(moving->out, (unsigned)offset & 0xffff);
}

static void move_switch(struct moving *moving, uint32_t pc, uint32_t length)
{
  const uint8_t *from = moving->old + pc + 1 + padding(pc);
  bool table = moving->old[pc] == OP_TABLESWITCH;
  buffer_u1(moving->out, moving->old[pc]);
  for (uint32_t i = padding(moving->places[pc].moved); i > 0; i--)
    buffer_u1(moving->out, 0);
  buffer_u4(moving->out, jump(moving, pc, (int32_t)class_u4(from)));
  buffer_u4(moving->out, class_u4(from + 4));
  if (table)
    buffer_u4(moving->out, class_u4(from + 8));
  from += table ? 12 : 8;
  for (const uint8_t *end = moving->old + pc + length; from < end; from += 4) {
    if (!table) { /* the value of the case */
      buffer_u4(moving->out, class_u4(from));
      from += 4;
    }
    buffer_u4(moving->out, jump(moving, pc, (int32_t)class_u4(from)));
  }
}

static void move_instruction(struct moving *moving, uint32_t pc, uint32_t length)
{
  uint8_t op = moving->old[pc];
  if (is_switch(op)) {
    move_switch(moving, pc, length);
  } else if ((op >= OP_IFEQ && op <= OP_JSR) || op == OP_IFNULL || op == OP_IFNONNULL) {
    move_short_jump(moving, pc);
  } else if (op == OP_GOTO_W || op == OP_JSR_W) {
    buffer_u1(moving->out, op);
    buffer_u4(moving->out, jump(moving, pc, (int32_t)class_u4(moving->old + pc + 1)));
  } else {
    buffer_add(moving->out, moving->old + pc, length);
  }
}

static void move_code(struct moving *moving)
{
  const struct relocation *what = moving->what;
  const struct insertions *all = what->insertions;
  size_t next = 0;
  for (uint32_t pc = 0;;) {
    for (; next < all->count && all->list[next].pc == pc; next++)
      buffer_add(moving->out, all->code.bytes + all->list[next].at, all->list[next].size);
    if (pc == what->method->code_size)
      break;
    uint32_t length = class_instruction(what->file, what->method, pc);
    move_instruction(moving, pc, length);
    pc += length;
  }
  for (uint32_t size = handlers_size(&what->handler); size > 0; size -= what->handler.size)
    buffer_add(moving->out, what->handler.bytes, what->handler.size);
}

/* Of all exceptions. */
static void add_exception(struct moving *moving, uint32_t from, uint32_t to, uint32_t handler)
{
  buffer_u2(moving->out, from);
  buffer_u2(moving->out, to);
  buffer_u2(moving->out, handler);
  buffer_u2(moving->out, 0);
}

/* The program's own handlers come first: what they catch does not leave the method. */
static void move_exceptions(struct moving *moving, uint32_t end)
{
  const struct last_handler *handler = &moving->what->handler;
  unsigned more = (handler->size > 0) + (handler->initialized != 0);
  const uint8_t *from = moving->old + moving->what->method->code_size;
  unsigned n = class_u2(from);
  buffer_u2(moving->out, n + more);
  for (from += 2; n > 0; n--, from += 8) {
    buffer_u2(moving->out, place_of(moving, class_u2(from)).edge);
    buffer_u2(moving->out, place_of(moving, class_u2(from + 2)).edge);
    buffer_u2(moving->out, place_of(moving, class_u2(from + 4)).target);
    buffer_u2(moving->out, class_u2(from + 6));
  }
  uint32_t begin = moving->places[0].target;
  if (handler->initialized != 0) {
    add_exception(moving, begin, place_of(moving, handler->initializes).edge, end);
    add_exception(moving, place_of(moving, handler->initialized).edge, end, end + handler->size);
  } else if (handler->size > 0) {
    add_exception(moving, begin, end, end);
  }
}

static void move_all(struct moving *moving, const uint8_t *head, unsigned stack, unsigned locals, uint32_t end)
{
  size_t length_at = begin_attribute(moving, class_u2(head));
  buffer_u2(moving->out, stack);
  buffer_u2(moving->out, locals);
  buffer_u4(moving->out, end + handlers_size(&moving->what->handler));
  move_code(moving);
  move_exceptions(moving, end);
  move_attributes(moving, end);
  end_attribute(moving, length_at);
}

bool relocate(struct buffer *attribute, const struct relocation *what)
{
  const struct class_method *method = what->method;
  const uint8_t *head = what->file->bytes + method->code - 14; /* name, length, stack, locals, size of the code */
  struct moving moving = {.what = what, .old = head + 14, .out = attribute};
  moving.places = malloc((method->code_size + (size_t)1) * sizeof *moving.places);
  uint32_t end = moving.places ? lay_out(&moving) : 0;
  unsigned stack = class_u2(head + 6) + what->more_stack, locals = class_u2(head + 8) + what->more_locals;
  if (stack < 2 && what->handler.size > 0)
    stack = 2;
  bool good = end > 0 && stack <= UINT16_MAX && locals <= UINT16_MAX;
  if (good)
    move_all(&moving, head, stack, locals, end);
  free(moving.places);
  return good && !moving.failed && !attribute->failed;
}
