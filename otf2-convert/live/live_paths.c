#include "otf2-convert/live/live_paths.h"

#include "otf2-convert/describe/names.h"
#include "otf2-convert/samples/sample_paths.h"

#include <stdio.h>
#include <string.h>

#define LIVE_PATHS_DEPTH_MOST 2048u /* places on a way: what forks outlined code may go in a circle */

void live_paths_begin(struct live_paths *paths, struct definitions *definitions)
{
  *paths = (struct live_paths){.definitions = definitions};
  sample_archive_begin(&paths->samples, NULL, definitions);
}

void live_paths_free(struct live_paths *paths)
{
  sample_archive_free(&paths->samples);
  vector_free(&paths->first);
  vector_free(&paths->inlined);
  vector_free(&paths->codes);
  hash_free(&paths->code_of);
  string_table_free(&paths->texts);
  string_table_free(&paths->names);
  vector_free(&paths->seen);
}

bool live_paths_renew(struct live_paths *paths, struct definitions *definitions, bool same)
{
  bool strayed = paths->samples.paths.strayed, timed = definitions->plan->processes.items[0].info.modules.map.timed;
  paths->definitions = definitions;
  if (same || (!timed && !strayed)) {
    sample_paths_free(&paths->samples.paths);
    sample_paths_begin(&paths->samples.paths, definitions);
    paths->samples.paths.strayed = strayed;
    return true;
  }
  struct string_table names = paths->names;
  paths->names = (struct string_table){0};
  live_paths_free(paths);
  live_paths_begin(paths, definitions);
  paths->names = names;
  return false;
}

static uint32_t name_number(struct live_paths *paths, const char *name, const char *file)
{
  char text[12288];
  int bytes = snprintf(text, sizeof text, "%.8000s", name);
  for (char *at = text; *at != '\0'; at++)
    if (*at == '\n')
      *at = ' ';
  snprintf(text + bytes, sizeof text - (size_t)bytes, "\n%.4000s", file);
  return string_table_number(&paths->names, text);
}

uint32_t live_paths_other(struct live_paths *paths, const char *name)
{
  return name_number(paths, name, "");
}

const char *live_paths_text(const struct live_paths *paths, uint32_t name, int *bytes, const char **file)
{
  const char *text = paths->names.items.items[name], *end = strchr(text, '\n');
  *bytes = (int)(end - text);
  *file = end + 1;
  return text;
}

/* The number of a code; STRING_TABLE_NONE: memory is short. */
static uint32_t code_number(struct live_paths *paths, struct live_code code)
{
  uint64_t key = hash_mix(code.begin + hash_mix((uint64_t)code.module << 32 | code.construct)) ^
                 hash_mix(((uint64_t)code.name << 32 | code.file) + code.outlined) ^ hash_mix(code.named);
  const uint64_t *known;
  for (; (known = hash_find(&paths->code_of, key)) != NULL; key++) {
    const struct live_code *other = &paths->codes.items[*known];
    if (other->begin == code.begin && other->module == code.module && other->construct == code.construct &&
        other->name == code.name && other->file == code.file && other->outlined == code.outlined &&
        (code.outlined || other->named == code.named))
      return (uint32_t)*known;
  }
  if (!vector_push(&paths->codes, code) || hash_add(&paths->code_of, key, paths->codes.count - 1) == NULL)
    return STRING_TABLE_NONE;
  return (uint32_t)paths->codes.count - 1;
}

/* False: memory is short. */
static bool add_code(struct live_paths *paths, const struct code_home *home, const struct code_function *function)
{
  char name[8192];
  struct live_code code = {.outlined = home->path != NULL && function->name != NULL && function->name[0] != '\0' &&
                                       function->outlined};
  if (code.outlined) {
    code.name = string_table_number(&paths->texts, function->name);
    code.file = string_table_number(&paths->texts, function->file);
    code.module = home->module;
    code.construct = function->construct;
    code.begin = function->begin;
    if (code.name == STRING_TABLE_NONE || code.file == STRING_TABLE_NONE)
      return false;
  } else {
    sample_name(home->path, function, NULL, name, sizeof name);
    code.named = name_number(paths, name, function->file);
  }
  uint32_t number = code.named == STRING_TABLE_NONE ? STRING_TABLE_NONE : code_number(paths, code);
  return number != STRING_TABLE_NONE && vector_push(&paths->inlined, number);
}

static bool add_unknown_callers(struct live_paths *paths)
{
  struct live_code code = {.named = live_paths_other(paths, NAME_CALLERS_UNKNOWN)};
  uint32_t number = code.named == STRING_TABLE_NONE ? STRING_TABLE_NONE : code_number(paths, code);
  return number != STRING_TABLE_NONE && vector_push(&paths->inlined, number);
}

/* As the archive has it: a node and the functions that were inlined there. */
static bool live_paths_add_node(struct live_paths *paths, const struct process *process, uint32_t number)
{
  uint64_t code = paths->samples.nodes.items[number].code, address = code;
  struct code_function functions[CODE_FUNCTIONS_MOST] = {{.file = ""}};
  if (!vector_push(&paths->first, (uint32_t)paths->inlined.count))
    return false;
  if (code == 0)
    return add_unknown_callers(paths);
  const struct code_home *known = sample_paths_home(&paths->samples.paths, process, &address);
  const struct code_home home = known != NULL ? *known : (struct code_home){.path = NULL};
  unsigned count = home.symbols == NULL ? 1 : symbols_code(home.symbols, address - home.base, functions);
  if (home.tool) /* what it has in its functions is its own */
    count = 1;
  bool good = true;
  for (unsigned i = 0; good && i < count; i++)
    good = add_code(paths, &home, &functions[i]);
  return good;
}

bool live_paths_find(struct live_paths *paths, const struct kernel_log *log, const struct sample *sample,
                     uint32_t *node)
{
  const struct process *process = &paths->definitions->plan->processes.items[0];
  bool cut, good = sample_archive_leaf(&paths->samples, log, process, sample, node, &cut);
  while (good && paths->first.count < paths->samples.nodes.count)
    good = live_paths_add_node(paths, process, (uint32_t)paths->first.count);
  return good;
}

bool live_paths_name(struct live_paths *paths, bool *changed)
{
  char name[8192];
  for (size_t i = 0; i < paths->codes.count; i++) {
    struct live_code *code = &paths->codes.items[i];
    if (!code->outlined)
      continue;
    struct code_function function = {.name = paths->texts.items.items[code->name],
                                     .file = paths->texts.items.items[code->file],
                                     .construct = code->construct,
                                     .begin = code->begin,
                                     .outlined = true};
    const struct region *region =
        definitions_outlined(paths->definitions, code->module, code->begin, function.file, code->construct);
    if (region != NULL)
      region_name(paths->definitions, region, name, sizeof name);
    else
      sample_name("", &function, NULL, name, sizeof name);
    uint32_t before = code->named;
    code->named = name_number(paths, name, function.file);
    *changed |= code->named != before;
    if (code->named == STRING_TABLE_NONE)
      return false;
  }
  return true;
}

/* True if a name is new on the current path. */
static bool live_paths_is_first(struct live_paths *paths, uint32_t name)
{
  if (paths->seen.count <= name && !vector_resize(&paths->seen, (size_t)name + 1))
    return true;
  bool first = paths->seen.items[name] != paths->path;
  paths->seen.items[name] = paths->path;
  return first;
}

bool live_paths_walk(struct live_paths *paths, uint32_t node, uint64_t *steps,
                     bool (*each)(void *context, uint32_t name, bool self), void *context)
{
  bool good = true, self = true;
  paths->path++;
  for (unsigned depth = 0; good && node != SAMPLES_NONE && depth < LIVE_PATHS_DEPTH_MOST; depth++) {
    uint32_t from = paths->first.items[node];
    size_t to = node + 1u < paths->first.count ? paths->first.items[node + 1] : paths->inlined.count;
    for (size_t i = to; good && i-- > from && (self || *steps > 0); self = false) {
      uint32_t name = paths->codes.items[paths->inlined.items[i]].named;
      *steps -= *steps > 0;
      if (live_paths_is_first(paths, name))
        good = each(context, name, self);
    }
    node = sample_archive_parent(&paths->samples, node);
  }
  return good;
}
