#include "otf2-convert/symbols.h"

#include "otf2-convert/vector.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NONE UINT32_MAX

struct line_row {
  uint64_t address;
  uint32_t line; /* 0: the end of a sequence */
  uint32_t file;
};

struct function {
  uint64_t low, high;
  const char *name; /* the DWARF's */
};

struct symbols {
  Dwfl *dwfl;
  Dwfl_Module *module;
  VECTOR(struct line_row) lines;
  VECTOR(char *) files;
  VECTOR(struct function) functions;
  VECTOR(char *) names; /* handed out */
};

static char *no_debuginfo_path;
static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                         .find_debuginfo = dwfl_standard_find_debuginfo,
                                         .section_address = dwfl_offline_section_address,
                                         .debuginfo_path = &no_debuginfo_path};

static bool ends_with(const char *text, size_t n, const char *suffix)
{
  size_t m = strlen(suffix);
  return n >= m && memcmp(text + n - m, suffix, m) == 0;
}

/* Cuts "<mark><digits>" or "<mark>" off the end. */
static bool cut(char *name, const char *mark, bool numbered)
{
  size_t n = strlen(name), digits = 0;
  while (numbered && digits < n && name[n - digits - 1] >= '0' && name[n - digits - 1] <= '9')
    digits++;
  if ((numbered && digits == 0) || !ends_with(name, n - digits, mark) || n - digits == strlen(mark))
    return false;
  name[n - digits - strlen(mark)] = 0;
  return true;
}

/* gfortran: __module_MOD_procedure; name_ of an external procedure. flang: _QMmodulePprocedure, _QPprocedure, _QQmain.
 */
static void undo_fortran(char *name)
{
  char *at;
  if (strncmp(name, "__", 2) == 0 && (at = strstr(name + 2, "_MOD_")) != NULL && at > name + 2) {
    memmove(at + 2, at + 5, strlen(at + 5) + 1);
    at[0] = at[1] = ':';
    memmove(name, name + 2, strlen(name + 2) + 1);
  } else if (strcmp(name, "_QQmain") == 0) {
    strcpy(name, "main");
  } else if (strncmp(name, "_QM", 3) == 0 && (at = strchr(name + 3, 'P')) != NULL && at > name + 3) {
    size_t module = (size_t)(at - (name + 3)), rest = strlen(at + 1) + 1;
    memmove(name, name + 3, module);
    char *to = name + module; /* three bytes went, two come: it fits */
    memmove(to + 2, at + 1, rest);
    to[0] = to[1] = ':';
  } else if (strncmp(name, "_QP", 3) == 0 && name[3] != 0) {
    memmove(name, name + 3, strlen(name + 3) + 1);
  } else {
    size_t n = strlen(name);
    if (n > 1 && name[n - 1] == '_' && name[n - 2] != '_' && name[0] != '_')
      name[n - 1] = 0;
  }
}

void symbols_plain_name(char *name)
{
  static const struct {
    const char *mark;
    bool numbered;
  } marks[] = {{".cold", false},           {".constprop.", true},
               {".isra.", true},           {".part.", true},
               {"._omp_fn.", true},        {"._loopfn.", true},
               {"._omp_cpyfn.", true},     {".omp_outlined", false},
               {".omp_outlined.", true},   {"_debug__", false},
               {"..omp_par.", true},       {"..omp_par", false},
               {".omp_par.", true},        {".omp_task_entry.", true},
               {".omp_task_entry", false}, {".omp_outlined_debug__", false},
               {".lto_priv.", true},       {".llvm.", true}};
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
      again = cut(name, marks[i].mark, marks[i].numbered) || again;
    if (!again && ends_with(name, strlen(name), ".omp_outlined."))
      again = (name[strlen(name) - 1] = 0, true);
  }
  undo_fortran(name);
}

static int by_address(const void *a, const void *b)
{
  const struct line_row *x = a, *y = b;
  if (x->address != y->address)
    return x->address < y->address ? -1 : 1;
  return (x->line != 0) - (y->line != 0); /* an end before the begin of what follows */
}

static int by_low(const void *a, const void *b)
{
  const struct function *x = a, *y = b;
  if (x->low != y->low)
    return x->low < y->low ? -1 : 1;
  return x->high > y->high ? -1 : x->high < y->high;
}

/* The number of a file name; the libraries hand out the same pointer for the same file of a unit, mostly in runs. */
static uint32_t file_number(struct symbols *symbols, const char *name, const char *directory)
{
  char path[4096];
  if (name[0] == '/' || directory == NULL)
    snprintf(path, sizeof path, "%s", name);
  else
    snprintf(path, sizeof path, "%s/%s", directory, name);
  for (size_t i = symbols->files.count; i-- > 0;)
    if (strcmp(symbols->files.items[i], path) == 0)
      return (uint32_t)i;
  char *copy = strdup(path);
  if (copy == NULL || !vector_push(&symbols->files, copy)) {
    free(copy);
    return FILE_NONE;
  }
  return (uint32_t)(symbols->files.count - 1);
}

static void add_lines(struct symbols *symbols, Dwarf_Die *unit, Dwarf_Addr bias)
{
  Dwarf_Lines *lines;
  size_t count;
  const char *last = NULL;
  uint32_t number = FILE_NONE;
  Dwarf_Attribute attribute;
  const char *directory = dwarf_formstring(dwarf_attr_integrate(unit, DW_AT_comp_dir, &attribute));
  if (dwarf_getsrclines(unit, &lines, &count) != 0)
    return;
  for (size_t i = 0; i < count; i++) {
    Dwarf_Line *line = dwarf_onesrcline(lines, i);
    Dwarf_Addr address;
    int row = 0;
    bool end = false;
    const char *name = dwarf_linesrc(line, NULL, NULL);
    if (line == NULL || name == NULL || dwarf_lineaddr(line, &address) != 0)
      continue;
    dwarf_lineno(line, &row);
    dwarf_lineendsequence(line, &end);
    if (row == 0 && !end)
      continue; /* code that the compiler made up: the line before it goes on */
    if (name != last)
      number = file_number(symbols, last = name, directory);
    struct line_row new = {.address = address + bias, .line = end || row < 0 ? 0 : (uint32_t)row, .file = number};
    if (!vector_push(&symbols->lines, new))
      return;
  }
}

static int add_function(Dwarf_Die *die, void *argument)
{
  struct symbols *symbols = argument;
  Dwarf_Addr base, low, high;
  ptrdiff_t at = 0;
  Dwarf_Attribute attribute;
  const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
  const char *plain = dwarf_diename(die);
  /* The source's own name, but where only the linkage name tells the module. */
  if (plain != NULL && (name == NULL || strstr(name, "_MOD_") == NULL) &&
      (name == NULL || strncmp(name, "_QM", 3) != 0))
    name = plain;
  while (name != NULL && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
    struct function function = {.low = low, .high = high, .name = name};
    if (low < high && !vector_push(&symbols->functions, function))
      return DWARF_CB_ABORT;
  }
  return DWARF_CB_OK;
}

static void read_debug_info(struct symbols *symbols)
{
  Dwarf_Addr bias = 0;
  Dwarf *dwarf = dwfl_module_getdwarf(symbols->module, &bias);
  Dwarf_Off offset = 0, next;
  size_t header;
  while (dwarf != NULL && dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
    Dwarf_Die unit;
    if (dwarf_offdie(dwarf, offset + header, &unit) != NULL) {
      size_t before = symbols->functions.count;
      add_lines(symbols, &unit, bias);
      dwarf_getfuncs(&unit, add_function, symbols, 0);
      for (size_t i = before; i < symbols->functions.count; i++) {
        symbols->functions.items[i].low += bias;
        symbols->functions.items[i].high += bias;
      }
    }
    offset = next;
  }
  if (symbols->lines.count > 0)
    qsort(symbols->lines.items, symbols->lines.count, sizeof *symbols->lines.items, by_address);
  if (symbols->functions.count > 0)
    qsort(symbols->functions.items, symbols->functions.count, sizeof *symbols->functions.items, by_low);
}

static bool build_id_matches(Dwfl_Module *module, const char *expected)
{
  const unsigned char *bits;
  GElf_Addr address;
  int n = dwfl_module_build_id(module, &bits, &address);
  if (n <= 0 || strcmp(expected, "-") == 0)
    return true;
  for (int i = 0; i < n; i++) {
    char hex[3];
    snprintf(hex, sizeof hex, "%02x", bits[i]);
    if (strncmp(expected + 2 * i, hex, 2) != 0)
      return false;
  }
  return true;
}

struct symbols *symbols_open(const char *path, const char *build_id)
{
  struct symbols *symbols = calloc(1, sizeof *symbols);
  if (symbols == NULL || path[0] != '/' || (symbols->dwfl = dwfl_begin(&callbacks)) == NULL) {
    free(symbols);
    return NULL;
  }
  dwfl_report_begin(symbols->dwfl);
  symbols->module = dwfl_report_elf(symbols->dwfl, path, path, -1, 0, false);
  dwfl_report_end(symbols->dwfl, NULL, NULL);
  if (symbols->module == NULL || !build_id_matches(symbols->module, build_id)) {
    symbols_close(symbols);
    return NULL;
  }
  read_debug_info(symbols);
  return symbols;
}

void symbols_close(struct symbols *symbols)
{
  if (symbols == NULL)
    return;
  dwfl_end(symbols->dwfl);
  for (size_t i = 0; i < symbols->files.count; i++)
    free(symbols->files.items[i]);
  for (size_t i = 0; i < symbols->names.count; i++)
    free(symbols->names.items[i]);
  vector_free(&symbols->files);
  vector_free(&symbols->names);
  vector_free(&symbols->lines);
  vector_free(&symbols->functions);
  free(symbols);
}

/* The innermost function of the debug information; functions may nest, but not overlap. */
static const struct function *function_at(const struct symbols *symbols, uint64_t address)
{
  size_t low = 0, high = symbols->functions.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (symbols->functions.items[middle].low <= address)
      low = middle + 1;
    else
      high = middle;
  }
  for (size_t i = low, tries = 0; i-- > 0 && tries < 64; tries++)
    if (address < symbols->functions.items[i].high)
      return &symbols->functions.items[i];
  return NULL;
}

static const struct line_row *line_at(const struct symbols *symbols, uint64_t address)
{
  size_t low = 0, high = symbols->lines.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (symbols->lines.items[middle].address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 || symbols->lines.items[low - 1].line == 0 ? NULL : &symbols->lines.items[low - 1];
}

struct source_place symbols_find(struct symbols *symbols, uint64_t offset)
{
  struct source_place place = {.function = "", .file = ""};
  uint64_t address = offset - 1; /* the call is before its return address */
  const struct line_row *line = line_at(symbols, address);
  const struct function *function = function_at(symbols, address);
  const char *name = function != NULL ? function->name : NULL;
  if (line != NULL && line->file != FILE_NONE) {
    place.file = symbols->files.items[line->file];
    place.line = line->line;
  }
  if (function != NULL) {
    place.into = offset - function->low;
  } else {
    GElf_Off into;
    GElf_Sym symbol;
    name = dwfl_module_addrinfo(symbols->module, address, &into, &symbol, NULL, NULL, NULL);
    place.into = name != NULL ? into + 1 : 0;
  }
  char *copy = name == NULL ? NULL : strdup(name);
  if (copy != NULL && vector_push(&symbols->names, copy)) {
    symbols_plain_name(copy);
    place.function = copy;
  }
  return place;
}
