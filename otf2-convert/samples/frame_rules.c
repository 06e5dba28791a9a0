#include "otf2-convert/samples/unwind.h"

#include "base/hash.h"
#include "base/vector.h"

#include <dwarf.h>
#include <stdlib.h>

#define ROWS_MOST (1u << 18) /* beyond, nothing is known */

/* One of the two tables that a module may have. */
struct table {
  Dwarf_CFI *cfi; /* NULL: none */
  GElf_Addr bias;
};

struct frame_rules {
  struct table tables[2];
  struct hash by_address;          /* index of a row */
  VECTOR(struct frame_row *) rows; /* so that they stay where they are */
  VECTOR(Dwarf_Frame *) frames;    /* whose expressions are used */
};

struct frame_rules *frame_rules_open(Dwfl_Module *module)
{
  struct frame_rules *rules = calloc(1, sizeof *rules);
  if (rules == NULL)
    return NULL;
  rules->tables[0].cfi = dwfl_module_eh_cfi(module, &rules->tables[0].bias);
  rules->tables[1].cfi = dwfl_module_dwarf_cfi(module, &rules->tables[1].bias);
  return rules;
}

void frame_rules_close(struct frame_rules *rules)
{
  if (rules == NULL)
    return;
  for (size_t i = 0; i < rules->rows.count; i++)
    free(rules->rows.items[i]);
  for (size_t i = 0; i < rules->frames.count; i++)
    free(rules->frames.items[i]);
  vector_free(&rules->rows);
  vector_free(&rules->frames);
  hash_free(&rules->by_address);
  free(rules);
}

/* `register + offset` as libdw has it. */
static bool is_based(const Dwarf_Op *op, struct frame_rule *rule)
{
  uint64_t base = op->atom == DW_OP_bregx ? op->number : (uint64_t)op->atom - DW_OP_breg0;
  uint64_t offset = op->atom == DW_OP_bregx ? op->number2 : op->number;
  if (op->atom != DW_OP_bregx && (op->atom < DW_OP_breg0 || op->atom > DW_OP_breg31))
    return false;
  rule->how = base < FRAME_REGISTERS ? FRAME_IS : FRAME_UNKNOWN;
  rule->base = (uint8_t)base;
  rule->offset = (int64_t)offset;
  return true;
}

/* Returns whether the rule needs the frame. */
static bool read_cfa(Dwarf_Frame *frame, struct frame_rule *rule)
{
  Dwarf_Op *ops;
  size_t count;
  *rule = (struct frame_rule){.how = FRAME_UNKNOWN};
  if (dwarf_frame_cfa(frame, &ops, &count) != 0 || count == 0)
    return false;
  if (count == 1 && is_based(&ops[0], rule))
    return false;
  *rule = (struct frame_rule){.how = FRAME_IS_BY, .expression = ops, .operations = count};
  return true;
}

static struct frame_rule read_register(Dwarf_Frame *frame, int number, bool *outermost)
{
  Dwarf_Op memory[3], *ops;
  size_t count;
  struct frame_rule rule = {.how = FRAME_UNKNOWN};
  if (dwarf_frame_register(frame, number, memory, &ops, &count) != 0)
    return rule;
  *outermost |= number == FRAME_PC && count == 0 && ops == memory;
  if (count == 0) {
    rule.how = ops == NULL ? FRAME_SAME : FRAME_UNKNOWN;
    return rule;
  }
  bool value = ops[count - 1].atom == DW_OP_stack_value;
  size_t rest = value ? count - 1 : count;
  if (ops != memory) {
    rule = (struct frame_rule){.how = value ? FRAME_IS_BY : FRAME_SAVED_BY, .expression = ops, .operations = rest};
  } else if (ops[0].atom == DW_OP_call_frame_cfa && rest <= 2 && (rest == 1 || ops[1].atom == DW_OP_plus_uconst)) {
    rule.how = value ? FRAME_IS : FRAME_SAVED;
    rule.base = FRAME_REGISTERS;
    rule.offset = rest == 2 ? (int64_t)ops[1].number : 0;
  } else if (ops[0].atom == DW_OP_regx && ops[0].number < FRAME_REGISTERS) {
    rule.how = FRAME_IS;
    rule.base = (uint8_t)ops[0].number;
  } else if (ops[0].atom >= DW_OP_reg0 && ops[0].atom < DW_OP_reg0 + FRAME_REGISTERS) {
    rule.how = FRAME_IS;
    rule.base = (uint8_t)(ops[0].atom - DW_OP_reg0);
  }
  return rule;
}

static void read_row(struct frame_rules *rules, uint64_t address, struct frame_row *row)
{
  static const uint8_t kept[] = {FRAME_BX,  FRAME_BP,  FRAME_SP,  FRAME_R10, FRAME_R12,
                                 FRAME_R13, FRAME_R14, FRAME_R15, FRAME_PC};
  Dwarf_Frame *frame = NULL;
  for (int i = 0; i < 2 && frame == NULL; i++)
    if (rules->tables[i].cfi == NULL ||
        dwarf_cfi_addrframe(rules->tables[i].cfi, address - rules->tables[i].bias, &frame) != 0)
      frame = NULL;
  if (frame == NULL)
    return;
  row->known = true;
  dwarf_frame_info(frame, NULL, NULL, &row->signal);
  bool needed = read_cfa(frame, &row->cfa);
  for (size_t i = 0; i < sizeof kept; i++)
    row->of[kept[i]] = read_register(frame, kept[i], &row->outermost);
  /* Unless it is said, the caller's stack pointer is the canonical frame address. */
  if (row->of[FRAME_SP].how == FRAME_UNKNOWN || row->of[FRAME_SP].how == FRAME_SAME)
    row->of[FRAME_SP] = (struct frame_rule){.how = FRAME_IS, .base = FRAME_REGISTERS};
  if (!needed || !vector_push(&rules->frames, frame)) {
    if (needed)
      row->cfa.how = FRAME_UNKNOWN;
    free(frame);
  }
}

const struct frame_row *frame_rules_row(struct frame_rules *rules, uint64_t address)
{
  static const struct frame_row nothing;
  const uint64_t *known = hash_find(&rules->by_address, address);
  if (known != NULL)
    return rules->rows.items[*known];
  if (rules->rows.count >= ROWS_MOST)
    return &nothing;
  struct frame_row *row = calloc(1, sizeof *row);
  if (row == NULL || !vector_push(&rules->rows, row)) {
    free(row);
    return NULL;
  }
  if (hash_add(&rules->by_address, address, rules->rows.count - 1) == NULL)
    return NULL;
  read_row(rules, address, row);
  return row;
}
