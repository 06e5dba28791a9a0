/*
 * Stands in for parts of the converter that have nothing to do with an input. Debug information is not read (files that
 * an input names are none of its own), and messages are not printed.
 */
#include "otf2-convert/messages.h"
#include "otf2-convert/symbols/symbols.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>

void message_error(const char *format, ...)
{
  (void)format;
}

void message_note(const char *format, ...)
{
  (void)format;
}

void message_set_quiet(bool quiet)
{
  (void)quiet;
}

bool message_is_quiet(void)
{
  return true;
}

struct symbols {
  bool has_lines;
};

/* A module without symbols, with functions alone, or with lines, as its path ends. */
struct symbols *symbols_open(const char *path, const char *build_id)
{
  (void)build_id;
  size_t kind = 0;
  while (*path != 0)
    kind = (unsigned char)*path++ % 3;
  struct symbols *symbols = kind == 0 ? NULL : calloc(1, sizeof *symbols);
  if (symbols != NULL)
    symbols->has_lines = kind == 2;
  return symbols;
}

bool kernel_page_is_copy(const char *name)
{
  (void)name;
  return false;
}

struct symbols *kernel_page_symbols(int trace_fd, const char *build_id)
{
  (void)trace_fd;
  return symbols_open("", build_id);
}

void symbols_close(struct symbols *symbols)
{
  free(symbols);
}

/* Sixteen functions of 16 bytes, two lines each: so that places are met again, and copies are one region. */
struct source_place symbols_find(struct symbols *symbols, uint64_t offset)
{
  static const char *const names[] = {"f", "g", "h", "\x1b\xff"};
  struct source_place place = {.function = names[offset >> 4 & 3], .file = "", .into = offset & 15};
  if (symbols->has_lines) {
    place.file = "/src/\xc3.c";
    place.line = (uint32_t)(offset >> 3 & 31);
  }
  return place;
}

/* A variable for OpenMP's locks and one for POSIX threads' locks have the same address. */
const char *symbols_object(struct symbols *symbols, uint64_t offset, uint64_t *into)
{
  *into = offset & 15;
  return symbols->has_lines && (offset >> 3 & 1) != 0 ? ".gomp_critical_user_\x1b" : NULL;
}

/* Every other address has a variable. */
bool symbols_variable(struct symbols *symbols, uint64_t address, char *name, size_t size)
{
  snprintf(name, size, "v\x1b%u", (unsigned)(address >> 4 & 3));
  return symbols->has_lines && (address >> 3 & 1) != 0;
}

/* As above; some functions are outlined, and some inlined into another one. */
unsigned symbols_code(struct symbols *symbols, uint64_t offset, struct code_function *functions)
{
  struct source_place place = symbols_find(symbols, offset);
  unsigned count = (unsigned)(offset >> 5 & 1) + 1;
  for (unsigned i = 0; i < count; i++)
    functions[i] = (struct code_function){.name = place.function,
                                          .file = place.file,
                                          .line = place.line,
                                          .construct = place.line,
                                          .begin = offset & ~(uint64_t)15,
                                          .outlined = i == 0 && (offset >> 4 & 7) == 7};
  return count;
}

/* Each of the facts, by the address. */
struct code_facts symbols_facts(struct symbols *symbols, uint64_t address)
{
  (void)symbols;
  return (struct code_facts){
      .spins = (address & 1) != 0, .calls_kernel = (address & 2) != 0, .calls_futex = (address & 6) == 6};
}

struct frame_rules {
  struct frame_row row;
};

struct frame_rules *symbols_frames(struct symbols *symbols)
{
  static struct frame_rules rules;
  (void)symbols;
  return &rules;
}

static struct frame_rule saved_at(int64_t offset)
{
  return (struct frame_rule){.how = FRAME_SAVED, .base = FRAME_REGISTERS, .offset = offset};
}

/* Each kind of rule, by the address. */
const struct frame_row *frame_rules_row(struct frame_rules *rules, uint64_t address)
{
  static const Dwarf_Op operations[] = {{.atom = DW_OP_breg0 + FRAME_SP, .number = 8},
                                        {.atom = DW_OP_lit16},
                                        {.atom = DW_OP_plus},
                                        {.atom = DW_OP_deref},
                                        {.atom = DW_OP_plus_uconst, .number = 8},
                                        {.atom = DW_OP_call_frame_cfa},
                                        {.atom = DW_OP_minus},
                                        {.atom = 0xff}};
  struct frame_row *row = &rules->row;
  unsigned what = (unsigned)(address & 15);
  *row = (struct frame_row){.known = what != 15, .signal = what == 14, .outermost = what == 13};
  row->cfa = (struct frame_rule){.how = FRAME_IS, .base = what & 1 ? FRAME_BP : FRAME_SP, .offset = 16};
  if (what > 8)
    row->cfa = (struct frame_rule){.how = FRAME_IS_BY, .expression = operations, .operations = what - 8};
  row->of[FRAME_PC] = saved_at(-8);
  row->of[FRAME_BP] = what == 7 ? (struct frame_rule){.how = FRAME_SAME} : saved_at(-16);
  row->of[FRAME_SP] = (struct frame_rule){.how = FRAME_IS, .base = FRAME_REGISTERS};
  row->of[FRAME_BX] =
      (struct frame_rule){.how = what & 2 ? FRAME_SAVED_BY : FRAME_IS_BY, .expression = operations, .operations = what};
  return row;
}

void frame_rules_close(struct frame_rules *rules)
{
  (void)rules;
}
