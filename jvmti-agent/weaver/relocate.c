#include "jvmti-agent/weaver/relocate.h"

#include "jvmti-agent/weaver/class_file.h"

#include <stdlib.h>

static void end_piece(struct insertions *insertions)
{
  if (insertions->count > 0) {
    struct insertion *last = &insertions->list[insertions->count - 1];
    last->size = insertions->code.size - last->at;
  }
}

struct buffer *insertions_begin(struct insertions *insertions, uint32_t pc, enum insertion_side side)
{
  end_piece(insertions);
  if (insertions->count == insertions->room) {
    size_t room = 2 * insertions->room + 16;
    struct insertion *larger = realloc(insertions->list, room * sizeof *larger);
    if (!larger) {
      insertions->code.failed = true;
      return &insertions->code;
    }
    insertions->list = larger;
    insertions->room = room;
  }
  insertions->list[insertions->count++] = (struct insertion){.pc = pc, .side = side, .at = insertions->code.size};
  return &insertions->code;
}

bool insertions_end(struct insertions *insertions)
{
  end_piece(insertions);
  return !insertions->code.failed;
}

void insertions_free(struct insertions *insertions)
{
  free(insertions->list);
  free(insertions->code.bytes);
}

/* New positions of a position of the old code. */
struct place {
  uint32_t edge;   /* for ranges: behind what belongs to the instruction before */
  uint32_t target; /* for jumps: behind what was inserted behind that instruction */
  uint32_t moved;  /* the instruction itself */
};
#define NO_PLACE UINT32_MAX /* the middle of an instruction */

/* A method's code while it is moved. */
struct moving {
  const struct relocation *what;
  const uint8_t *old;   /* instructions */
  struct place *places; /* code_size + 1 of them */
  struct buffer *out;
  bool failed;
};

/* Returns the new place of an old one; sets `failed` if there is none. */
static struct place place_of(struct moving *moving, uint32_t pc)
{
  if (pc <= moving->what->method->code_size && moving->places[pc].edge != NO_PLACE)
    return moving->places[pc];
  moving->failed = true;
  return (struct place){0};
}

/* Begins an attribute; returns where its length is to be written. */
static size_t begin_attribute(struct moving *moving, uint16_t name)
{
  buffer_u2(moving->out, name);
  buffer_u4(moving->out, 0);
  return moving->out->size - 4;
}

static void end_attribute(struct moving *moving, size_t length_at)
{
  if (!moving->out->failed)
    buffer_set_u4(moving->out, length_at, (uint32_t)(moving->out->size - length_at - 4));
}

enum map_frame { MAP_SAME_LAST = 63, MAP_ONE_LAST = 127, MAP_ONE_FAR = 247, MAP_SAME_FAR = 251, MAP_FULL = 255 };
enum map_type { MAP_NEW_THIS = 6, MAP_OBJECT = 7, MAP_NEW = 8 };

enum annotated {
  ANNOTATED_VARIABLE = 0x40,
  ANNOTATED_RESOURCE = 0x41,
  ANNOTATED_CATCH = 0x42,
  ANNOTATED_INSTANCEOF = 0x43,
  ANNOTATED_CAST = 0x47,
  ANNOTATED_LAST = 0x4b
};
#define ANNOTATION_DEPTH 32u

/* An attribute of the code: what is left of it. Each step checks; after a failure all fail. */
struct table {
  const uint8_t *at, *end;
};

static uint32_t take(struct moving *moving, struct table *table, unsigned bytes)
{
  uint32_t number = 0;
  if ((size_t)(table->end - table->at) < bytes) {
    moving->failed = true;
    return 0;
  }
  for (; bytes > 0; bytes--)
    number = number << 8 | *table->at++;
  return number;
}

static void move_lines(struct moving *moving, struct table table)
{
  unsigned n = take(moving, &table, 2);
  buffer_u2(moving->out, n);
  for (; n > 0 && !moving->failed; n--) {
    uint32_t pc = take(moving, &table, 2); /* what is put in front of the first instruction has its line */
    moving->failed |= pc >= moving->what->method->code_size;
    buffer_u2(moving->out, pc == 0 ? 0 : place_of(moving, pc).target);
    buffer_u2(moving->out, take(moving, &table, 2));
  }
  moving->failed |= table.at != table.end;
}

/* Moves a variable's range: its begin and its length. Arguments are there from the begin. */
static void move_scope(struct moving *moving, struct table *table)
{
  uint32_t begin = take(moving, table, 2), length = take(moving, table, 2);
  uint32_t from = begin == 0 ? 0 : place_of(moving, begin).edge, to = place_of(moving, begin + length).edge;
  buffer_u2(moving->out, from);
  buffer_u2(moving->out, to - from);
}

static void move_variables(struct moving *moving, struct table table)
{
  unsigned n = take(moving, &table, 2);
  buffer_u2(moving->out, n);
  for (; n > 0 && !moving->failed; n--) {
    move_scope(moving, &table);
    buffer_u4(moving->out, take(moving, &table, 4)); /* name, type */
    buffer_u2(moving->out, take(moving, &table, 2)); /* slot */
  }
  moving->failed |= table.at != table.end;
}

static void move_map_types(struct moving *moving, struct table *table, unsigned n)
{
  for (; n > 0 && !moving->failed; n--) {
    uint32_t type = take(moving, table, 1);
    buffer_u1(moving->out, type);
    if (type == MAP_OBJECT) {
      uint16_t class = (uint16_t)take(moving, table, 2);
      moving->failed |= !class_name(moving->what->file, class).bytes;
      buffer_u2(moving->out, class);
    } else if (type == MAP_NEW)
      buffer_u2(moving->out, place_of(moving, take(moving, table, 2)).moved);
  }
}

/* A frame's distance to the one before may need the longer form now. */
static void move_map_frame(struct moving *moving, struct table *table, uint32_t *old, uint32_t *new)
{
  uint32_t kind = take(moving, table, 1);
  bool one = (kind > MAP_SAME_LAST && kind <= MAP_ONE_LAST) || kind == MAP_ONE_FAR;
  uint32_t delta = kind >= MAP_ONE_FAR     ? take(moving, table, 2)
                   : kind <= MAP_SAME_LAST ? kind
                                           : kind - MAP_SAME_LAST - 1;
  *old += delta + 1; /* from UINT32_MAX, which stands before the first */
  uint32_t target = place_of(moving, *old).target;
  delta = target - *new - 1;
  *new = target;
  moving->failed |= kind > MAP_ONE_LAST && kind < MAP_ONE_FAR; /* not in use */
  buffer_u1(moving->out, one ? MAP_ONE_FAR : kind <= MAP_SAME_LAST ? MAP_SAME_FAR : kind);
  buffer_u2(moving->out, delta);
  if (one) {
    move_map_types(moving, table, 1);
  } else if (kind > MAP_SAME_FAR && kind < MAP_FULL) { /* so many more locals */
    move_map_types(moving, table, kind - MAP_SAME_FAR);
  } else if (kind == MAP_FULL) {
    for (int i = 0; i < 2 && !moving->failed; i++) { /* locals, stack */
      unsigned n = take(moving, table, 2);
      buffer_u2(moving->out, n);
      move_map_types(moving, table, n);
    }
  }
}

/* this_type: of `this`; 0: it is not known. */
static void add_map_of_handler(struct moving *moving, uint32_t distance, unsigned this_type)
{
  const struct last_handler *handler = &moving->what->handler;
  buffer_u1(moving->out, MAP_FULL);
  buffer_u2(moving->out, distance);
  buffer_u2(moving->out, this_type != 0);
  if (this_type != 0)
    buffer_u1(moving->out, this_type);
  if (this_type == MAP_OBJECT)
    buffer_u2(moving->out, handler->this_class);
  buffer_u2(moving->out, 1);
  buffer_u1(moving->out, MAP_OBJECT);
  buffer_u2(moving->out, handler->throwable);
}

/* table: the existing one, or empty. */
static void move_stack_map(struct moving *moving, struct table table, uint32_t end)
{
  const struct last_handler *handler = &moving->what->handler;
  unsigned more = (handler->size > 0) + (handler->initialized != 0);
  uint32_t old = UINT32_MAX, new = UINT32_MAX;
  unsigned n = table.at ? take(moving, &table, 2) : 0;
  buffer_u2(moving->out, n + more);
  for (; n > 0 && !moving->failed; n--)
    move_map_frame(moving, &table, &old, &new);
  moving->failed |= table.at != table.end;
  if (handler->initialized != 0) {
    add_map_of_handler(moving, end - new - 1, MAP_NEW_THIS);
    new = end;
    end += handler->size;
  }
  if (more > 0)
    add_map_of_handler(moving, end - new - 1, handler->this_class != 0 ? MAP_OBJECT : 0);
}

static uint32_t keep(struct moving *moving, struct table *table, unsigned bytes)
{
  uint32_t number = take(moving, table, bytes);
  for (unsigned i = bytes; i > 0; i--)
    buffer_u1(moving->out, number >> 8 * (i - 1) & 0xff);
  return number;
}

/* A value in an annotation, and the pairs of a name and a value that one consists of: each may hold the other. */
static void keep_pairs(struct moving *moving, struct table *table, unsigned depth);

static void keep_value(struct moving *moving, struct table *table, unsigned depth)
{
  switch (depth == 0 ? 0 : keep(moving, table, 1)) {
  case 'e':
    keep(moving, table, 4);
    break;
  case '@':
    keep(moving, table, 2);
    keep_pairs(moving, table, depth - 1);
    break;
  case '[':
    for (unsigned n = keep(moving, table, 2); n > 0 && !moving->failed; n--)
      keep_value(moving, table, depth - 1);
    break;
  case 0:
    moving->failed = true;
    break;
  default:
    keep(moving, table, 2);
  }
}

static void keep_pairs(struct moving *moving, struct table *table, unsigned depth)
{
  for (unsigned n = keep(moving, table, 2); n > 0 && !moving->failed; n--) {
    keep(moving, table, 2);
    keep_value(moving, table, depth);
  }
}

/* Moves the target of a type's annotation (JVM specification, 4.7.20.1), as far as they are possible in code. */
static void move_annotated(struct moving *moving, struct table *table)
{
  uint32_t kind = keep(moving, table, 1);
  if (kind == ANNOTATED_VARIABLE || kind == ANNOTATED_RESOURCE) {
    for (unsigned n = keep(moving, table, 2); n > 0 && !moving->failed; n--) {
      move_scope(moving, table);
      keep(moving, table, 2);
    }
  } else if (kind == ANNOTATED_CATCH) {
    keep(moving, table, 2); /* number in the exception table, whose entries keep their numbers */
  } else if (kind >= ANNOTATED_INSTANCEOF && kind <= ANNOTATED_LAST) {
    buffer_u2(moving->out, place_of(moving, take(moving, table, 2)).moved);
    if (kind >= ANNOTATED_CAST)
      keep(moving, table, 1);
  } else {
    moving->failed = true;
  }
}

static void move_annotations(struct moving *moving, struct table table)
{
  for (unsigned n = keep(moving, &table, 2); n > 0 && !moving->failed; n--) {
    move_annotated(moving, &table);
    for (unsigned steps = keep(moving, &table, 1); steps > 0 && !moving->failed; steps--)
      keep(moving, &table, 2);
    keep(moving, &table, 2); /* its type */
    keep_pairs(moving, &table, ANNOTATION_DEPTH);
  }
}

/* True if the attribute is known. */
static bool move_attribute(struct moving *moving, struct span name, struct table table, uint32_t end)
{
  if (span_is(name, "LineNumberTable"))
    move_lines(moving, table);
  else if (span_is(name, "LocalVariableTable") || span_is(name, "LocalVariableTypeTable"))
    move_variables(moving, table);
  else if (span_is(name, "StackMapTable"))
    move_stack_map(moving, table, end);
  else if (span_is(name, "RuntimeVisibleTypeAnnotations") || span_is(name, "RuntimeInvisibleTypeAnnotations"))
    move_annotations(moving, table);
  else
    return false;
  return true;
}

/*
 * Appends the attributes of the code, and their number: line numbers, variables, stack maps, annotations of types. end:
 * position of the last handler in the new code. Unknown attributes are dropped, because they may name positions; the
 * JVM ignores them.
 */
static void move_attributes(struct moving *moving, uint32_t end)
{
  const struct class_method *method = moving->what->method;
  const uint8_t *from = moving->what->file->bytes + method->attributes;
  size_t count_at = moving->out->size;
  unsigned kept = 0;
  bool has_map = false;
  buffer_u2(moving->out, 0);
  unsigned n = class_u2(from);
  for (from += 2; n > 0 && !moving->failed; n--) { /* names and lengths were checked when the class was read */
    uint16_t name = class_u2(from);
    struct table table = {from + 6, from + 6 + class_u4(from + 2)};
    struct span text = class_utf8(moving->what->file, name);
    size_t begin = moving->out->size, length_at = begin_attribute(moving, name);
    from = table.end;
    if (move_attribute(moving, text, table, end)) {
      end_attribute(moving, length_at);
      kept++;
      has_map |= span_is(text, "StackMapTable");
    } else {
      moving->out->size = begin;
    }
  }
  if (moving->what->handler.size > 0 && moving->what->handler.stack_map && !has_map) {
    size_t length_at = begin_attribute(moving, moving->what->handler.stack_map);
    move_stack_map(moving, (struct table){0}, end);
    end_attribute(moving, length_at);
    kept++;
  }
  if (!moving->out->failed)
    buffer_set_u2(moving->out, count_at, kept);
}

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

/* Returns the size of all handlers at the end. */
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

/* Adds an entry for all exceptions. */
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
