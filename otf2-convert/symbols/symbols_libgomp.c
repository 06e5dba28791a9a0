#include "otf2-convert/symbols/symbols_tables.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define PAIR_REACH                   40u /* bytes from one return address to the other, at most */
#define SYMBOLS_LIBGOMP_CALL_LONGEST 6u  /* bytes */

/* Facts on a construct that the function of its call shows. */
enum rule {
  RULE_NONE,
  RULE_PAIR,   /* a static loop's line, or the line of what came before it; its result shows nothing more */
  RULE_STATIC, /* the same, of the one call that gcc 17 makes */
  RULE_LOOP,   /* the same, and whether there is anything to do */
  RULE_BLOCK,  /* the line of what came before */
  RULE_BARRIER /* its own line, or the line of what came before */
};

static bool begins_with(const char *text, const char *begin)
{
  return strncmp(text, begin, strlen(begin)) == 0;
}

/* value: what the call returns where the construct is entered. */
static enum rule rule_of(const char *callee, uint32_t *value)
{
  *value = strcmp(callee, "GOMP_single_copy_start") != 0;
  if (strstr(callee, "_static_worksharing") != NULL)
    return RULE_STATIC;
  if (begins_with(callee, "GOMP_loop_") && strstr(callee, "_start") != NULL)
    return RULE_LOOP;
  if (strcmp(callee, "omp_get_thread_num") == 0)
    return RULE_PAIR;
  if (strcmp(callee, "GOMP_sections_next") == 0) {
    *value = 2; /* the number of a section that is not the first */
    return RULE_BLOCK;
  }
  if (begins_with(callee, "GOMP_barrier"))
    return RULE_BARRIER;
  if (begins_with(callee, "GOMP_single_") || begins_with(callee, "GOMP_sections"))
    return strstr(callee, "_start") != NULL ? RULE_BLOCK : RULE_NONE;
  return RULE_NONE;
}

static bool is_automatic(const char *function)
{
  return strstr(function, "._loopfn.") != NULL;
}

bool symbols_is_outlined(const char *function)
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

/* The first row at an address that has rows, else the one it is in; NULL: none. */
static const struct line_row *first_row(const struct symbols *symbols, uint64_t address)
{
  const struct line_row *row = symbols_line(symbols, address);
  while (row != NULL && row > symbols->lines.items && row[-1].address == address && row[-1].line != 0)
    row--;
  return row;
}

/* Where the call before the call of omp_get_thread_num returns to, which gcc makes with it; else `after`. */
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
  return row != NULL && code_next_call(symbols->code, row->address, false) + SYMBOLS_LIBGOMP_CALL_LONGEST >= after
             ? row
             : NULL;
}

/* A construct's call, and the code behind it that is the construct's. */
struct construct_code {
  const struct function *function; /* that has it */
  const struct line_row *first;    /* row of the function; NULL: none */
  const struct line_row *row;      /* of the call itself; NULL: it has none */
  uint64_t on, until;              /* the code behind it */
  struct inlining home;            /* the functions that the construct is in */
};

static const struct line_row *next_row(const struct symbols *symbols, const struct construct_code *code,
                                       const struct line_row *row)
{
  const struct line_row *end = symbols->lines.items + symbols->lines.count;
  row = row == NULL ? first_row(symbols, code->on) : row + 1;
  while (row != NULL && row < end && row->address < code->on)
    row++;
  return row == NULL || row >= end || row->address >= code->until || row->line == 0 ? NULL : row;
}

/* The functions that all of the construct's statements are in; false: it has none in [on, until). */
static bool home_of_statements(const struct symbols *symbols, const struct construct_code *code, struct inlining *home)
{
  bool any = false;
  for (const struct line_row *row = next_row(symbols, code, NULL); row != NULL; row = next_row(symbols, code, row)) {
    struct inlining there = inlining_at(code->function, row->address);
    if (!row->statement)
      continue;
    if (any)
      home->depth = inlining_common(home, &there);
    else
      *home = there;
    any = true;
  }
  return any;
}

/* Counts the functions that are entered before an address: code inlined into a loop is entered after its call. */
static unsigned entered_before(struct inlining *inlining, uint64_t address)
{
  unsigned depth = 0;
  Dwarf_Addr entry;
  while (depth < inlining->depth && dwarf_entrypc(&inlining->functions[depth], &entry) == 0 && entry < address)
    depth++;
  return depth;
}

/*
 * The functions that a loop is in. Its call is a statement of its own. All statements of the loop may be in an inlined
 * function that was entered before, while the call is in none. Then the call was moved to the begin of the function.
 */
static struct inlining home_of_loop(const struct symbols *symbols, const struct construct_code *code, uint64_t after)
{
  struct inlining home = inlining_at(code->function, after - 1), statements;
  const struct line_row *row = code->row;
  if ((row != NULL && row->statement && home.depth > 0) || !home_of_statements(symbols, code, &statements))
    return home;
  if (home.depth > 0)
    home.depth = inlining_common(&home, &statements);
  else if (row == NULL || code->first == NULL || row->line == code->first->line) {
    home = statements;
    home.depth = entered_before(&home, after);
  }
  return home;
}

/*
 * The same of other constructs. Their call may have the place of the code before it. But what is done without the
 * construct, `past` it, is in the construct's functions, too.
 */
static struct inlining home_of_block(const struct symbols *symbols, const struct construct_code *code, uint64_t after,
                                     uint64_t past)
{
  struct inlining home = inlining_at(code->function, after - 1), there = inlining_at(code->function, past);
  home.depth = inlining_common(&home, &there);
  if (home.depth > 0 && home_of_statements(symbols, code, &there))
    home.depth = inlining_common(&home, &there);
  return home;
}

/* A call without arguments has a row of its own when one begins with it, or is all that its outlined function does. */
static const struct line_row *row_of_pair(const struct symbols *symbols, const struct construct_code *code,
                                          uint64_t after)
{
  uint64_t first = first_of_pair(symbols, after);
  const struct line_row *row = own_row(symbols, first);
  bool at_call = row != NULL && row->address + SYMBOLS_LIBGOMP_CALL_LONGEST >= first;
  return at_call || (row != NULL && code->first != NULL && row->line == code->first->line) ? row : NULL;
}

static struct construct_code construct_code(const struct symbols *symbols, const struct function *function,
                                            uint64_t after, enum rule rule, uint32_t value)
{
  struct construct_code code = {.function = function, .first = first_row(symbols, function->low)};
  code.row = rule == RULE_PAIR ? row_of_pair(symbols, &code, after) : own_row(symbols, after);
  code.on = rule == RULE_PAIR || rule == RULE_STATIC ? after : code_continues(symbols->code, after, value);
  /* Code after the next call belongs to another construct. */
  code.until = code_next_call(symbols->code, code.on, rule == RULE_BLOCK);
  if (code.until > function->high)
    code.until = function->high;
  code.home = rule == RULE_BLOCK
                  ? home_of_block(symbols, &code, after, code_continues(symbols->code, after, value == 0))
                  : home_of_loop(symbols, &code, after);
  return code;
}

/*
 * A loop's call has a line of its own when one begins with it, or when the loop is all of an outlined function. At the
 * begin of another function is that function's line.
 */
static bool has_own_line(struct construct_code *code, uint32_t least)
{
  const struct line_row *row = code->row;
  struct inlining there;
  if (row == NULL || row->line < least)
    return false;
  there = inlining_at(code->function, row->address);
  if (there.depth != code->home.depth || inlining_common(&there, &code->home) != there.depth)
    return false;
  if (symbols_is_outlined(code->function->name))
    return row->statement || (there.depth == 0 && row->line == least);
  return row->statement && (there.depth > 0 || row->address != code->function->low);
}

/* The first line that begins behind the call and is not the call's. */
static bool set_next_line(struct symbols *symbols, struct construct_code *code, uint32_t least,
                          struct source_place *place)
{
  uint32_t known = place->line;
  for (const struct line_row *row = next_row(symbols, code, NULL); row != NULL; row = next_row(symbols, code, row)) {
    struct source_place there = *place;
    struct inlining inlining = inlining_at(code->function, row->address);
    if (!row->statement || inlining_common(&inlining, &code->home) != code->home.depth ||
        !inlining_line(symbols, &inlining, code->home.depth, row, &there) || there.line < least ||
        (row->address != code->on && there.line == known))
      continue;
    *place = there;
    return true;
  }
  return false;
}

/* The place of a construct that begins with a call of its own; `place` is what the line table says. */
static void place_construct(struct symbols *symbols, const struct function *function, uint64_t after, enum rule rule,
                            uint32_t value, struct source_place *place)
{
  struct construct_code code = construct_code(symbols, function, after, rule, value);
  bool outlined = symbols_is_outlined(function->name);
  Dwarf_Die *home = code.home.depth > 0 ? &code.home.functions[code.home.depth - 1] : NULL;
  uint32_t least = home != NULL                     ? symbols_number(home, DW_AT_decl_line)
                   : outlined && code.first != NULL ? code.first->line
                                                    : 1;
  if (home != NULL && dwarf_diename(home) != NULL)
    place->function = symbols_plain_name(symbols, dwarf_diename(home));
  if (rule != RULE_BLOCK && has_own_line(&code, least))
    symbols_set_line(symbols, code.row, place);
  else if (!set_next_line(symbols, &code, least, place) && home != NULL)
    symbols_line_named(symbols, home, DW_AT_decl_line, DW_AT_decl_file, place);
  else if (home == NULL && outlined && code.first != NULL && (place->line < least || rule == RULE_BLOCK))
    symbols_set_line(symbols, code.first, place);
}

/* A barrier's call may be the compiler's own, without a place: then what it has is of the code before it. */
static void place_barrier(struct symbols *symbols, const struct function *function, uint64_t after,
                          struct source_place *place)
{
  const struct line_row *row = symbols_line(symbols, after - 1), *first = first_row(symbols, function->low);
  struct inlining inlining = inlining_at(function, after - 1);
  if (row == NULL || row->address + SYMBOLS_LIBGOMP_CALL_LONGEST >= after)
    return;
  if (inlining.depth > 0)
    inlining_line(symbols, &inlining, 0, row, place);
  else if (first != NULL && symbols_is_outlined(function->name) && row->line < first->line)
    symbols_set_line(symbols, first, place);
}

/* The outlined function that begins at an address; its DIE is empty when the debug information lacks it. */
static bool outlined_at(const struct symbols *symbols, uint64_t address, struct function *found)
{
  const struct function *function = symbols_function(symbols, address);
  GElf_Off into;
  GElf_Sym symbol;
  if (function != NULL && function->low == address && symbols_is_outlined(function->name)) {
    *found = *function;
    return true;
  }
  const char *name = dwfl_module_addrinfo(symbols->module, address, &into, &symbol, NULL, NULL, NULL);
  if (name == NULL || into != 0 || !symbols_is_outlined(name))
    return false;
  *found = (struct function){.low = address, .high = address + symbol.st_size, .name = name};
  return true;
}

bool symbols_outlined(struct symbols *symbols, uint64_t address, struct source_place *place)
{
  struct function function;
  if (!outlined_at(symbols, address, &function))
    return false;
  const struct line_row *row = first_row(symbols, address);
  if (row != NULL)
    symbols_set_line(symbols, row, place);
  place->automatic = is_automatic(function.name);
  place->function = row != NULL ? outlined_from(symbols, &function) : symbols_kept_name(symbols, function.name);
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
  place->automatic = is_automatic(around->name);
  if (symbols_is_outlined(around->name))
    place->function = outlined_from(symbols, around);
  if (place->line != 0 && rule == RULE_BARRIER)
    place_barrier(symbols, around, after, place);
  else if (place->line != 0 && rule != RULE_NONE)
    place_construct(symbols, around, after, rule, value, place);
}
