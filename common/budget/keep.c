#include "common/budget/keep.h"

#include "common/process/codes.h"
#include "common/process/diag.h"
#include "common/process/modules.h"
#include "common/process/reserved.h"
#include "common/raw/archive_names.h"
#include "common/raw/raw_trace.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define RANGES   8192u
#define NAMES    64u
#define SECTIONS 64u
#define NUMBERS  65536u /* largest number of a name or a place of Java: no code has such low addresses */

struct piece {
  const char *at;
  size_t size;
};

struct range {
  struct piece module;
  uint64_t from, to; /* addresses of the module's own */
  bool section;      /* a variable, not code */
};

static struct {
  struct range ranges[RANGES];
  struct piece names[NAMES];
  uintptr_t sections[SECTIONS]; /* variables */
  uint32_t range_count, name_count, section_count;
  _Atomic uint64_t numbers[NUMBERS / 64]; /* a bit for each */
  _Atomic uint64_t java[NUMBERS / 64];
} kept;

static bool take_hex(const char **at, const char *end, uint64_t *number)
{
  const char *begin = *at;
  *number = 0;
  for (; *at < end && *at - begin < 16; (*at)++) {
    char c = **at;
    if (c >= '0' && c <= '9')
      *number = *number << 4 | (uint64_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
      *number = *number << 4 | (uint64_t)(c - 'a' + 10);
    else
      break;
  }
  return *at > begin;
}

/* MODULE+FROM-TO */
static bool take_range(const char *text, size_t size, bool section)
{
  const char *plus = memrchr(text, '+', size), *at = plus ? plus + 1 : NULL, *end = text + size;
  struct range range = {.module = {text, plus ? (size_t)(plus - text) : 0}, .section = section};
  if (plus == text && kept.range_count > 0)
    range.module = kept.ranges[kept.range_count - 1].module;
  if (!plus || range.module.size == 0 || !take_hex(&at, end, &range.from) || at == end || *at++ != '-' ||
      !take_hex(&at, end, &range.to) || at != end || kept.range_count == RANGES)
    return false;
  kept.ranges[kept.range_count++] = range;
  return true;
}

static bool take_ranges(const char *text, const char *end, bool section)
{
  for (const char *comma; text < end; text = comma + 1) {
    comma = memchr(text, ',', (size_t)(end - text));
    comma = comma ? comma : end;
    if (!take_range(text, (size_t)(comma - text), section))
      return false;
  }
  return true;
}

/* True if a place has a source line, as in solver.c:42. */
static bool has_line(const char *text, size_t size)
{
  const char *colon = memrchr(text, ':', size);
  return colon && colon > text && (size_t)(colon - text) + 1 < size &&
         strspn(colon + 1, "0123456789-") >= size - (size_t)(colon - text) - 1;
}

/* An entry of a list that ends in a zero; *end is one, too. */
static void take_entry(char *text, char *end)
{
  const char *at = memrchr(text, '@', (size_t)(end - text));
  size_t size = (size_t)((at ? at : end) - text);
  bool section = strncmp(text, NAME_SECTION_LOCK, sizeof NAME_SECTION_LOCK - 1) == 0;
  *end = '\0';
  if (at && !take_ranges(at + 1, end, section))
    diag_say("HEDDLE_KEEP: ", text, ": cannot be read; `heddle record --keep` makes such entries", NULL);
  else if (!at && section)
    diag_say("HEDDLE_KEEP: ", text, ": only `heddle record` finds critical sections; not kept", NULL);
  else if (!at && has_line(text, size) && !keep_java_source(text))
    diag_say("HEDDLE_KEEP: ", text, ": only `heddle record` finds source lines; not kept", NULL);
  text[size] = '\0';
  if (size > 0 && kept.name_count < NAMES)
    kept.names[kept.name_count++] = (struct piece){text, size};
}

void keep_begin(const char *list)
{
  size_t size = list ? strlen(list) : 0;
  char *text = size > 0 ? reserved_make(size + 1) : NULL;
  if (!text || !reserved_use(text, size + 1))
    return;
  memcpy(text, list, size); /* it lies in the environment, which the program may change */
  for (char *end, *all = text + size; text < all; text = end + 1) {
    end = strchrnul(text, ';');
    if (end > text)
      take_entry(text, end);
  }
}

bool keep_has_name(const char *name, size_t length)
{
  for (uint32_t i = 0; i < kept.name_count; i++)
    if (kept.names[i].size == length && memcmp(kept.names[i].at, name, length) == 0)
      return true;
  return false;
}

static void add(_Atomic uint64_t *bits, uint64_t number)
{
  if (number < NUMBERS)
    atomic_fetch_or(&bits[number / 64], 1ull << number % 64);
}

static bool has(const _Atomic uint64_t *bits, uint64_t number)
{
  return number < NUMBERS && atomic_load_explicit(&bits[number / 64], memory_order_relaxed) >> number % 64 & 1;
}

void keep_add_number(uint32_t number)
{
  add(kept.numbers, number);
}

void keep_add_java(uint32_t number, const struct keep_java *place)
{
  for (uint32_t i = 0; i < kept.name_count; i++)
    if (keep_java_is(place, kept.names[i].at))
      add(kept.java, number);
}

bool keep_has_java(uint64_t number)
{
  return has(kept.java, number);
}

static bool has_id(const struct piece *module, const unsigned char *id, size_t size)
{
  if (size == 0 || module->size != 2 * size)
    return false;
  for (size_t i = 0; i < size; i++) {
    static const char digits[] = "0123456789abcdef";
    if (module->at[2 * i] != digits[id[i] >> 4] || module->at[2 * i + 1] != digits[id[i] & 15])
      return false;
  }
  return true;
}

static bool has_path(const struct piece *module, const char *path)
{
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  return strlen(base) == module->size && memcmp(base, module->at, module->size) == 0;
}

static bool is_of(const struct range *range, const struct loaded_module *module)
{
  return has_id(&range->module, module->id, module->id_size) || has_path(&range->module, module->path);
}

static void find_sections(struct loaded_module *module, void *unused)
{
  (void)unused;
  for (uint32_t i = 0; i < kept.range_count && kept.section_count < SECTIONS; i++) {
    uintptr_t variable = module->base + kept.ranges[i].from;
    if (kept.ranges[i].section && is_of(&kept.ranges[i], module) && variable >= module->start &&
        variable < module->end && module->end - variable >= sizeof variable)
      kept.sections[kept.section_count++] = variable;
  }
}

void keep_find_sections(void)
{
  kept.section_count = 0;
  for (uint32_t i = 0; i < kept.range_count && kept.section_count == 0; i++)
    if (kept.ranges[i].section)
      modules_visit(find_sections, NULL);
}

/* Locks that libomp has in the variable itself have odd numbers there. */
static bool points_to(uintptr_t variable, uintptr_t lock)
{
  if (variable % sizeof(uintptr_t) != 0)
    return false;
  uintptr_t there = __atomic_load_n((const uintptr_t *)variable, __ATOMIC_ACQUIRE);
  return there != 0 && there % sizeof(uintptr_t) == 0 && *(const uintptr_t *)there == lock;
}

bool keep_has_section(uint64_t lock, bool pointers)
{
  for (uint32_t i = 0; i < kept.section_count; i++)
    if (kept.sections[i] == lock || (pointers && points_to(kept.sections[i], lock)))
      return true;
  return false;
}

struct search {
  uintptr_t code;
  bool found;
};

static void search_module(struct loaded_module *module, void *context)
{
  struct search *search = context;
  uint64_t offset = search->code - module->base;
  for (uint32_t i = 0; i < kept.range_count && !search->found; i++) {
    const struct range *range = &kept.ranges[i];
    search->found = !range->section && offset >= range->from && offset < range->to && is_of(range, module);
  }
}

bool keep_has(uint64_t place, enum budget_class class)
{
  struct search search = {.code = (uintptr_t)place};
  if (class == BUDGET_USER)
    return has(kept.numbers, place);
  if (place < NUMBERS)
    return keep_has_java(place);
  if (kept.range_count == 0 || place & RAW_CODE_PLACE || codes_of((uintptr_t)place) == 0)
    return false;
  modules_find((uintptr_t)place, search_module, &search);
  return search.found;
}
