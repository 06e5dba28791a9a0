/*
 * The code of guards in the making: what guards.c and task_guards.c write it with. C's structs have the words that it
 * reads and writes (guards.h).
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_GUARD_CODE_H
#define HEDDLE_JVMTI_AGENT_WEAVER_GUARD_CODE_H

#include "jvmti-agent/weaver/class_file.h"
#include "jvmti-agent/weaver/class_output.h"
#include "jvmti-agent/weaver/guard_table.h"

#include <stddef.h>

#define GUARD_JUMPS 32u

enum label { CALL_HOOK, RETURN, FIRST, SECOND, THIRD, FOURTH, LOOP_OMITTED_ENDS, ALONE, LABELS };

/* Code in the making. Variables behind the arguments: the table (long), a site in it (long), a number. */
struct guard_code_making {
  struct buffer *code;
  const struct guard_constants *of;
  unsigned site, table, entry, number; /* variables */
  unsigned jumps;
  struct {
    size_t at;
    enum label to;
  } jump[GUARD_JUMPS];
  size_t label[LABELS];
};

/* Offset of a word of the thread. */
#define WORD(name) offsetof(struct guard_thread, name)

/* The code goes on only while the site's switch is on; else on to `off`. */
void guard_switch(struct guard_code_making *making, const struct hook_memory *memory, enum label off);

void guard_op(struct buffer *code, enum opcode op, uint16_t constant);
void guard_op_variable(struct buffer *code, enum opcode op, unsigned variable);
void guard_push_long(struct buffer *code, const struct guard_constants *of, uint64_t number);
void guard_branch(struct guard_code_making *making, enum opcode how, enum label to);
void guard_here(struct guard_code_making *making, enum label label);
void guard_resolve(struct guard_code_making *making);
void guard_push_word(struct guard_code_making *making, size_t offset);
void guard_get(struct guard_code_making *making, size_t offset);
void guard_put(struct guard_code_making *making, size_t offset, int number);
void guard_add_to(struct guard_code_making *making, size_t offset, enum opcode how);
void guard_find_entry(struct guard_code_making *making, unsigned variable);
void guard_count(struct guard_code_making *making, size_t offset, enum opcode how);
void guard_get_of_entry(struct guard_code_making *making, size_t offset);
void guard_get_left(struct guard_code_making *making);
void guard_take_site(struct guard_code_making *making);
void guard_put_number(struct guard_code_making *making, size_t offset);

#endif
