#include "jvmti-agent/weaver/move_attributes.h"

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

/* Where a variable is: where that begins, and how long it is. Arguments are there from the begin. */
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

/* table: the one that is there, or empty. */
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

/* What a type's annotation is about: JVM specification, 4.7.20.1. Elsewhere than in code there are others. */
static void move_annotated(struct moving *moving, struct table *table)
{
  uint32_t kind = keep(moving, table, 1);
  if (kind == ANNOTATED_VARIABLE || kind == ANNOTATED_RESOURCE) {
    for (unsigned n = keep(moving, table, 2); n > 0 && !moving->failed; n--) {
      move_scope(moving, table);
      keep(moving, table, 2);
    }
  } else if (kind == ANNOTATED_CATCH) {
    keep(moving, table, 2); /* of the exception table, whose entries keep their numbers */
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

/* Whether it is one that is known. */
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

void move_attributes(struct moving *moving, uint32_t end)
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
