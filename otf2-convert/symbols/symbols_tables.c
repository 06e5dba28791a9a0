#include "otf2-convert/symbols/symbols_tables.h"

#include "base/count_of.h"
#include "otf2-convert/symbols/symbol_names.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NESTING_MAX 64u /* functions that are looked at to find the innermost one with an address */

static int symbols_tables_by_address(const void *a, const void *b)
{
  const struct line_row *x = a, *y = b;
  if (x->address != y->address)
    return x->address < y->address ? -1 : 1;
  if ((x->line != 0) != (y->line != 0))
    return x->line != 0 ? 1 : -1; /* an end before the begin of what follows */
  return x->number < y->number ? -1 : x->number > y->number;
}

static int by_low(const void *a, const void *b)
{
  const struct function *x = a, *y = b;
  if (x->low != y->low)
    return x->low < y->low ? -1 : 1;
  return x->high > y->high ? -1 : x->high < y->high;
}

static uint32_t file_number(struct symbols *symbols, const char *name, const char *directory)
{
  char path[4096];
  if (name[0] == '/' || directory == NULL)
    snprintf(path, sizeof path, "%s", name);
  else
    snprintf(path, sizeof path, "%s/%s", directory, name);
  return string_table_number(&symbols->files, path);
}

static const char *directory_of(Dwarf_Die *unit)
{
  Dwarf_Attribute attribute;
  return dwarf_formstring(dwarf_attr_integrate(unit, DW_AT_comp_dir, &attribute));
}

uint32_t symbols_file(struct symbols *symbols, const char *name, Dwarf_Die *unit)
{
  return file_number(symbols, name, directory_of(unit));
}

static void symbols_tables_add_lines(struct symbols *symbols, Dwarf_Die *unit, Dwarf_Addr bias)
{
  Dwarf_Lines *lines;
  size_t count;
  const char *last = NULL;
  uint32_t number = STRING_TABLE_NONE;
  const char *directory = directory_of(unit);
  if (dwarf_getsrclines(unit, &lines, &count) != 0)
    return;
  for (size_t i = 0; i < count; i++) {
    Dwarf_Line *line = dwarf_onesrcline(lines, i);
    Dwarf_Addr address;
    int row = 0;
    bool end = false, statement = false;
    const char *name = dwarf_linesrc(line, NULL, NULL);
    if (line == NULL || name == NULL || dwarf_lineaddr(line, &address) != 0)
      continue;
    dwarf_lineno(line, &row);
    dwarf_lineendsequence(line, &end);
    dwarf_linebeginstatement(line, &statement);
    if (row == 0 && !end)
      continue;       /* code without a source line: the line before it continues */
    if (name != last) /* the library hands out the same pointer for the same file of a unit, mostly in runs */
      number = file_number(symbols, last = name, directory);
    struct line_row new = {.address = address + bias, .file = number, .statement = statement, .number = (uint32_t)i};
    new.line = end || row < 0 ? 0 : (uint32_t)row &LINE_MAX;
    if (!vector_push(&symbols->lines, new))
      return;
  }
}

const char *symbols_linkage_name(Dwarf_Die *die)
{
  Dwarf_Attribute attribute;
  return dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
}

const char *symbols_function_name(Dwarf_Die *die)
{
  const char *linkage = symbols_linkage_name(die), *plain = dwarf_diename(die);
  bool has_module = linkage != NULL && (strstr(linkage, "_MOD_") != NULL || strncmp(linkage, "_QM", 3) == 0);
  return plain != NULL && !has_module ? plain : linkage;
}

static int symbols_tables_add_function(Dwarf_Die *die, void *argument)
{
  struct symbols *symbols = argument;
  Dwarf_Addr base, low, high;
  ptrdiff_t at = 0;
  Dwarf_Attribute attribute;
  const char *name = symbols_function_name(die);
  Dwarf_Word convention;
  if (dwarf_hasattr(die, DW_AT_main_subprogram) ||
      (dwarf_formudata(dwarf_attr(die, DW_AT_calling_convention, &attribute), &convention) == 0 &&
       convention == DW_CC_program))
    symbols->program = dwarf_diename(die);
  while (name != NULL && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
    struct function function = {.low = low, .high = high, .name = name, .die = *die};
    if (low < high && !vector_push(&symbols->functions, function))
      return DWARF_CB_ABORT;
  }
  return DWARF_CB_OK;
}

void symbols_read_tables(struct symbols *symbols)
{
  Dwarf_Addr bias = 0;
  Dwarf *dwarf = dwfl_module_getdwarf(symbols->module, &bias);
  Dwarf_Off offset = 0, next;
  size_t header;
  while (dwarf != NULL && dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
    Dwarf_Die unit;
    if (dwarf_offdie(dwarf, offset + header, &unit) != NULL) {
      size_t before = symbols->functions.count;
      symbols_tables_add_lines(symbols, &unit, bias);
      dwarf_getfuncs(&unit, symbols_tables_add_function, symbols, 0);
      for (size_t i = before; i < symbols->functions.count; i++) {
        symbols->functions.items[i].low += bias;
        symbols->functions.items[i].high += bias;
      }
    }
    offset = next;
  }
  if (symbols->lines.count > 0)
    qsort(symbols->lines.items, symbols->lines.count, sizeof *symbols->lines.items, symbols_tables_by_address);
  if (symbols->functions.count > 0)
    qsort(symbols->functions.items, symbols->functions.count, sizeof *symbols->functions.items, by_low);
}

void symbols_free_tables(struct symbols *symbols)
{
  string_table_free(&symbols->files);
  string_table_free(&symbols->names);
  vector_free(&symbols->lines);
  vector_free(&symbols->functions);
  vector_free(&symbols->variables);
}

/* Counts the rows up to an address; they are sorted by their first member, the address. */
static size_t rows_up_to(uint64_t address, const void *rows, size_t count, size_t size)
{
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (*(const uint64_t *)((const char *)rows + middle * size) <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const struct function *symbols_function(const struct symbols *symbols, uint64_t address)
{
  const struct function *functions = symbols->functions.items;
  size_t i = rows_up_to(address, functions, symbols->functions.count, sizeof *functions);
  for (unsigned tries = 0; i-- > 0 && tries < NESTING_MAX; tries++)
    if (address < functions[i].high)
      return &functions[i];
  return NULL;
}

const struct line_row *symbols_line(const struct symbols *symbols, uint64_t address)
{
  const struct line_row *lines = symbols->lines.items;
  size_t i = rows_up_to(address, lines, symbols->lines.count, sizeof *lines);
  return i == 0 || lines[i - 1].line == 0 ? NULL : &lines[i - 1];
}

const char *symbols_kept_name(struct symbols *symbols, const char *name)
{
  uint32_t number = string_table_number(&symbols->names, name);
  return number == STRING_TABLE_NONE ? "" : symbols->names.items.items[number];
}

const char *symbols_plain_name(struct symbols *symbols, const char *name)
{
  char *plain = strdup(name);
  if (plain == NULL)
    return "";
  source_name(plain);
  const char *kept = symbols_kept_name(symbols, plain);
  free(plain);
  return kept;
}

uint32_t symbols_number(Dwarf_Die *die, unsigned name)
{
  Dwarf_Attribute attribute;
  Dwarf_Word number;
  return dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &number) == 0 && number <= LINE_MAX
             ? (uint32_t)number
             : 0;
}

void symbols_set_line(const struct symbols *symbols, const struct line_row *row, struct source_place *place)
{
  place->line = row->line;
  place->file = row->file == STRING_TABLE_NONE ? "" : symbols->files.items.items[row->file];
}

bool symbols_line_named(struct symbols *symbols, Dwarf_Die *die, unsigned line, unsigned file,
                        struct source_place *place)
{
  Dwarf_Die unit;
  Dwarf_Files *files;
  uint32_t number = symbols_number(die, line), of_file;
  const char *name = NULL;
  if (number != 0 && dwarf_diecu(die, &unit, NULL, NULL) != NULL && dwarf_getsrcfiles(&unit, &files, NULL) == 0)
    name = dwarf_filesrc(files, symbols_number(die, file), NULL, NULL);
  if (name == NULL || (of_file = symbols_file(symbols, name, &unit)) == STRING_TABLE_NONE)
    return false;
  place->line = number;
  place->file = symbols->files.items.items[of_file];
  return true;
}

#define SYMBOLS_INLINING_SCOPES_MAX 64u /* blocks and functions in each other */

/* The block or inlined function right inside of `around` that has an address. */
static bool scope_inside(Dwarf_Die *around, uint64_t address, Dwarf_Die *scope)
{
  if (dwarf_child(around, scope) != 0)
    return false;
  do {
    int tag = dwarf_tag(scope);
    if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) && dwarf_haspc(scope, address) > 0)
      return true;
  } while (dwarf_siblingof(scope, scope) == 0);
  return false;
}

struct inlining inlining_at(const struct function *function, uint64_t address)
{
  struct inlining inlining = {.depth = 0};
  Dwarf_Die around = function->die, scope;
  for (unsigned steps = 0; around.addr != NULL && steps < SYMBOLS_INLINING_SCOPES_MAX && inlining.depth < INLINING_MAX;
       steps++) {
    if (!scope_inside(&around, address, &scope))
      break;
    if (dwarf_tag(&scope) == DW_TAG_inlined_subroutine)
      inlining.functions[inlining.depth++] = scope;
    around = scope;
  }
  return inlining;
}

unsigned inlining_common(struct inlining *a, struct inlining *b)
{
  unsigned depth = 0;
  while (depth < a->depth && depth < b->depth &&
         dwarf_dieoffset(&a->functions[depth]) == dwarf_dieoffset(&b->functions[depth]))
    depth++;
  return depth;
}

bool inlining_line(struct symbols *symbols, struct inlining *inlining, unsigned depth, const struct line_row *row,
                   struct source_place *place)
{
  if (inlining->depth > depth)
    return symbols_line_named(symbols, &inlining->functions[depth], DW_AT_call_line, DW_AT_call_file, place);
  symbols_set_line(symbols, row, place);
  return true;
}

bool symbols_is_header(const char *file)
{
  static const char *const begins[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/", "/opt/"};
  static const char *const parts[] = {"/include/c++/", "/include/bits/"};
  for (size_t i = 0; i < COUNT_OF(begins); i++)
    if (strncmp(file, begins[i], strlen(begins[i])) == 0 && strstr(file, "include") != NULL)
      return true;
  for (size_t i = 0; i < COUNT_OF(parts); i++)
    if (strstr(file, parts[i]) != NULL)
      return true;
  return false;
}

void symbols_leave_headers(struct symbols *symbols, const struct function *function, uint64_t address,
                           struct source_place *place)
{
  if (!symbols_is_header(place->file))
    return;
  place->header = true;
  if (function == NULL)
    return;
  struct inlining inlining = inlining_at(function, address);
  for (unsigned depth = inlining.depth; depth-- > 0;) {
    struct source_place outside = *place;
    if (!symbols_line_named(symbols, &inlining.functions[depth], DW_AT_call_line, DW_AT_call_file, &outside))
      return;
    if (!symbols_is_header(outside.file)) {
      *place = outside;
      place->header = false;
      return;
    }
  }
}
