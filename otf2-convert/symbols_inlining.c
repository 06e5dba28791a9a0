/* Which functions code was inlined from, and lines as these functions have them. */
#include "otf2-convert/symbols_inside.h"

#include <dwarf.h>

#define SCOPES_MAX 64u /* blocks and functions in each other */

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
  for (unsigned steps = 0; around.addr != NULL && steps < SCOPES_MAX && inlining.depth < INLINING_MAX; steps++) {
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
  place->file = row->file == TEXTS_NONE ? "" : symbols->files.items.items[row->file];
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
  if (name == NULL || (of_file = symbols_file(symbols, name, &unit)) == TEXTS_NONE)
    return false;
  place->line = number;
  place->file = symbols->files.items.items[of_file];
  return true;
}

bool inlining_line(struct symbols *symbols, struct inlining *inlining, unsigned depth, const struct line_row *row,
                   struct source_place *place)
{
  if (inlining->depth > depth)
    return symbols_line_named(symbols, &inlining->functions[depth], DW_AT_call_line, DW_AT_call_file, place);
  symbols_set_line(symbols, row, place);
  return true;
}
