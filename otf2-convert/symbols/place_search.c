#include "otf2-convert/symbols/place_search.h"

#include "common/raw/archive_names.h"
#include "otf2-convert/symbols/symbol_names.h"
#include "otf2-convert/symbols/symbols.h"
#include "otf2-convert/symbols/symbols_tables.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MODULE_SIZE            300
#define PLACE_SEARCH_NAME_SIZE 1024

struct place {
  const char *text;
  size_t file_size;     /* of the text; all of it, where it has no line */
  uint32_t first, last; /* lines; all */
  bool has_line;
  bool is_section;   /* it is the name of a critical section */
  uint64_t from, to; /* the range that grows; empty: none */
};

struct search {
  struct place *places;
  size_t count;
  struct symbols *symbols;
  bool *files;              /* by number: whether a place may be in it */
  char module[MODULE_SIZE]; /* build id or name */
  FILE *out;
};

/* FILE:LINE or FILE:LINE-LINE. False: it is not. */
static bool take_lines(struct place *place)
{
  char *end;
  const char *colon = strrchr(place->text, ':');
  if (colon == NULL || colon == place->text || colon[1] < '0' || colon[1] > '9')
    return false;
  unsigned long first = strtoul(colon + 1, &end, 10), last = first;
  if (*end == '-' && end[1] >= '0' && end[1] <= '9')
    last = strtoul(end + 1, &end, 10);
  if (*end != '\0' || first > last || last > LINE_MAX)
    return false;
  place->file_size = (size_t)(colon - place->text);
  place->first = (uint32_t)first;
  place->last = (uint32_t)last;
  return true;
}

static struct place read_place(const char *text)
{
  struct place place = {.text = text, .file_size = strlen(text), .last = UINT32_MAX};
  place.is_section = strncmp(text, NAME_SECTION_LOCK, strlen(NAME_SECTION_LOCK)) == 0;
  place.has_line = !place.is_section && take_lines(&place);
  return place;
}

static bool is_in_file(const struct place *place, const char *path)
{
  size_t size = strlen(path);
  return size >= place->file_size && memcmp(path + size - place->file_size, place->text, place->file_size) == 0 &&
         (size == place->file_size || path[size - place->file_size - 1] == '/');
}

static void end_range(const struct search *search, size_t number)
{
  struct place *place = &search->places[number];
  if (place->from < place->to)
    fprintf(search->out, "%zu %s+%" PRIx64 "-%" PRIx64 "\n", number, search->module, place->from, place->to);
  place->from = place->to = 0;
}

static void place_search_add_range(const struct search *search, size_t number, uint64_t from, uint64_t to)
{
  struct place *place = &search->places[number];
  if (place->to != from) {
    end_range(search, number);
    place->from = from;
  }
  place->to = to;
}

/* A function of these addresses: return addresses in it, and where it begins, which constructs have for a place. */
static void add_if_named(const struct search *search, const char *name, uint64_t low, uint64_t high)
{
  const char *plain = symbols_plain_name(search->symbols, name);
  for (size_t i = 0; i < search->count; i++)
    if (!search->places[i].has_line && !search->places[i].is_section && strcmp(search->places[i].text, plain) == 0)
      place_search_add_range(search, i, low + 1, high + 1);
}

static bool has_file(const struct search *search, const struct function *function)
{
  const struct line_row *row = symbols_line(search->symbols, function->low);
  const struct line_row *end = search->symbols->lines.items + search->symbols->lines.count;
  for (; row != NULL && row < end && row->address < function->high; row++)
    if (row->file != STRING_TABLE_NONE && search->files[row->file])
      return true;
  return false;
}

static void place_search_add_lines(const struct search *search, const struct function *function)
{
  if (!has_file(search, function))
    return;
  for (uint64_t offset = function->low + 1; offset <= function->high; offset++) {
    struct source_place found = symbols_find(search->symbols, offset);
    for (size_t i = 0; i < search->count; i++)
      if (found.line >= search->places[i].first && found.line <= search->places[i].last &&
          is_in_file(&search->places[i], found.file))
        place_search_add_range(search, i, offset, offset + 1);
  }
}

/* A critical section's variable is the same for all its places, and a program may have one for each module. */
static void add_if_section(const struct search *search, const char *variable, uint64_t low, uint64_t high)
{
  char name[PLACE_SEARCH_NAME_SIZE];
  if (!section_name(variable, name, sizeof name))
    return;
  for (size_t i = 0; i < search->count; i++)
    if (search->places[i].is_section && strcmp(search->places[i].text, name) == 0)
      place_search_add_range(search, i, low, high);
}

static void add_symbols(const struct search *search)
{
  int count = dwfl_module_getsymtab(search->symbols->module);
  for (int i = 0; i < count; i++) {
    GElf_Sym symbol;
    const char *name = dwfl_module_getsym(search->symbols->module, i, &symbol, NULL);
    if (name == NULL || symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0)
      continue;
    uint64_t low = symbol.st_value, high = symbol.st_value + symbol.st_size;
    if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbols_function(search->symbols, low) == NULL)
      add_if_named(search, name, low, high);
    else if (GELF_ST_TYPE(symbol.st_info) == STT_OBJECT)
      add_if_section(search, name, low, high);
  }
}

#define GAP_MOST 15 /* bytes between functions that lie together */

static void place_search_add_function(const struct search *search, size_t number, uint64_t low, uint64_t high)
{
  struct place *place = &search->places[number];
  bool near = place->from < place->to && low >= place->to && low - place->to <= GAP_MOST;
  place_search_add_range(search, number, near ? place->to : low, high);
}

/* The name of the source is meant, or that with namespaces and classes. */
static bool is_named(const struct search *search, const char *pattern, const char *plain, uint64_t low)
{
  struct code_function functions[CODE_FUNCTIONS_MOST] = {{.file = ""}};
  if (fnmatch(pattern, plain, 0) == 0)
    return true;
  symbols_code(search->symbols, low + 1, functions);
  return functions[0].name != NULL && fnmatch(pattern, functions[0].name, 0) == 0;
}

/* A function whose entry is in a source file, or whose name is of a pattern; row: the entry's, or NULL. */
static void add_function_if_meant(const struct search *search, const char *name, const struct line_row *row,
                                  uint64_t low, uint64_t high)
{
  const char *plain = symbols_plain_name(search->symbols, name);
  const char *file = row != NULL && row->file != STRING_TABLE_NONE ? search->symbols->files.items.items[row->file] : "";
  for (size_t i = 0; i < search->count; i++) {
    const char *text = search->places[i].text;
    struct place of_file = {.text = text + 1, .file_size = strlen(text + 1)};
    if (text[0] == '@' ? is_in_file(&of_file, file) : is_named(search, text, plain, low))
      place_search_add_function(search, i, low, high);
  }
}

static void add_symbol_functions(const struct search *search)
{
  int count = dwfl_module_getsymtab(search->symbols->module);
  for (int i = 0; i < count; i++) {
    GElf_Sym symbol;
    const char *name = dwfl_module_getsym(search->symbols->module, i, &symbol, NULL);
    if (name != NULL && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
        symbols_function(search->symbols, symbol.st_value) == NULL)
      add_function_if_meant(search, name, NULL, symbol.st_value, symbol.st_value + (symbol.st_size | 1));
  }
}

static void name_module(struct search *search, const char *path)
{
  const unsigned char *id;
  GElf_Addr address;
  int size = dwfl_module_build_id(search->symbols->module, &id, &address);
  const char *slash = strrchr(path, '/');
  snprintf(search->module, sizeof search->module, "%s", slash != NULL ? slash + 1 : path);
  for (int i = 0; i < size && 2 * (size_t)i + 2 < sizeof search->module; i++)
    snprintf(search->module + 2 * i, 3, "%02x", id[i]);
}

/* False: out of memory. */
static bool note_files(struct search *search)
{
  const struct string_table *files = &search->symbols->files;
  search->files = calloc(files->items.count + 1, sizeof *search->files);
  for (size_t i = 0; search->files != NULL && i < files->items.count; i++)
    for (size_t n = 0; n < search->count && !search->files[i]; n++)
      search->files[i] = is_in_file(&search->places[n], files->items.items[i]);
  return search->files != NULL;
}

static bool search_module(struct search *search, const char *path)
{
  search->symbols = symbols_open(path, "-");
  if (search->symbols == NULL)
    return true;
  name_module(search, path);
  bool good = note_files(search);
  for (size_t i = 0; good && i < search->symbols->functions.count; i++) {
    const struct function *function = &search->symbols->functions.items[i];
    add_if_named(search, function->name, function->low, function->high);
    place_search_add_lines(search, function);
  }
  if (good)
    add_symbols(search);
  for (size_t i = 0; i < search->count; i++)
    end_range(search, i);
  free(search->files);
  symbols_close(search->symbols);
  return good;
}

static void search_functions(struct search *search, const char *path)
{
  search->symbols = symbols_open(path, "-");
  if (search->symbols == NULL)
    return;
  name_module(search, path);
  for (size_t i = 0; i < search->symbols->functions.count; i++) {
    const struct function *function = &search->symbols->functions.items[i];
    add_function_if_meant(search, function->name, symbols_line(search->symbols, function->low), function->low,
                          function->high);
  }
  add_symbol_functions(search);
  for (size_t i = 0; i < search->count; i++)
    end_range(search, i);
  symbols_close(search->symbols);
}

bool function_search(char **modules, size_t module_count, char **patterns, size_t pattern_count, FILE *out)
{
  struct search search = {
      .places = calloc(pattern_count + 1, sizeof *search.places), .count = pattern_count, .out = out};
  for (size_t i = 0; search.places != NULL && i < pattern_count; i++)
    search.places[i].text = patterns[i];
  for (size_t i = 0; search.places != NULL && i < module_count; i++)
    search_functions(&search, modules[i]);
  bool good = search.places != NULL;
  free(search.places);
  return good;
}

bool place_search(char **modules, size_t module_count, char **places, size_t place_count, FILE *out)
{
  struct search search = {.places = calloc(place_count + 1, sizeof *search.places), .count = place_count, .out = out};
  bool good = search.places != NULL;
  for (size_t i = 0; good && i < place_count; i++)
    search.places[i] = read_place(places[i]);
  for (size_t i = 0; good && i < module_count; i++)
    good = search_module(&search, modules[i]);
  free(search.places);
  return good;
}
