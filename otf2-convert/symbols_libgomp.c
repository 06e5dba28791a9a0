/*
 * Where a construct is that gcc compiled. The calls by which it begins are the compiler's own: in the line table they
 * have the line of the construct, of what is executed before it, or of an inlined function there. What the program does
 * behind the call, or the function that is outlined from the construct, tells it better. See docs/otf2.md.
 */
#include "otf2-convert/symbols_inside.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define PAIR_REACH   40u /* bytes from one return address to the other, at most */
#define CALL_LONGEST 6u  /* bytes */

/* What a call's function tells of the construct. */
enum rule {
  RULE_NONE,
  RULE_OUTLINED, /* it is given the function that is outlined from the construct */
  RULE_PAIR,     /* a static loop's line, or the line of what came before it; it returns nothing that tells more */
  RULE_LOOP,     /* the same, and whether there is anything to do */
  RULE_BLOCK     /* the line of what came before */
};

static bool begins_with(const char *text, const char *begin)
{
  return strncmp(text, begin, strlen(begin)) == 0;
}

/* value: what the call returns where the construct is entered. */
static enum rule rule_of(const char *callee, uint32_t *value)
{
  *value = strcmp(callee, "GOMP_single_copy_start") != 0;
  if (begins_with(callee, "GOMP_parallel") || strcmp(callee, "GOMP_task") == 0 ||
      begins_with(callee, "GOMP_taskloop") || begins_with(callee, "GOMP_teams"))
    return RULE_OUTLINED;
  if (begins_with(callee, "GOMP_loop_") && strstr(callee, "_start") != NULL)
    return RULE_LOOP;
  if (strcmp(callee, "omp_get_thread_num") == 0)
    return RULE_PAIR;
  if (strcmp(callee, "GOMP_sections_next") == 0) {
    *value = 2; /* the number of a section that is not the first */
    return RULE_BLOCK;
  }
  if (begins_with(callee, "GOMP_single_") || begins_with(callee, "GOMP_sections"))
    return strstr(callee, "_start") != NULL ? RULE_BLOCK : RULE_NONE;
  return RULE_NONE;
}

static bool is_automatic(const char *function)
{
  return strstr(function, "._loopfn.") != NULL;
}

/* Whether the compiler outlined a function from a construct. */
static bool is_outlined(const char *function)
{
  return is_automatic(function) || strstr(function, "._omp_fn.") != NULL;
}

/* The subprogram in the source that a function was outlined from: it is around it in the debug information. */
static const char *outlined_from(struct symbols *symbols, const struct function *function)
{
  Dwarf_Die die = function->die, *scopes = NULL;
  const char *name = function->name;
  int count = die.addr == NULL ? 0 : dwarf_getscopes_die(&die, &scopes);
  for (int i = 1; i < count; i++) {
    Dwarf_Attribute attribute;
    if (dwarf_tag(&scopes[i]) != DW_TAG_subprogram)
      continue;
    const char *linkage = dwarf_formstring(dwarf_attr_integrate(&scopes[i], DW_AT_linkage_name, &attribute));
    const char *plain = dwarf_diename(&scopes[i]);
    if (linkage != NULL && strstr(linkage, "_MOD_") != NULL)
      name = linkage;
    else if (plain != NULL)
      name = plain;
    break;
  }
  free(scopes);
  return symbols_plain_name(symbols, symbols->program != NULL && strcmp(name, "main") == 0 ? symbols->program : name);
}

/*
 * The line of a call by which the function at `frame` got what another function has at `address`, which was inlined; 0:
 * there is none.
 */
static uint32_t inlined_by(const struct function *frame, uint64_t address)
{
  Dwarf_Die die = frame->die, unit, *scopes = NULL;
  uint32_t line = 0;
  if (dwarf_diecu(&die, &unit, NULL, NULL) == NULL)
    return 0;
  int count = dwarf_getscopes(&unit, address, &scopes);
  for (int i = 0; i < count && dwarf_tag(&scopes[i]) != DW_TAG_subprogram; i++) { /* from the innermost outwards */
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine &&
        dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_line, &attribute), &number) == 0 && number <= LINE_MAX)
      line = (uint32_t)number;
  }
  free(scopes);
  return line;
}

/* The first row at an address that has rows, else the one it is in; NULL: none. */
static const struct line_row *first_row(const struct symbols *symbols, uint64_t address)
{
  const struct line_row *row = symbols_line(symbols, address);
  while (row != NULL && row > symbols->lines.items && row[-1].address == address && row[-1].line != 0)
    row--;
  return row;
}

/*
 * Where the program goes on at `address`: the line that begins there, or the first one behind that is not `other`, up
 * to `until`. 0: there is none. Lines before `least` are of functions that were inlined.
 */
static uint32_t next_line(const struct symbols *symbols, const struct function *function, uint64_t address,
                          uint64_t until, uint32_t other, uint32_t least)
{
  const struct line_row *row = first_row(symbols, address);
  const struct line_row *end = symbols->lines.items + symbols->lines.count;
  uint32_t line = inlined_by(function, address);
  if (until > function->high)
    until = function->high;
  for (; line == 0 && row != NULL && row < end && row->address < until; row++) {
    if (row->address < address || !row->statement || row->line < least)
      continue;
    uint32_t caller = inlined_by(function, row->address), own = caller != 0 ? caller : row->line;
    if (row->address == address || own != other)
      line = own;
  }
  return line;
}

/* Where the call before the one of omp_get_thread_num returns to, which gcc makes with it; else `after`. */
static uint64_t first_of_pair(const struct symbols *symbols, uint64_t after)
{
  for (uint64_t before = after - 1; before > after - PAIR_REACH; before--) {
    const char *callee = code_callee(symbols->code, before);
    if (callee != NULL && strcmp(callee, "omp_get_num_threads") == 0)
      return before;
  }
  return after;
}

/* The row that a call is in, if it begins behind the call of libgomp's before it; else NULL: that one's. */
static const struct line_row *own_row(const struct symbols *symbols, uint64_t after)
{
  const struct line_row *row = symbols_line(symbols, after - 1);
  return row != NULL && code_next_call(symbols->code, row->address, false) + CALL_LONGEST >= after ? row : NULL;
}

/* The line of a construct that begins with a call of its own; `told` is what the line table says. */
static uint32_t construct_line(const struct symbols *symbols, const struct function *function, uint64_t after,
                               enum rule rule, uint32_t value, uint32_t told)
{
  const struct line_row *first = first_row(symbols, function->low);
  const struct line_row *row = own_row(symbols, rule == RULE_PAIR ? first_of_pair(symbols, after) : after);
  uint32_t least = first != NULL && is_outlined(function->name) ? first->line : 1;
  /* A loop's call has a line of its own when one begins with it, or when the loop is the whole function. */
  if ((rule == RULE_LOOP || rule == RULE_PAIR) && row != NULL && row->line >= least &&
      (row->statement || row->line == least))
    return row->line;
  if (rule == RULE_NONE)
    return told < least ? least : told;
  uint64_t on = rule == RULE_PAIR ? after : code_continues(symbols->code, after, value);
  /* What comes behind the next call is another construct's. */
  uint64_t until = code_next_call(symbols->code, on, rule == RULE_BLOCK);
  uint32_t line = next_line(symbols, function, on, until, told, least);
  if (line != 0)
    return line;
  return told < least || (rule == RULE_BLOCK && least > 1) ? least : told;
}

/* The function outlined from a construct that the call is given; its DIE is empty when the debug information lacks it.
 */
static bool outlined_function(struct symbols *symbols, uint64_t after, struct function *found)
{
  uint64_t addresses[CODE_ARGUMENTS_MAX];
  unsigned count = code_arguments(symbols->code, after, addresses);
  for (unsigned i = 0; i < count; i++) {
    const struct function *function = symbols_function(symbols, addresses[i]);
    GElf_Off into;
    GElf_Sym symbol;
    if (function != NULL && function->low == addresses[i] && is_outlined(function->name)) {
      *found = *function;
      return true;
    }
    const char *name = dwfl_module_addrinfo(symbols->module, addresses[i], &into, &symbol, NULL, NULL, NULL);
    if (name != NULL && into == 0 && is_outlined(name)) {
      *found = (struct function){.low = addresses[i], .high = addresses[i] + symbol.st_size, .name = name};
      return true;
    }
  }
  return false;
}

/* A construct from which a function was outlined: that begins with the construct's line. */
static bool place_outlined(struct symbols *symbols, uint64_t after, struct function *function,
                           struct source_place *place)
{
  if (!outlined_function(symbols, after, function))
    return false;
  const struct line_row *row = first_row(symbols, function->low);
  if (row != NULL) {
    place->line = row->line;
    place->file = row->file == TEXTS_NONE ? "" : symbols->files.items.items[row->file];
  }
  return true;
}

void symbols_libgomp(struct symbols *symbols, uint64_t after, const struct function *around, struct source_place *place)
{
  uint32_t value;
  const char *callee = code_callee(symbols->code, after);
  if (callee == NULL)
    return;
  enum rule rule = rule_of(callee, &value);
  place->inlined = rule == RULE_PAIR;
  if (around == NULL)
    return;
  struct function function = *around;
  if (rule == RULE_OUTLINED && !place_outlined(symbols, after, &function, place))
    return;
  if (rule != RULE_OUTLINED && place->line != 0)
    place->line = construct_line(symbols, around, after, rule, value, place->line);
  if (!is_outlined(function.name))
    return;
  place->automatic = is_automatic(function.name);
  place->function = outlined_from(symbols, &function);
}
