#include "jvmti-agent/weaver/guard_code.h"

#include <string.h>

#define UNSAFE "jdk/internal/misc/Unsafe"

static uint16_t reference(struct constants *constants, const char *owner, const char *name, const char *descriptor)
{
  uint16_t class = constants_class(constants, (struct span){owner, strlen(owner)}),
           of_name = constants_text(constants, name);
  return constants_method(constants, class, of_name, constants_text(constants, descriptor));
}

struct guard_constants guard_constants(struct constants *constants, uint16_t table)
{
  return (struct guard_constants){
      .constants = constants,
      .unsafe = reference(constants, UNSAFE, "getUnsafe", "()L" UNSAFE ";"),
      .get_byte = reference(constants, UNSAFE, "getByte", "(J)B"),
      .get_int = reference(constants, UNSAFE, "getInt", "(J)I"),
      .put_int = reference(constants, UNSAFE, "putInt", "(JI)V"),
      .get_long = reference(constants, UNSAFE, "getLong", "(J)J"),
      .get_long_of = reference(constants, UNSAFE, "getLong", "(Ljava/lang/Object;J)J"),
      .current_thread = reference(constants, "java/lang/Thread", "currentThread", "()Ljava/lang/Thread;"),
      .get_class = reference(constants, "java/lang/Object", "getClass", "()Ljava/lang/Class;"),
      .identity_hash = reference(constants, "java/lang/System", "identityHashCode", "(Ljava/lang/Object;)I"),
      .table = table};
}

void guard_op(struct buffer *code, enum opcode op, uint16_t constant)
{
  buffer_u1(code, op);
  buffer_u2(code, constant);
}

void guard_op_variable(struct buffer *code, enum opcode op, unsigned variable)
{
  buffer_u1(code, op);
  buffer_u1(code, variable);
}

void guard_push_long(struct buffer *code, const struct guard_constants *of, uint64_t number)
{
  guard_op(code, OP_LDC2_W, constants_long(of->constants, number));
}

void guard_branch(struct guard_code_making *making, enum opcode how, enum label to)
{
  if (making->jumps == GUARD_JUMPS) {
    making->code->failed = true;
    return;
  }
  making->jump[making->jumps].at = making->code->size;
  making->jump[making->jumps++].to = to;
  guard_op(making->code, how, 0);
}

void guard_here(struct guard_code_making *making, enum label label)
{
  making->label[label] = making->code->size;
}

void guard_resolve(struct guard_code_making *making)
{
  for (unsigned i = 0; i < making->jumps && !making->code->failed; i++)
    buffer_set_u2(making->code, making->jump[i].at + 1,
                  (unsigned)(making->label[making->jump[i].to] - making->jump[i].at) & 0xffff);
}

/* Unsafe, and the address of a word of the thread. */
void guard_push_word(struct guard_code_making *making, size_t offset)
{
  guard_op(making->code, OP_INVOKESTATIC, making->of->unsafe);
  guard_op_variable(making->code, OP_LLOAD, making->table);
  if (offset > 0) {
    guard_push_long(making->code, making->of, offset);
    buffer_u1(making->code, OP_LADD);
  }
}

void guard_get(struct guard_code_making *making, size_t offset)
{
  guard_push_word(making, offset);
  guard_op(making->code, OP_INVOKEVIRTUAL, making->of->get_int);
}

/* More: to the number that is there. */
void guard_put(struct guard_code_making *making, size_t offset, int number)
{
  guard_push_word(making, offset);
  buffer_u1(making->code, (unsigned)(OP_ICONST_0 + number));
  guard_op(making->code, OP_INVOKEVIRTUAL, making->of->put_int);
}

void guard_add_to(struct guard_code_making *making, size_t offset, enum opcode how)
{
  guard_push_word(making, offset);
  guard_get(making, offset);
  buffer_u1(making->code, OP_ICONST_1);
  buffer_u1(making->code, how);
  guard_op(making->code, OP_INVOKEVIRTUAL, making->of->put_int);
}

/* The site whose number + 1 is in a variable becomes the entry. */
void guard_find_entry(struct guard_code_making *making, unsigned variable)
{
  struct buffer *code = making->code;
  guard_op_variable(code, OP_LLOAD, making->table);
  guard_op_variable(code, OP_ILOAD, variable);
  buffer_u1(code, OP_I2L);
  guard_op(code, OP_LDC_W, constants_integer(making->of->constants, GUARD_SITE_SHIFT));
  buffer_u1(code, OP_LSHL);
  buffer_u1(code, OP_LADD);
  guard_push_long(code, making->of, GUARD_SITES_AT - (1u << GUARD_SITE_SHIFT));
  buffer_u1(code, OP_LADD);
  guard_op_variable(code, OP_LSTORE, making->entry);
}

/* A word of the entry grows or shrinks by 1. */
void guard_count(struct guard_code_making *making, size_t offset, enum opcode how)
{
  struct guard_code_making entry = *making; /* the same with the entry as the base */
  entry.table = making->entry;
  guard_add_to(&entry, offset, how);
}

/* A word of the entry. */
void guard_get_of_entry(struct guard_code_making *making, size_t offset)
{
  struct guard_code_making entry = *making; /* the same with the entry as the base */
  entry.table = making->entry;
  guard_get(&entry, offset);
}

/* The entry's `left`. */
void guard_get_left(struct guard_code_making *making)
{
  guard_get_of_entry(making, offsetof(struct guard_site, left));
}

/* number = site + 1, if that is in the table. */
void guard_take_site(struct guard_code_making *making)
{
  struct buffer *code = making->code;
  guard_op_variable(code, OP_ILOAD, making->site);
  guard_op(code, OP_LDC_W, constants_integer(making->of->constants, GUARD_SITES));
  guard_branch(making, OP_IF_ICMPGE, CALL_HOOK);
  guard_op_variable(code, OP_ILOAD, making->site);
  buffer_u1(code, OP_ICONST_1);
  buffer_u1(code, OP_IADD);
  guard_op_variable(code, OP_ISTORE, making->number);
}

void guard_put_number(struct guard_code_making *making, size_t offset)
{
  guard_push_word(making, offset);
  guard_op_variable(making->code, OP_ILOAD, making->number);
  guard_op(making->code, OP_INVOKEVIRTUAL, making->of->put_int);
}

void guard_switch(struct guard_code_making *making, const struct hook_memory *memory, enum label off)
{
  struct buffer *code = making->code;
  guard_op(code, OP_INVOKESTATIC, making->of->unsafe);
  guard_push_long(code, making->of, (uintptr_t)memory->switches);
  guard_op_variable(code, OP_ILOAD, making->site);
  buffer_u1(code, OP_I2L);
  buffer_u1(code, OP_LADD);
  guard_op(code, OP_INVOKEVIRTUAL, making->of->get_byte);
  guard_branch(making, OP_IFEQ, off);
}
