#include "otf2-convert/timeline/definitions.h"

#include "base/count_of.h"
#include "common/process/vdso.h"
#include "otf2-convert/symbols/symbols.h"
#include "otf2-convert/text_fields.h"
#include "otf2-convert/timeline/record_details.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const depend_names[DEPEND_KINDS] = {
#define DEFINITIONS_X(constant, name) name,
    DEPEND_NAMES(DEFINITIONS_X)
#undef DEFINITIONS_X
};

/* The ref of a string that events refer to. */
static uint32_t string_ref(struct definitions *definitions, const char *text)
{
  char plain[DEFINITIONS_TEXT_MAX];
  escape_control(text, plain, sizeof plain);
  uint32_t ref = string_table_number(&definitions->strings, plain);
  if (ref != STRING_TABLE_NONE)
    return ref;
  atomic_store(&definitions->out_of_memory, true);
  return STRING_EMPTY;
}

static struct class_use *classes_of(struct definitions *definitions, const struct java_names *names)
{
  struct class_use *classes = calloc(names->classes.count, sizeof *classes);
  if (classes == NULL)
    atomic_store(&definitions->out_of_memory, true);
  for (size_t i = 0; classes != NULL && i < names->classes.count; i++) {
    const char *name = names->classes.items[i];
    classes[i].name = name == NULL ? STRING_EMPTY : string_ref(definitions, name);
    classes[i].waiting = construct_of_blocker(name == NULL ? "" : name);
  }
  return classes;
}

static uint32_t *callers_of(struct definitions *definitions, const struct java_names *names)
{
  uint32_t *callers = NULL, known = 0;
  char text[CALLERS_TEXT_MAX];
  for (size_t i = 0; i < names->places.count && known < CALLERS_MAX; i++) {
    java_callers(names, i + 1, text, sizeof text);
    if (text[0] == 0)
      continue;
    if (callers == NULL && (callers = calloc(names->places.count, sizeof *callers)) == NULL) {
      atomic_store(&definitions->out_of_memory, true);
      return NULL;
    }
    callers[i] = string_ref(definitions, text);
    known++;
  }
  return callers;
}

static uint64_t object_key(uint32_t process, uint64_t object)
{
  return hash_mix(object + 1) ^ hash_mix(process);
}

/* The first field in which an object was found is its name. */
static bool name_fields(struct definitions *definitions, uint32_t process, const struct java_names *names)
{
  char text[DEFINITIONS_TEXT_MAX];
  for (size_t i = 0; i < names->fields.count; i++) {
    const struct java_field *field = &names->fields.items[i];
    uint64_t key = object_key(process, field->object);
    const char *class = java_class(names, field->object >> 32);
    if (class == NULL || hash_find(&definitions->java_fields, key) != NULL)
      continue;
    snprintf(text, sizeof text, "%s \"%s\"", class, field->name);
    if (hash_add(&definitions->java_fields, key, string_ref(definitions, text)) == NULL)
      return false;
  }
  return true;
}

static void name_java(struct definitions *definitions, uint32_t process, const struct java_names *names)
{
  if (names->classes.count > 0)
    definitions->classes[process] = classes_of(definitions, names);
  definitions->callers[process] = callers_of(definitions, names);
  if (!name_fields(definitions, process, names))
    atomic_store(&definitions->out_of_memory, true);
}

static void name_user(struct definitions *definitions, uint32_t process, const struct user_names *names)
{
  if (names->items.count == 0)
    return;
  definitions->user_refs[process] = calloc(names->items.count * USER_TYPES, sizeof *definitions->user_refs[process]);
  if (definitions->user_refs[process] == NULL)
    atomic_store(&definitions->out_of_memory, true);
}

void definitions_begin(struct definitions *definitions, const struct plan *plan)
{
  static const char *const fixed[STRING_FIXED_COUNT] = {[STRING_EMPTY] = "",
#define DEFINITIONS_X(constant, text) [STRING_##constant] = text,
                                                        CLOSED_VALUES(DEFINITIONS_X) CANCEL_VALUES(DEFINITIONS_X)
                                                            ROW_VALUES(DEFINITIONS_X) METRIC_VALUES(DEFINITIONS_X)
#undef DEFINITIONS_X
  };
  memset(definitions, 0, sizeof *definitions);
  pthread_mutex_init(&definitions->lock, NULL);
  definitions->plan = plan;
  definitions->trace_fd = -1;
  for (unsigned i = 0; i < STRING_FIXED_COUNT; i++)
    string_ref(definitions, fixed[i]);
  definitions->classes = calloc((size_t)plan->processes.count + 1, sizeof *definitions->classes);
  definitions->callers = calloc((size_t)plan->processes.count + 1, sizeof *definitions->callers);
  definitions->user_refs = calloc((size_t)plan->processes.count + 1, sizeof *definitions->user_refs);
  definitions->next_attribute = ATTRIBUTE_COUNT;
  if (definitions->classes == NULL || definitions->callers == NULL || definitions->user_refs == NULL) {
    atomic_store(&definitions->out_of_memory, true);
    return;
  }
  for (uint32_t i = 0; i < plan->processes.count; i++) {
    name_java(definitions, i, &plan->processes.items[i].info.java);
    name_user(definitions, i, &plan->processes.items[i].info.names);
  }
}

void code_modules_free(struct code_modules *modules)
{
  for (size_t i = 0; i < modules->items.count; i++)
    symbols_close(modules->items.items[i].symbols);
  vector_free(&modules->items);
  string_table_free(&modules->names);
}

void definitions_take_modules(struct definitions *definitions, struct code_modules *modules)
{
  *modules = definitions->modules;
  definitions->modules = (struct code_modules){.items = {0}};
}

void definitions_give_modules(struct definitions *definitions, struct code_modules *modules)
{
  code_modules_free(&definitions->modules);
  definitions->modules = *modules;
  *modules = (struct code_modules){.items = {0}};
}

void definitions_free(struct definitions *definitions)
{
  pthread_mutex_destroy(&definitions->lock);
  hash_free(&definitions->by_place);
  hash_free(&definitions->java_fields);
  vector_free(&definitions->regions);
  code_modules_free(&definitions->modules);
  for (uint32_t i = 0; definitions->classes != NULL && i < definitions->plan->processes.count; i++)
    free(definitions->classes[i]);
  for (uint32_t i = 0; definitions->callers != NULL && i < definitions->plan->processes.count; i++)
    free(definitions->callers[i]);
  for (uint32_t i = 0; definitions->user_refs != NULL && i < definitions->plan->processes.count; i++)
    free(definitions->user_refs[i]);
  free(definitions->classes);
  free(definitions->callers);
  free(definitions->user_refs);
  vector_free(&definitions->user_attributes);
  string_table_free(&definitions->user_attribute_names);
  string_table_free(&definitions->strings);
  string_table_free(&definitions->calls);
}

struct class_use definitions_class(const struct definitions *definitions, uint32_t process, uint64_t id)
{
  if (definitions->classes == NULL || definitions->classes[process] == NULL ||
      id - 1 >= definitions->plan->processes.items[process].info.java.classes.count)
    return (struct class_use){.name = STRING_EMPTY, .waiting = C_PARK};
  return definitions->classes[process][id - 1];
}

uint32_t definitions_java_object(const struct definitions *definitions, uint32_t process, uint64_t object)
{
  const uint64_t *known = hash_find(&definitions->java_fields, object_key(process, object));
  return known != NULL ? (uint32_t)*known : definitions_class(definitions, process, object >> 32).name;
}

uint32_t definitions_string(struct definitions *definitions, const char *text)
{
  pthread_mutex_lock(&definitions->lock);
  uint32_t ref = string_ref(definitions, text);
  pthread_mutex_unlock(&definitions->lock);
  return ref;
}

void definitions_text(struct definitions *definitions, uint32_t ref, char *text, size_t size)
{
  pthread_mutex_lock(&definitions->lock);
  snprintf(text, size, "%s", definitions->strings.items.items[ref]);
  pthread_mutex_unlock(&definitions->lock);
}

bool definitions_idles(const struct definitions *definitions, uint32_t process, uint64_t code)
{
  const struct java_place *place = NULL;
  if ((code & RAW_CODE_PLACE) != 0)
    place = java_place(&definitions->plan->processes.items[process].info.java, code & ~RAW_CODE_PLACE);
  return place != NULL && place->idles;
}

uint32_t definitions_callers(const struct definitions *definitions, uint32_t process, uint64_t code)
{
  uint64_t id = code & ~RAW_CODE_PLACE;
  if ((code & RAW_CODE_PLACE) == 0 || definitions->callers == NULL || definitions->callers[process] == NULL ||
      id - 1 >= definitions->plan->processes.items[process].info.java.places.count)
    return STRING_EMPTY;
  return definitions->callers[process][id - 1];
}

void region_cache_clear(struct region_cache *cache)
{
  memset(cache, 0, sizeof *cache); /* no key is 0 */
}

uint32_t definitions_module(struct definitions *definitions, const struct module *module)
{
  char *name;
  if (asprintf(&name, "%s\n%s", module->build_id, module->path) < 0)
    return MODULE_NONE;
  struct code_modules *modules = &definitions->modules;
  uint32_t number = string_table_number(&modules->names, name);
  free(name);
  if (number < modules->items.count || number == STRING_TABLE_NONE)
    return number;
  struct code_module new = {.path = modules->names.items.items[number] + strlen(module->build_id) + 1};
  new.symbols = strcmp(new.path, VDSO_NAME) == 0 ? kernel_page_symbols(definitions->trace_fd, module->build_id)
                                                 : module_search(definitions->roots, new.path, module->build_id);
  if (vector_push(&modules->items, new))
    return number;
  symbols_close(new.symbols);
  atomic_store(&definitions->out_of_memory, true);
  return MODULE_NONE;
}

static uint64_t hash_region(const struct region *region)
{
  uint64_t hash = hash_mix(region->construct + 1);
  if (region->place.line != 0 || region->java || region->user)
    return hash_text(hash_text(hash_mix(hash ^ region->place.line), region->place.file), region->place.function);
  return hash_mix(hash ^ hash_mix(region->offset + hash_mix(region->module)));
}

static bool is_same_region(const struct region *a, const struct region *b)
{
  if (a->construct != b->construct || a->java != b->java || a->user != b->user || a->unloaded != b->unloaded ||
      a->place.line != b->place.line)
    return false;
  if (a->place.line != 0 || a->java || a->user)
    return strcmp(a->place.file, b->place.file) == 0 && strcmp(a->place.function, b->place.function) == 0;
  return a->module == b->module && a->offset == b->offset;
}

static uint32_t region_number(struct definitions *definitions, struct region region)
{
  if (definitions->regions.count >= REGIONS_MAX && (region.module != MODULE_NONE || region.java || region.user))
    region = (struct region){
        .construct = region.construct, .module = MODULE_NONE, .place = {.function = "", .file = "", .line = 0}};
  uint64_t key = hash_region(&region);
  uint64_t *known = hash_find(&definitions->by_place, key);
  for (; known != NULL; known = hash_find(&definitions->by_place, ++key))
    if (is_same_region(&definitions->regions.items[*known], &region))
      return (uint32_t)*known;
  if (!vector_push(&definitions->regions, region) ||
      hash_add(&definitions->by_place, key, definitions->regions.count - 1) == NULL) {
    atomic_store(&definitions->out_of_memory, true);
    return 0;
  }
  return (uint32_t)(definitions->regions.count - 1);
}

/* Code or data of a process: in which module, and where in that one's own addresses. With the lock. */
struct located {
  uint32_t found;  /* MODULE_MAP_UNKNOWN: in a library that was unloaded */
  bool runtime;    /* an OpenMP runtime's; the module is not looked at */
  uint32_t module; /* MODULE_NONE: unknown */
  uint64_t offset; /* without a module the address */
  struct symbols *symbols;
};

static struct located locate(struct definitions *definitions, uint32_t process, uint64_t code)
{
  const struct module_list *modules = &definitions->plan->processes.items[process].info.modules;
  struct located at = {.found = MODULE_MAP_NONE, .module = MODULE_NONE, .offset = code};
  if (code != 0)
    at.found = module_map_find(&modules->map, code, &at.offset);
  if (at.found >= MODULE_MAP_UNKNOWN)
    return at;
  const struct module *module = &modules->modules.items[at.found];
  if ((at.runtime = code_is_runtime(module)))
    return at;
  at.module = definitions_module(definitions, module);
  at.offset -= module->base;
  if (at.module != MODULE_NONE)
    at.symbols = definitions->modules.items.items[at.module].symbols;
  return at;
}

/* The region of a construct in machine code at an address; REGION_NONE: the address is a runtime's. */
static uint32_t region_at(struct definitions *definitions, uint32_t process, enum construct construct, uint64_t code)
{
  uint32_t number = REGION_NONE;
  pthread_mutex_lock(&definitions->lock);
  struct located at = locate(definitions, process, code);
  if (!at.runtime) {
    struct region region = {.construct = construct,
                            .module = at.module,
                            .offset = at.offset,
                            .unloaded = at.found == MODULE_MAP_UNKNOWN,
                            .place = {.function = "", .file = ""}};
    if (at.symbols != NULL)
      region.place = symbols_find(at.symbols, at.offset);
    number = region_number(definitions, region);
  }
  pthread_mutex_unlock(&definitions->lock);
  return number;
}

/* The region of a function of instrumented code, also of a runtime's. */
static uint32_t region_of_function(struct definitions *definitions, uint32_t process, uint64_t code)
{
  struct code_place at = definitions_code(definitions, process, code);
  const struct code_function *function = &at.function;
  struct region region = {.construct = C_CALL,
                          .module = at.home.module,
                          .offset = at.offset,
                          .place = {.function = function->name != NULL ? function->name : "",
                                    .file = function->file,
                                    .line = function->line}};
  pthread_mutex_lock(&definitions->lock);
  uint32_t number = region_number(definitions, region);
  pthread_mutex_unlock(&definitions->lock);
  return number;
}

struct source_place definitions_place(struct definitions *definitions, uint32_t process, uint64_t code)
{
  struct source_place place = {.function = "", .file = ""};
  pthread_mutex_lock(&definitions->lock);
  struct located at = locate(definitions, process, code);
  if (at.symbols != NULL)
    place = symbols_find(at.symbols, at.offset);
  pthread_mutex_unlock(&definitions->lock);
  return place;
}

const char *definitions_object(struct definitions *definitions, uint32_t process, uint64_t address, uint64_t *into)
{
  pthread_mutex_lock(&definitions->lock);
  struct located at = locate(definitions, process, address);
  const char *name = at.symbols != NULL ? symbols_object(at.symbols, at.offset, into) : NULL;
  pthread_mutex_unlock(&definitions->lock);
  return name;
}

bool definitions_variable(struct definitions *definitions, uint32_t process, uint64_t address, char *name, size_t size)
{
  pthread_mutex_lock(&definitions->lock);
  struct located at = locate(definitions, process, address);
  bool known = at.symbols != NULL && symbols_variable(at.symbols, at.offset, name, size);
  pthread_mutex_unlock(&definitions->lock);
  return known;
}

/* The same at a place of the process file. */
static uint32_t region_in_java(struct definitions *definitions, uint32_t process, enum construct construct, uint64_t id)
{
  const struct java_place *place = java_place(&definitions->plan->processes.items[process].info.java, id);
  struct region region = {.construct = construct, .module = MODULE_NONE, .place = {.function = "", .file = ""}};
  if (place != NULL) {
    region.java = true;
    region.place = (struct source_place){.function = place->method, .file = place->file, .line = place->line};
  }
  pthread_mutex_lock(&definitions->lock);
  uint32_t number = region_number(definitions, region);
  pthread_mutex_unlock(&definitions->lock);
  return number;
}

/* The same with a name that the program gave. */
static uint32_t region_of_user(struct definitions *definitions, uint32_t process, enum construct construct, uint64_t id)
{
  const char *name = user_name(&definitions->plan->processes.items[process].info.names, id);
  struct region region = {.construct = construct, .module = MODULE_NONE, .user = true, .place = {.file = ""}};
  region.place.function = name != NULL ? name : construct_facts[construct].name;
  pthread_mutex_lock(&definitions->lock);
  uint32_t number = region_number(definitions, region);
  pthread_mutex_unlock(&definitions->lock);
  return number;
}

/* The same in a system call. */
static uint32_t region_of_call(struct definitions *definitions, enum construct construct, uint64_t call)
{
  struct region region = {.construct = construct, .module = MODULE_NONE, .user = true, .place = {.file = ""}};
  if (call > 0 && call <= definitions->calls.items.count)
    region.place.function = definitions->calls.items.items[call - 1];
  else
    region = (struct region){.construct = construct, .module = MODULE_NONE, .place = {.function = "", .file = ""}};
  pthread_mutex_lock(&definitions->lock);
  uint32_t found = region_number(definitions, region);
  pthread_mutex_unlock(&definitions->lock);
  return found;
}

/* A thread, on a processor's line: its name is known at the end. */
static uint32_t region_of_thread(struct definitions *definitions, uint64_t code)
{
  struct region region = {
      .construct = C_ON_PROCESSOR, .module = MODULE_NONE, .offset = code, .place = {.function = "", .file = ""}};
  pthread_mutex_lock(&definitions->lock);
  uint32_t found = region_number(definitions, region);
  pthread_mutex_unlock(&definitions->lock);
  return found;
}

uint32_t definitions_region_slow(struct definitions *definitions, struct region_cache *cache, uint32_t process,
                                 enum construct construct, uint64_t code)
{
  uint64_t key = region_cache_key(construct, code);
  uint32_t number = construct == C_OFF_PROCESSOR   ? region_of_call(definitions, construct, code)
                    : construct == C_ON_PROCESSOR  ? region_of_thread(definitions, code)
                    : construct_is_user(construct) ? region_of_user(definitions, process, construct, code - 1)
                    : (code & RAW_CODE_PLACE) != 0
                        ? region_in_java(definitions, process, construct, code & ~RAW_CODE_PLACE)
                    : construct_is_call(construct) ? region_of_function(definitions, process, code)
                                                   : region_at(definitions, process, construct, code);
  *region_cache_entry(cache, key) = (struct known_region){.key = key, .process = process, .region = number};
  return number;
}

uint32_t definitions_depend(struct definitions *definitions, unsigned kind, unsigned number)
{
  static const uint8_t rows[] = {
      [DEPEND_IN] = 0,     [DEPEND_OUT] = 1,  [DEPEND_INOUT] = 2,   [DEPEND_MUTEXINOUTSET] = 3,
      [DEPEND_SOURCE] = 6, [DEPEND_SINK] = 6, [DEPEND_INOUTSET] = 4};
  unsigned row = kind == DEPEND_OUT_ALL_MEMORY || kind == DEPEND_INOUT_ALL_MEMORY ? 5
                 : kind >= DEPEND_IN && kind <= DEPEND_INOUTSET                   ? rows[kind]
                                                                                  : 6;
  unsigned column = number < DEPEND_NUMBERS ? number : 0;
  atomic_uint *ref = &definitions->depend_refs[row][column];
  if (atomic_load_explicit(ref, memory_order_relaxed) == 0) {
    pthread_mutex_lock(&definitions->lock);
    if (atomic_load(ref) == 0) {
      definitions->depends[definitions->depend_count] =
          (struct depend){.kind = (uint16_t)row, .number = (uint16_t)column, .ref = definitions->next_attribute};
      definitions->depend_count++;
      atomic_store(ref, definitions->next_attribute++);
    }
    pthread_mutex_unlock(&definitions->lock);
  }
  return atomic_load_explicit(ref, memory_order_relaxed);
}

uint32_t definitions_duration(struct definitions *definitions, unsigned bucket)
{
  atomic_uint *first = &definitions->first_duration;
  if (atomic_load_explicit(first, memory_order_relaxed) == 0) {
    pthread_mutex_lock(&definitions->lock);
    if (atomic_load(first) == 0) {
      atomic_store(first, definitions->next_attribute);
      definitions->next_attribute += RAW_ROW_BUCKETS;
    }
    pthread_mutex_unlock(&definitions->lock);
  }
  return atomic_load_explicit(first, memory_order_relaxed) + bucket;
}

/* The attribute of that name and type, which is new or known, perhaps from another process. With the lock. */
static uint32_t user_attribute(struct definitions *definitions, const char *name, enum raw_user_type type)
{
  char *key;
  if (asprintf(&key, "%c%s", '0' + (int)type, name) < 0)
    return ATTRIBUTE_NONE;
  uint32_t number = string_table_number(&definitions->user_attribute_names, key);
  free(key);
  if (number < definitions->user_attributes.count)
    return definitions->user_attributes.items[number].ref;
  struct user_attribute new = {.name = name,
                               .type = type == RAW_USER_REAL ? OTF2_TYPE_DOUBLE : OTF2_TYPE_INT64,
                               .ref = definitions->next_attribute};
  if (number == STRING_TABLE_NONE || !vector_push(&definitions->user_attributes, new)) {
    atomic_store(&definitions->out_of_memory, true);
    return ATTRIBUTE_NONE;
  }
  return definitions->next_attribute++;
}

uint32_t definitions_user_attribute(struct definitions *definitions, uint32_t process, uint64_t name,
                                    enum raw_user_type type)
{
  const char *text = user_name(&definitions->plan->processes.items[process].info.names, name);
  if (text == NULL || definitions->user_refs == NULL || definitions->user_refs[process] == NULL)
    return ATTRIBUTE_NONE;
  atomic_uint *known = &definitions->user_refs[process][(name - 1) * USER_TYPES + (type == RAW_USER_REAL)];
  uint32_t ref = atomic_load_explicit(known, memory_order_relaxed);
  if (ref != 0)
    return ref;
  pthread_mutex_lock(&definitions->lock);
  ref = user_attribute(definitions, text, type);
  pthread_mutex_unlock(&definitions->lock);
  if (ref != ATTRIBUTE_NONE)
    atomic_store_explicit(known, ref, memory_order_relaxed);
  return ref;
}

/* Places of any code, also outside of constructs. */

static bool is_library(const struct module *module, const char *name)
{
  const char *base = strrchr(module->path, '/');
  base = base == NULL ? module->path : base + 1;
  return strncmp(base, name, strlen(name)) == 0 && strstr(base, ".so") != NULL;
}

static bool is_tool(const struct module *module)
{
  return is_library(module, "libheddle-");
}

bool code_is_runtime(const struct module *module)
{
  return is_library(module, "libomp") || is_library(module, "libiomp") || is_library(module, "libgomp") ||
         is_tool(module);
}

static bool is_outlined(enum construct construct)
{
  return construct == C_PARALLEL || construct == C_TEAMS || construct == C_TASK || construct == C_TASK_UNTIED ||
         construct == C_TASKLOOP;
}

const struct region *definitions_outlined(const struct definitions *definitions, uint32_t module, uint64_t begin,
                                          const char *file, uint32_t line)
{
  for (size_t i = 0; i < definitions->regions.count; i++) {
    const struct region *region = &definitions->regions.items[i];
    const struct source_place *place = &region->place;
    if (is_outlined(region->construct) && ((line != 0 && place->line == line && strcmp(place->file, file) == 0) ||
                                           (region->module == module && region->offset == begin + 1)))
      return region;
  }
  return NULL;
}

struct code_home definitions_home(struct definitions *definitions, uint32_t process, uint32_t index)
{
  const struct module_list *modules = &definitions->plan->processes.items[process].info.modules;
  struct code_home home = {.path = NULL, .module = MODULE_NONE};
  if (index >= modules->modules.count)
    return home;
  const struct module *module = &modules->modules.items[index];
  pthread_mutex_lock(&definitions->lock);
  uint32_t number = definitions_module(definitions, module);
  home = (struct code_home){
      .path = module->path, .base = module->base, .runtime = code_is_runtime(module), .tool = is_tool(module)};
  if (number != MODULE_NONE) {
    home.module = number;
    home.symbols = definitions->modules.items.items[number].symbols;
  }
  pthread_mutex_unlock(&definitions->lock);
  return home;
}

/* A method's begin. */
static struct code_place code_in_java(const struct definitions *definitions, uint32_t process, uint64_t code)
{
  const struct java_place *place =
      java_place(&definitions->plan->processes.items[process].info.java, code & ~RAW_CODE_PLACE);
  struct code_place at = {.home = {.module = MODULE_NONE}, .function = {.file = ""}, .file = "", .java = true};
  if (place == NULL)
    return at;
  at.function = (struct code_function){.name = place->method, .file = place->file, .line = place->line};
  at.file = place->file;
  at.line = place->line;
  return at;
}

struct code_place definitions_code(struct definitions *definitions, uint32_t process, uint64_t code)
{
  if ((code & RAW_CODE_PLACE) != 0)
    return code_in_java(definitions, process, code);
  const struct module_list *modules = &definitions->plan->processes.items[process].info.modules;
  struct code_function functions[CODE_FUNCTIONS_MOST] = {{.file = ""}};
  uint64_t address = code;
  uint32_t index = code != 0 ? module_map_find(&modules->map, code, &address) : MODULE_MAP_NONE;
  struct code_place place = {.home = definitions_home(definitions, process, index)};
  unsigned count = 1;
  place.offset = address - place.home.base;
  pthread_mutex_lock(&definitions->lock);
  if (place.home.symbols != NULL)
    count = symbols_code(place.home.symbols, place.offset, functions);
  pthread_mutex_unlock(&definitions->lock);
  place.function = functions[0];
  place.file = functions[count - 1].file;
  place.line = functions[count - 1].line;
  return place;
}
