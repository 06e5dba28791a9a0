/*
 * Class files (JVM specification, chapters 4 and 6): reads them in place. Every index and length is checked when the
 * file is read or when it is used; functions refuse what is damaged. Nothing here changes the bytes or keeps memory
 * after class_file_free. Any thread; one thread at a time uses a class_file.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_CLASS_FILE_H
#define HEDDLE_JVMTI_AGENT_WEAVER_CLASS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Instructions that the weaver reads or writes. */
enum opcode {
  OP_ACONST_NULL = 1,
  OP_ICONST_0 = 3,
  OP_ICONST_1 = 4,
  OP_ICONST_4 = 7,
  OP_LCONST_0 = 9,
  OP_LCONST_1 = 10,
  OP_BIPUSH = 16,
  OP_LDC = 18,
  OP_LDC_W = 19,
  OP_LDC2_W = 20,
  OP_ILOAD = 21,
  OP_LLOAD = 22,
  OP_FLOAD = 23,
  OP_DLOAD = 24,
  OP_ALOAD = 25,
  OP_ILOAD_0 = 26,
  OP_ILOAD_1 = 27,
  OP_LLOAD_0 = 30,
  OP_ALOAD_0 = 42,
  OP_AALOAD = 50,
  OP_ISTORE = 54,
  OP_LSTORE = 55,
  OP_FSTORE = 56,
  OP_DSTORE = 57,
  OP_ASTORE = 58,
  OP_ISTORE_0 = 59,
  OP_LSTORE_0 = 63,
  OP_ASTORE_0 = 75,
  OP_POP = 87,
  OP_POP2 = 88,
  OP_DUP = 89,
  OP_DUP_X2 = 91,
  OP_DUP2 = 92,
  OP_DUP2_X1 = 93,
  OP_IADD = 96,
  OP_LADD = 97,
  OP_ISUB = 100,
  OP_LSHL = 121,
  OP_LAND = 127,
  OP_LOR = 129,
  OP_IOR = 128,
  OP_IINC = 132,
  OP_I2L = 133,
  OP_L2I = 136,
  OP_LCMP = 148,
  OP_IFEQ = 153,
  OP_IFNE = 154,
  OP_IFLE = 158,
  OP_IF_ICMPNE = 160,
  OP_IF_ICMPGE = 162,
  OP_GOTO = 167,
  OP_JSR = 168,
  OP_TABLESWITCH = 170,
  OP_LOOKUPSWITCH = 171,
  OP_IRETURN = 172,
  OP_LRETURN = 173,
  OP_FRETURN = 174,
  OP_DRETURN = 175,
  OP_ARETURN = 176,
  OP_RETURN = 177,
  OP_GETSTATIC = 178,
  OP_PUTSTATIC = 179,
  OP_GETFIELD = 180,
  OP_INVOKEVIRTUAL = 182,
  OP_INVOKESPECIAL = 183,
  OP_INVOKESTATIC = 184,
  OP_INVOKEINTERFACE = 185,
  OP_NEW = 187,
  OP_ANEWARRAY = 189,
  OP_ATHROW = 191,
  OP_CHECKCAST = 192,
  OP_INSTANCEOF = 193,
  OP_MONITORENTER = 194,
  OP_MONITOREXIT = 195,
  OP_WIDE = 196,
  OP_MULTIANEWARRAY = 197,
  OP_IFNULL = 198,
  OP_IFNONNULL = 199,
  OP_GOTO_W = 200,
  OP_JSR_W = 201
};

enum class_access {
  ACC_PUBLIC = 0x0001,
  ACC_PRIVATE = 0x0002,
  ACC_PROTECTED = 0x0004,
  ACC_STATIC = 0x0008,
  ACC_FINAL = 0x0010,
  ACC_SUPER = 0x0020,
  ACC_SYNCHRONIZED = 0x0020,
  ACC_BRIDGE = 0x0040,
  ACC_NATIVE = 0x0100,
  ACC_INTERFACE = 0x0200,
  ACC_ABSTRACT = 0x0400,
  ACC_SYNTHETIC = 0x1000
};

enum class_constant {
  CONSTANT_UTF8 = 1,
  CONSTANT_INTEGER = 3,
  CONSTANT_FLOAT = 4,
  CONSTANT_LONG = 5,
  CONSTANT_DOUBLE = 6,
  CONSTANT_CLASS = 7,
  CONSTANT_STRING = 8,
  CONSTANT_FIELD = 9,
  CONSTANT_METHOD = 10,
  CONSTANT_INTERFACE_METHOD = 11,
  CONSTANT_NAME_AND_TYPE = 12,
  CONSTANT_METHOD_HANDLE = 15,
  CONSTANT_METHOD_TYPE = 16,
  CONSTANT_DYNAMIC = 17,
  CONSTANT_INVOKE_DYNAMIC = 18,
  CONSTANT_MODULE = 19,
  CONSTANT_PACKAGE = 20
};

/* Bytes of the class file; names are modified UTF-8, class names with '/'. bytes NULL: there is none. */
struct span {
  const char *bytes;
  size_t size;
};

static inline bool span_is(struct span span, const char *string)
{
  return span.bytes && strlen(string) == span.size && memcmp(span.bytes, string, span.size) == 0;
}

/* Copies a name to a string, cut to fit; class names get '.' between packages. */
const char *span_string(struct span span, char *string, size_t size);

/* Positions are offsets from the begin of the class file, in bytes. */
struct class_method {
  size_t at, end; /* the method_info: access flags, name and descriptor are its first three words */
  uint16_t access, name, descriptor;
  size_t code;        /* the first instruction; 0: the method has no code */
  uint32_t code_size; /* of the instructions */
  size_t attributes;  /* of the Code attribute: their number; then they follow, all checked */
};

struct class_file {
  const uint8_t *bytes;
  size_t size;
  uint16_t major;
  uint16_t pool_count; /* constants are 1 ... pool_count - 1 */
  size_t *pool;        /* of each constant's tag; 0: not a constant */
  size_t pool_end;
  uint16_t access, this_class, super_class;
  size_t methods_at; /* the number of methods */
  uint16_t method_count;
  struct class_method *methods;
  size_t methods_end; /* there is the number of the class' attributes */
  uint16_t attribute_count;
  size_t last_attribute; /* where the last one begins, if there are any */
  uint16_t source_file;  /* constant; 0: unknown */
};

/* A reference to a method or a field, resolved to its names. */
struct class_method_ref {
  struct span owner, name, descriptor;
};

/* Reads a class file. False: it is none, damaged, or out of memory; then there is nothing to free. */
bool class_file_read(struct class_file *file, const uint8_t *bytes, size_t size);
void class_file_free(struct class_file *file);
/* Reads the number of constants and the constants alone. */
bool class_constants_read(struct class_file *file, const uint8_t *bytes, size_t size);

/* Return what a constant holds; a span without bytes, or false, if it is of another kind. */
struct span class_utf8(const struct class_file *file, uint16_t constant);
struct span class_name(const struct class_file *file, uint16_t constant);
bool class_method_ref(const struct class_file *file, uint16_t constant, struct class_method_ref *ref);
bool class_field_ref(const struct class_file *file, uint16_t constant, struct class_method_ref *ref);
/* A method of a class or an interface. */
bool class_call_ref(const struct class_file *file, uint16_t constant, struct class_method_ref *ref);

/* Returns the constant that refers to a field; 0: none. */
uint16_t class_find_field(const struct class_file *file, const char *owner, const char *name, const char *descriptor);

/* Returns the source line of an instruction; 0: unknown. */
unsigned class_line(const struct class_file *file, const struct class_method *method, uint32_t pc);

/* Returns the length of the instruction at pc; 0: there is none, or it is cut off. */
uint32_t class_instruction(const struct class_file *file, const struct class_method *method, uint32_t pc);

/* True if the first variable always holds `this`: the method is not static and stores nothing there. */
bool class_keeps_this(const struct class_file *file, const struct class_method *method);

/* True if the number on the stack at pc is compared with 0, maybe after conversions and copies to a variable. */
bool class_is_compared_with_zero(const struct class_file *file, const struct class_method *method, uint32_t pc);

/*
 * Finds the switch for which the value on the stack at pc is used, maybe after conversions and copies to a variable.
 * cases: places where the cases of the values 0, 1, ... begin, at most `most`. Returns their number; 0: no switch.
 */
unsigned class_switch(const struct class_file *file, const struct class_method *method, uint32_t pc, uint32_t *cases,
                      unsigned most);

/* Big-endian numbers at a position that was checked. */
static inline uint16_t class_u2(const uint8_t *at)
{
  return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t class_u4(const uint8_t *at)
{
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

#endif
