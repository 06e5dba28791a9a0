#include "analyzer/analyses/intervals/spec.h"

#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE 8192

struct spec_block {
  struct spec_block *next;
  size_t used, room;
  _Alignas(max_align_t) char bytes[];
};

void *spec_allocate(struct spec *spec, size_t size)
{
  size_t whole = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
  struct spec_block *block = spec->blocks;
  if (!block || block->room - block->used < whole) {
    size_t room = whole > BLOCK_SIZE ? whole : BLOCK_SIZE;
    block = calloc(1, sizeof *block + room);
    if (!block)
      return NULL;
    block->room = room;
    block->next = spec->blocks;
    spec->blocks = block;
  }
  void *memory = block->bytes + block->used;
  block->used += whole;
  return memory;
}

bool spec_error(const struct spec *spec, struct spec_place place, struct error *error, const char *format, ...)
{
  char text[sizeof error->message / 2];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return error_set(error, "%s:%u:%u: %s", spec->file, place.line, place.column, text);
}

void spec_free(struct spec *spec)
{
  if (!spec)
    return;
  for (struct spec_block *block = spec->blocks, *next; block; block = next) {
    next = block->next;
    free(block);
  }
  free(spec);
}

const char *spec_type_name(enum spec_type type)
{
  static const char *const names[] = {"an integer", "a real number", "a text", "a time", "true or false", "a value"};
  return names[type];
}

static const struct own_event own_events[] = {
    {"region_begin", OWN_BEGIN, NULL},
    {"region_end", OWN_END, NULL},
    {"chunk", OWN_BEGIN, REGION_CHUNK},
    {"chunk_end", OWN_END, REGION_CHUNK},
    {"lock", OWN_ACQUIRE, NULL},
    {"unlock", OWN_RELEASE, NULL},
    {"park", OWN_BEGIN, REGION_PARK},
    {"park_end", OWN_END, REGION_PARK},
    {"unpark", OWN_BEGIN, REGION_UNPARK},
    {"notify", OWN_BEGIN, REGION_NOTIFY},
    {"notify_all", OWN_BEGIN, REGION_NOTIFY_ALL},
    {"wait", OWN_BEGIN, REGION_OBJECT_WAIT},
    {"wait_end", OWN_END, REGION_OBJECT_WAIT},
    {"gc", OWN_BEGIN, REGION_GC},
    {"gc_end", OWN_END, REGION_GC},
    {"task_create", OWN_TASK_CREATE, NULL},
    {"task_switch", OWN_TASK_SWITCH, NULL},
    {"task_end", OWN_TASK_END, NULL},
};

const struct intrinsic_word intrinsics[INTRINSICS] = {
    [INTRINSIC_THREAD] = {"thread", SPEC_INTEGER},
    [INTRINSIC_TIME] = {"time", SPEC_TIME},
    [INTRINSIC_PROCESS] = {"process", SPEC_INTEGER},
    [INTRINSIC_MEMBER] = {"member", SPEC_INTEGER},
    [INTRINSIC_CONSTRUCT] = {"construct", SPEC_TEXT},
    [INTRINSIC_LINE] = {"line", SPEC_INTEGER},
    [INTRINSIC_FILE] = {"file", SPEC_TEXT},
    [INTRINSIC_FUNCTION] = {"function", SPEC_TEXT},
    [INTRINSIC_THREAD_NAME] = {"thread_name", SPEC_TEXT},
    [INTRINSIC_TARGET] = {"target", SPEC_INTEGER},
    [INTRINSIC_LOCK] = {"lock", SPEC_INTEGER},
    [INTRINSIC_TASK] = {"task", SPEC_INTEGER},
};

const struct own_event *own_event_find(const char *name)
{
  for (size_t i = 0; i < COUNT_OF(own_events); i++)
    if (strcmp(own_events[i].name, name) == 0)
      return &own_events[i];
  return NULL;
}

const char *own_event_names(void)
{
  return "region_begin, region_end, chunk, chunk_end, lock, unlock, park, park_end, unpark, notify, notify_all, wait, "
         "wait_end, gc, gc_end, task_create, task_switch, task_end";
}

struct own_event own_event_of_quoted(const char *quoted)
{
  static const struct {
    const char *begin;
    enum own_kind kind;
  } forms[] = {{"begin of ", OWN_BEGIN}, {"end of ", OWN_END}, {"", OWN_BEGIN}};
  size_t i = 0;
  while (strncmp(quoted, forms[i].begin, strlen(forms[i].begin)) != 0)
    i++;
  return (struct own_event){.name = quoted, .kind = forms[i].kind, .region = quoted + strlen(forms[i].begin)};
}

#define SIZE_MOST         (1 << 20) /* bytes of a specification */
#define READER_DEPTH_MOST 1000      /* of a condition: functions that walk it call themselves */
#define STRING_(x)        #x
#define STRING_OF(x)      STRING_(x)

void reader_fail(struct spec_reader *reader, struct spec_place place, const char *format, ...)
{
  if (reader->failed)
    return;
  char text[sizeof reader->error->message / 2];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  reader->failed = !spec_error(reader->spec, place, reader->error, "%s", text);
}

void *reader_allocate(struct spec_reader *reader, size_t size)
{
  void *memory = spec_allocate(reader->spec, size);
  if (!memory)
    reader_fail(reader, reader->at, "out of memory");
  return memory;
}

const char *reader_text(struct spec_reader *reader, size_t begin, size_t end)
{
  char *text = reader_allocate(reader, end - begin + 1);
  if (text)
    memcpy(text, reader->text + begin, end - begin);
  return text;
}

const char *reader_word(struct spec_reader *reader, const struct spec_span *span)
{
  return reader_text(reader, span->begin, span->end);
}

struct spec_expr *reader_literal(struct spec_reader *reader, enum spec_op op, struct spec_place place)
{
  struct spec_expr *expr = reader_new(reader, struct spec_expr);
  if (expr)
    *expr = (struct spec_expr){.op = op, .place = place, .depth = 1};
  return expr;
}

struct spec_expr *reader_operator(struct spec_reader *reader, enum spec_op op, struct spec_place place,
                                  struct spec_expr *left, struct spec_expr *right)
{
  struct spec_expr *expr = reader_literal(reader, op, place);
  if (!expr)
    return NULL;
  expr->left = left;
  expr->right = right;
  expr->depth = 1 + (right && right->depth > left->depth ? right->depth : left->depth);
  if (expr->depth <= READER_DEPTH_MOST)
    return expr;
  reader_fail(reader, place,
              "the condition is too large: more than " STRING_OF(READER_DEPTH_MOST) " operators in a row");
  return NULL;
}

static struct spec *create(const char *file)
{
  struct spec *spec = calloc(1, sizeof *spec);
  if (!spec)
    return NULL;
  spec->events_end = &spec->events;
  spec->intervals_end = &spec->intervals;
  spec->assertions_end = &spec->assertions;
  spec->constants_end = &spec->constants;
  char *name = spec_allocate(spec, strlen(file) + 1);
  if (name)
    spec->file = strcpy(name, file);
  else
    spec_free(spec);
  return name ? spec : NULL;
}

struct spec *spec_parse(const char *file, const char *text, size_t size, struct error *error)
{
  if (size > SIZE_MOST) {
    error_set(error, "%s: larger than %d bytes, which no specification is", file, SIZE_MOST);
    return NULL;
  }
  struct spec *spec = create(file);
  char *scanned = malloc(size + 1 + READER_MARKS), *kept = malloc(size + 1 + READER_MARKS);
  bool good = spec && scanned && kept;
  if (good) {
    memcpy(scanned, text, size);
    memcpy(scanned + size, "\n\0", 1 + READER_MARKS);
    memcpy(kept, scanned, size + 1 + READER_MARKS);
    struct spec_reader reader = {.spec = spec, .text = kept, .error = error, .at = {1, 1}};
    good = reader_scan(&reader, scanned, size + 1);
    if (!good && !reader.failed)
      error_set(error, "%s: out of memory", file);
  } else {
    error_set(error, "%s: out of memory", file);
  }
  free(scanned);
  free(kept);
  if (good)
    return spec;
  spec_free(spec);
  return NULL;
}

struct spec *spec_read(const char *path, struct error *error)
{
  struct spec *spec = NULL;
  FILE *file = fopen(path, "re");
  char *text = malloc(SIZE_MOST + 2);
  size_t size = file && text ? fread(text, 1, SIZE_MOST + 1, file) : 0;
  if (!file || ferror(file))
    error_set(error, "%s: cannot read the specification: %s", path, strerror(errno));
  else if (!text)
    error_set(error, "%s: out of memory", path);
  else
    spec = spec_parse(path, text, size, error);
  if (file)
    fclose(file);
  free(text);
  return spec;
}
