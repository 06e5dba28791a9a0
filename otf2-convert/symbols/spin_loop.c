#include "otf2-convert/symbols/spin_loop.h"

#include <string.h>

enum {
  LOOP_MOST = 16,  /* instructions */
  NODES_MOST = 64, /* instructions that are looked at */
  NO_REGISTER = 32,
  INSTRUCTION_MOST = 15 /* bytes */
};

/* Parts of an instruction, from its first byte on. */
struct instruction {
  size_t length; /* 0: unknown */
  uint8_t map;   /* 0: one byte, 1: 0f, 2: 0f 38, 3: 0f 3a; others: none that matters */
  uint8_t opcode, modrm;
  bool has_modrm, memory, wide, short_operand, repeat, lock, vector;
  uint8_t reg, base, index; /* numbers; NO_REGISTER: none */
  size_t displacement;      /* bytes */
  int64_t jump;             /* from the end of the instruction; of relative jumps */
};

static bool is_prefix(uint8_t byte)
{
  return memchr("\x66\xf2\xf3\xf0\x2e\x36\x3e\x26\x64\x65\x67", byte, 11) != NULL;
}

static bool has_modrm(const struct instruction *in)
{
  uint8_t op = in->opcode;
  if (in->vector)
    return !(in->map == 1 && op == 0x77);
  if (in->map > 1)
    return true;
  if (in->map == 1)
    return !((op >= 0x80 && op <= 0x8f) || (op >= 0xc8 && op <= 0xcf) || (op >= 0x30 && op <= 0x37) || op == 0x05 ||
             op == 0x06 || op == 0x08 || op == 0x09 || op == 0x0b || op == 0x77 || (op >= 0xa0 && op <= 0xa2) ||
             (op >= 0xa8 && op <= 0xaa));
  if (op < 0x40)
    return (op & 7) < 4;
  return op == 0x63 || op == 0x69 || op == 0x6b || (op >= 0x80 && op <= 0x8f) || op == 0xc0 || op == 0xc1 ||
         op == 0xc6 || op == 0xc7 || (op >= 0xd0 && op <= 0xd3) || (op >= 0xd8 && op <= 0xdf) || op == 0xf6 ||
         op == 0xf7 || op >= 0xfe;
}

/* Bytes of the immediate operand; a relative jump has one, too. */
static size_t immediate_of(const struct instruction *in)
{
  uint8_t op = in->opcode, reg = in->modrm >> 3 & 7;
  size_t word = in->short_operand && !in->wide ? 2 : 4;
  if (in->map == 3)
    return 1;
  if (in->map == 1)
    return (op >= 0x80 && op <= 0x8f && !in->vector) ? 4
           : (op >= 0x70 && op <= 0x73) || op == 0xc2 || op == 0xc4 || op == 0xc5 || op == 0xc6 ||
                   (!in->vector && (op == 0xa4 || op == 0xac || op == 0xba))
               ? 1
               : 0;
  if (in->map != 0)
    return 0;
  if (op < 0x40)
    return (op & 7) == 4 ? 1 : (op & 7) == 5 ? word : 0;
  if (op == 0xf6 || op == 0xf7)
    return reg > 1 ? 0 : op == 0xf6 ? 1 : word;
  if (op >= 0xb8 && op <= 0xbf)
    return in->wide ? 8 : word;
  if (op >= 0xa0 && op <= 0xa3)
    return 8;
  if (op == 0x68 || op == 0x69 || op == 0x81 || op == 0xa9 || op == 0xc7)
    return word;
  if (op == 0xe8 || op == 0xe9)
    return 4;
  if (op == 0xc2 || op == 0xca)
    return 2;
  if (op == 0xc8)
    return 3;
  return op == 0x6a || op == 0x6b || (op >= 0x70 && op <= 0x80) || op == 0x83 || op == 0xa8 ||
         (op >= 0xb0 && op <= 0xb7) || op == 0xc0 || op == 0xc1 || op == 0xc6 || op == 0xcd ||
         (op >= 0xe0 && op <= 0xe7) || op == 0xeb;
}

/* Reads prefixes and the opcode. False: it does not end in these bytes. */
static bool read_opcode(struct instruction *in, const uint8_t *bytes, size_t count, size_t *at, uint8_t *rex)
{
  for (; *at < count && is_prefix(bytes[*at]); ++*at) {
    in->short_operand |= bytes[*at] == 0x66;
    in->repeat |= bytes[*at] == 0xf3;
    in->lock |= bytes[*at] == 0xf0;
  }
  if (*at < count && (bytes[*at] & 0xf0) == 0x40)
    *rex = bytes[(*at)++];
  in->wide = *rex & 8;
  if (*at + 4 >= count)
    return false;
  const uint8_t *from = bytes + *at;
  if (from[0] == 0xc5 || from[0] == 0xc4 || from[0] == 0x62) {
    in->vector = true;
    in->map = from[0] == 0xc5 ? 1 : from[1] & (from[0] == 0xc4 ? 31 : 7);
    *at += from[0] == 0xc5 ? 2 : from[0] == 0xc4 ? 3 : 4;
  } else if (from[0] == 0x0f) {
    in->map = from[1] == 0x38 ? 2 : from[1] == 0x3a ? 3 : 1;
    *at += in->map == 1 ? 1 : 2;
  }
  in->opcode = bytes[(*at)++];
  return true;
}

/* Reads the byte that names operands, and what belongs to it. */
static bool read_operands(struct instruction *in, const uint8_t *bytes, size_t count, size_t *at, uint8_t rex)
{
  in->reg = in->base = in->index = NO_REGISTER;
  if (!(in->has_modrm = has_modrm(in)))
    return true;
  if (*at >= count)
    return false;
  in->modrm = bytes[(*at)++];
  uint8_t mod = in->modrm >> 6, rm = in->modrm & 7;
  in->reg = (uint8_t)((in->modrm >> 3 & 7) | (rex & 4) << 1);
  in->memory = mod != 3;
  if (!in->memory)
    return true;
  in->displacement = mod == 1 ? 1 : mod == 2 || (mod == 0 && rm == 5) ? 4 : 0;
  if (rm == 4) {
    if (*at >= count)
      return false;
    uint8_t sib = bytes[(*at)++];
    in->displacement = mod == 0 && (sib & 7) == 5 ? 4 : in->displacement;
    in->base = (uint8_t)((sib & 7) | (rex & 1) << 3);
    in->index = (uint8_t)((sib >> 3 & 7) | (rex & 2) << 2);
  } else if (mod != 0 || rm != 5) {
    in->base = (uint8_t)(rm | (rex & 1) << 3);
  }
  *at += in->displacement;
  return true;
}

static struct instruction decode(const uint8_t *bytes, size_t count)
{
  struct instruction in = {0};
  size_t at = 0;
  uint8_t rex = 0;
  if (!read_opcode(&in, bytes, count, &at, &rex) || !read_operands(&in, bytes, count, &at, rex))
    return in;
  size_t immediate = immediate_of(&in);
  if (at + immediate > count)
    return in;
  if (immediate == 1) {
    in.jump = (int8_t)bytes[at];
  } else if (immediate == 4) {
    int32_t jump;
    memcpy(&jump, bytes + at, sizeof jump);
    in.jump = jump;
  }
  in.length = at + immediate;
  return in;
}

static bool is_condition(const struct instruction *in)
{
  return !in->vector && ((in->map == 0 && in->opcode >= 0x70 && in->opcode <= 0x7f) ||
                         (in->map == 1 && in->opcode >= 0x80 && in->opcode <= 0x8f));
}

static bool is_jump(const struct instruction *in)
{
  return !in->vector && in->map == 0 && (in->opcode == 0xe9 || in->opcode == 0xeb);
}

/* Calls, returns, jumps by a register, the kernel: the loop is left. */
static bool leaves(const struct instruction *in)
{
  uint8_t op = in->opcode, reg = in->modrm >> 3 & 7;
  if (in->vector)
    return false;
  if (in->map == 1)
    return op == 0x05 || op == 0x0b || op == 0x34;
  return in->map == 0 && (op == 0xe8 || op == 0xc2 || op == 0xc3 || op == 0xcc || op == 0xcd || op == 0xf4 ||
                          (op >= 0xe0 && op <= 0xe3) || (op == 0xff && reg >= 2 && reg <= 5));
}

static bool is_pause(const struct instruction *in)
{
  return in->map == 0 && in->opcode == 0x90 && in->repeat && !in->vector;
}

static bool is_exchange(const struct instruction *in)
{
  if (!in->memory || in->vector)
    return false;
  return in->map == 0
             ? in->opcode == 0x86 || in->opcode == 0x87
             : in->map == 1 && in->lock &&
                   (in->opcode == 0xb0 || in->opcode == 0xb1 || (in->opcode == 0xc7 && (in->modrm >> 3 & 7) == 1));
}

/* Adds or subtracts in a register: the loop may count. */
static bool may_count(const struct instruction *in)
{
  uint8_t op = in->opcode, reg = in->modrm >> 3 & 7;
  if (in->map != 0 || in->vector)
    return false;
  if (op == 0x8d)
    return in->reg == in->base;
  if (op < 0x06 || (op >= 0x28 && op < 0x2e))
    return !in->memory || (op & 7) == 2 || (op & 7) == 3;
  return !in->memory && (((op == 0x81 || op == 0x83) && (reg == 0 || reg == 5)) || (op >= 0xfe && reg < 2));
}

static bool loads(const struct instruction *in)
{
  if (!in->memory || in->vector)
    return false;
  return in->map == 0
             ? in->opcode == 0x8a || in->opcode == 0x8b
             : in->map == 1 && (in->opcode == 0xb6 || in->opcode == 0xb7 || in->opcode == 0xbe || in->opcode == 0xbf);
}

static bool compares(const struct instruction *in)
{
  uint8_t op = in->opcode, reg = in->modrm >> 3 & 7;
  if (in->map != 0 || in->vector)
    return false;
  return (op >= 0x38 && op <= 0x3d) || op == 0x84 || op == 0x85 || op == 0xa8 || op == 0xa9 ||
         ((op == 0x80 || op == 0x81 || op == 0x83) && reg == 7) || ((op == 0xf6 || op == 0xf7) && reg == 0);
}

/* An instruction on the way from the first one. */
struct node {
  size_t at;
  uint8_t before, depth; /* before: the one before it on the shortest way */
  struct instruction in;
};

/* The way from the first node to `last`, which goes back to the first one, is the loop. */
static bool waits(const struct node *nodes, unsigned last)
{
  bool pauses = false, exchanges = false, counting = false, only_loads = true, reads = false;
  uint32_t written = 0, addressed = 0;
  for (unsigned i = last;; i = nodes[i].before) {
    const struct instruction *in = &nodes[i].in;
    bool load = loads(in), compare = compares(in);
    pauses |= is_pause(in);
    exchanges |= is_exchange(in);
    counting |= may_count(in);
    only_loads = only_loads && (load || compare || is_condition(in) || is_jump(in));
    reads |= in->memory && (load || compare);
    written |= load ? 1u << in->reg : 0;
    addressed |= (in->base < NO_REGISTER ? 1u << in->base : 0) | (in->index < NO_REGISTER ? 1u << in->index : 0);
    if (i == 0)
      break;
  }
  return pauses || (exchanges && !counting) || (only_loads && reads && !(written & addressed));
}

static bool add_node(struct node *nodes, unsigned *count, unsigned from, size_t at)
{
  for (unsigned i = 0; i < *count; i++)
    if (nodes[i].at == at)
      return true;
  if (*count == NODES_MOST)
    return false;
  nodes[(*count)++] = (struct node){.at = at, .before = (uint8_t)from, .depth = (uint8_t)(nodes[from].depth + 1)};
  return true;
}

bool spin_loop_has(const uint8_t *bytes, size_t count, size_t at)
{
  struct node nodes[NODES_MOST] = {{.at = at}};
  unsigned known = 1;
  for (unsigned i = 0; i < known; i++) { /* the shortest ways first */
    struct node *node = &nodes[i];
    node->in = node->at < count ? decode(bytes + node->at, count - node->at) : (struct instruction){0};
    if (node->in.length == 0 || leaves(&node->in))
      continue;
    size_t next = node->at + node->in.length;
    int64_t target = (int64_t)next + node->in.jump;
    bool jumps = is_jump(&node->in) || is_condition(&node->in), falls = !is_jump(&node->in);
    if ((falls && next == at) || (jumps && target == (int64_t)at))
      return waits(nodes, i);
    if (node->depth + 1 >= LOOP_MOST)
      continue;
    if ((falls && !add_node(nodes, &known, i, next)) ||
        (jumps && target >= 0 && target < (int64_t)count && !add_node(nodes, &known, i, (size_t)target)))
      return false;
  }
  return false;
}

static bool is_atomic(const struct instruction *in)
{
  return in->length > 0 && in->memory && !in->vector &&
         (in->lock || (in->map == 0 && (in->opcode == 0x86 || in->opcode == 0x87)));
}

bool spin_loop_is_atomic(const uint8_t *bytes, size_t count, size_t at)
{
  struct instruction in = at < count ? decode(bytes + at, count - at) : (struct instruction){0};
  bool found = is_atomic(&in);
  for (size_t length = 2; !found && at < count && length <= INSTRUCTION_MOST && length <= at; length++) {
    in = decode(bytes + at - length, count - (at - length));
    found = in.length == length && is_atomic(&in);
  }
  return found;
}
