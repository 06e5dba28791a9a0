/* The functions that code is in, also inlined ones. */
#include "otf2-convert/symbols/cxx_name.h"
#include "otf2-convert/symbols/source_name.h"
#include "otf2-convert/symbols/symbols.h"
#include "otf2-convert/symbols/symbols_inlining.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

struct frame_rules *symbols_frames(struct symbols *symbols)
{
  if (symbols->frames == NULL)
    symbols->frames = frame_rules_open(symbols->module);
  return symbols->frames;
}

/* The name of the source for one of the symbol table or the debug information. */
static const char *plain(struct symbols *symbols, const char *linkage, const char *name)
{
  const char *without_marks = symbols_plain_name(symbols, linkage != NULL ? linkage : name);
  char *cxx = cxx_name(without_marks);
  const char *kept = cxx != NULL       ? symbols_kept_name(symbols, cxx)
                     : linkage == NULL ? without_marks
                                       : symbols_plain_name(symbols, name);
  free(cxx);
  return kept;
}

static void set_inlined(struct symbols *symbols, Dwarf_Die *die, struct code_function *function)
{
  const char *name = symbols_function_name(die);
  function->name = name != NULL ? plain(symbols, symbols_linkage_name(die), name) : NULL;
}

/* A function without debug information has its symbol. */
static void set_compiled(struct symbols *symbols, const struct function *known, uint64_t address,
                         struct code_function *function)
{
  GElf_Off into = 0;
  GElf_Sym symbol;
  Dwarf_Die die;
  const char *symbol_name = dwfl_module_addrinfo(symbols->module, address, &into, &symbol, NULL, NULL, NULL);
  const char *name = known != NULL ? known->name : symbol_name;
  if (name == NULL)
    return;
  if (known != NULL)
    die = known->die;
  const char *linkage = known != NULL ? symbols_linkage_name(&die) : symbol_name;
  function->outlined = source_name_is_outlined(name) || (symbol_name != NULL && source_name_is_outlined(symbol_name));
  function->begin = known != NULL ? known->low : address - into;
  function->name = plain(symbols, linkage, name);
  const struct line_row *first = function->outlined ? symbols_line(symbols, function->begin) : NULL;
  function->construct = first != NULL ? first->line : 0;
}

static void set_line(struct code_function *function, const struct source_place *place)
{
  function->file = place->file != NULL ? place->file : "";
  function->line = place->line;
}

unsigned symbols_code(struct symbols *symbols, uint64_t offset, struct code_function *functions)
{
  uint64_t address = offset - 1;
  const struct function *known = symbols_function(symbols, address);
  const struct line_row *row = symbols_line(symbols, address);
  struct inlining inlining = {.depth = 0};
  unsigned count = 1;
  if (known != NULL)
    inlining = inlining_at(known, address);
  functions[0] = (struct code_function){.file = ""};
  set_compiled(symbols, known, address, &functions[0]);
  for (unsigned i = 0; i <= inlining.depth; i++) {
    struct source_place place = {.file = ""};
    const char *name = i > 0 ? dwarf_diename(&inlining.functions[i - 1]) : NULL;
    if (i > 0 && !(name != NULL && source_name_is_outlined(name))) { /* clang has two functions for a construct */
      functions[count] = (struct code_function){.file = ""};
      set_inlined(symbols, &inlining.functions[i - 1], &functions[count++]);
    }
    if (row != NULL && inlining_line(symbols, &inlining, i, row, &place))
      set_line(&functions[count - 1], &place);
  }
  return count;
}
