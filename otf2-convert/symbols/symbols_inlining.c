#include "otf2-convert/symbols/symbols_inlining.h"

#include <dwarf.h>

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
