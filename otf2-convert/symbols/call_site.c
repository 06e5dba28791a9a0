#include "otf2-convert/symbols/call_site.h"

#include "base/vector.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#define NEXT_REACH 256u /* bytes behind an address in which the next call is looked for */
#define STEPS_MAX  32u  /* instructions that are followed behind a call */

/* An entry of the global offset table that a function's address is put into. */
struct slot {
  uint64_t address;
  const char *name;
};

struct code {
  Elf *elf;
  VECTOR(struct slot) slots; /* by address */
};

static int call_site_by_address(const void *a, const void *b)
{
  const struct slot *x = a, *y = b;
  return x->address < y->address ? -1 : x->address > y->address;
}

static bool add_relocations(struct code *code, Elf_Scn *section, const GElf_Shdr *header)
{
  GElf_Shdr symbols_header;
  Elf_Scn *symbols_section = elf_getscn(code->elf, header->sh_link);
  Elf_Data *data = elf_getdata(section, NULL);
  Elf_Data *symbols = symbols_section == NULL ? NULL : elf_getdata(symbols_section, NULL);
  if (data == NULL || symbols == NULL || header->sh_entsize == 0 ||
      gelf_getshdr(symbols_section, &symbols_header) == NULL)
    return true;
  for (size_t i = 0; i < data->d_size / header->sh_entsize && i < INT32_MAX; i++) {
    GElf_Rela relocation;
    GElf_Sym symbol;
    if (gelf_getrela(data, (int)i, &relocation) == NULL)
      break;
    unsigned type = (unsigned)GELF_R_TYPE(relocation.r_info);
    if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
        gelf_getsym(symbols, (int)GELF_R_SYM(relocation.r_info), &symbol) == NULL)
      continue;
    const char *name = elf_strptr(code->elf, symbols_header.sh_link, symbol.st_name);
    if (name == NULL || (strncmp(name, "GOMP_", 5) != 0 && strncmp(name, "omp_", 4) != 0))
      continue;
    struct slot slot = {.address = relocation.r_offset, .name = name};
    if (!vector_push(&code->slots, slot))
      return false;
  }
  return true;
}

struct code *code_open(Elf *elf)
{
  GElf_Ehdr header;
  struct code *code;
  if (elf == NULL || gelf_getehdr(elf, &header) == NULL || header.e_machine != EM_X86_64 ||
      (code = calloc(1, sizeof *code)) == NULL)
    return NULL;
  code->elf = elf;
  Elf_Scn *section = NULL;
  GElf_Shdr section_header;
  while ((section = elf_nextscn(elf, section)) != NULL)
    if (gelf_getshdr(section, &section_header) != NULL && section_header.sh_type == SHT_RELA &&
        !add_relocations(code, section, &section_header))
      break;
  if (code->slots.count == 0) {
    code_close(code);
    return NULL;
  }
  qsort(code->slots.items, code->slots.count, sizeof *code->slots.items, call_site_by_address);
  return code;
}

void code_close(struct code *code)
{
  if (code == NULL)
    return;
  vector_free(&code->slots);
  free(code);
}

size_t code_bytes(Elf *elf, uint64_t address, uint8_t *bytes, size_t n)
{
  size_t headers;
  GElf_Phdr header;
  if (elf_getphdrnum(elf, &headers) != 0)
    return 0;
  for (size_t i = 0; i < headers && i < INT32_MAX; i++) {
    if (gelf_getphdr(elf, (int)i, &header) == NULL || header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0 ||
        address < header.p_vaddr || address - header.p_vaddr >= header.p_filesz)
      continue;
    uint64_t into = address - header.p_vaddr, left = header.p_filesz - into;
    size_t got = left < n ? (size_t)left : n;
    Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)(header.p_offset + into), got, ELF_T_BYTE);
    if (data == NULL || data->d_size < got || data->d_buf == NULL)
      return 0;
    memcpy(bytes, data->d_buf, got);
    return got;
  }
  return 0;
}

static size_t bytes_at(const struct code *code, uint64_t address, uint8_t *bytes, size_t n)
{
  return code_bytes(code->elf, address, bytes, n);
}

static int32_t signed32(const uint8_t *bytes)
{
  int32_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

static const char *name_in_slot(const struct code *code, uint64_t address)
{
  struct slot key = {.address = address};
  const struct slot *slot =
      bsearch(&key, code->slots.items, code->slots.count, sizeof *code->slots.items, call_site_by_address);
  return slot == NULL ? NULL : slot->name;
}

const char *code_callee(const struct code *code, uint64_t after)
{
  uint8_t bytes[16];
  if (after < 6 || bytes_at(code, after - 6, bytes, 6) < 6)
    return NULL;
  if (bytes[0] == 0xff && bytes[1] == 0x15) /* call *slot(%rip) */
    return name_in_slot(code, after + (uint64_t)(int64_t)signed32(bytes + 2));
  if (bytes[1] != 0xe8)
    return NULL;
  uint64_t entry = after + (uint64_t)(int64_t)signed32(bytes + 2);
  size_t n = bytes_at(code, entry, bytes, sizeof bytes);
  size_t at = n >= 4 && memcmp(bytes, "\xf3\x0f\x1e\xfa", 4) == 0 ? 4 : 0; /* endbr64 */
  if (at < n && bytes[at] == 0xf2)                                         /* bnd */
    at++;
  if (at + 6 > n || bytes[at] != 0xff || bytes[at + 1] != 0x25) /* jmp *slot(%rip) */
    return NULL;
  return name_in_slot(code, entry + at + 6 + (uint64_t)(int64_t)signed32(bytes + at + 2));
}

/* lea x(%rip),%reg: loads an address. */
static bool is_load(const uint8_t *bytes, size_t n)
{
  return n >= 7 && (bytes[0] & 0xfb) == 0x48 && bytes[1] == 0x8d && (bytes[2] & 0xc7) == 0x05;
}

/* True if a call may begin at these `length` bytes; then *after is its return address. */
static bool may_be_call(const uint8_t *bytes, size_t length, uint64_t address, uint64_t *after)
{
  bool direct = length >= 5 && bytes[0] == 0xe8, by_slot = length >= 6 && bytes[0] == 0xff && bytes[1] == 0x15;
  *after = address + (direct ? 5 : 6);
  return direct || by_slot;
}

uint64_t code_next_call(const struct code *code, uint64_t from, bool or_jump)
{
  uint8_t bytes[NEXT_REACH];
  uint64_t after;
  size_t n = bytes_at(code, from, bytes, sizeof bytes);
  for (size_t at = 0; at < n; at++)
    if ((or_jump && (bytes[at] == 0xeb || bytes[at] == 0xe9)) ||
        (may_be_call(bytes + at, n - at, from + at, &after) && code_callee(code, after) != NULL))
      return from + at;
  return from + n;
}

/* The flags of the processor as far as the jumps below look at them. */
struct flags {
  bool known, zero, below, less;
};

static struct flags call_site_compare(uint32_t a, uint32_t b)
{
  return (struct flags){.known = true, .zero = a == b, .below = a < b, .less = (int32_t)a < (int32_t)b};
}

/* True if a conditional jump is done; condition: the low four bits of its operation code. */
static bool is_taken(unsigned condition, struct flags flags, bool *known)
{
  bool yes;
  *known = flags.known;
  switch (condition & 0xe) {
  case 0x2:
    yes = flags.below;
    break;
  case 0x4:
    yes = flags.zero;
    break;
  case 0x6:
    yes = flags.below || flags.zero;
    break;
  case 0x8: /* the sign, of differences of small numbers */
  case 0xc:
    yes = flags.less;
    break;
  case 0xe:
    yes = flags.less || flags.zero;
    break;
  default:
    *known = false;
    return false;
  }
  return yes != ((condition & 1) != 0);
}

/* One instruction that compares %eax, jumps, or matters to neither; returns its length, 0: it is another. */
static unsigned call_site_step(const uint8_t *bytes, size_t n, uint32_t *value, struct flags *flags, int64_t *jump)
{
  bool known = true;
  *jump = 0;
  if (n >= 3 && bytes[0] == 0x48 && bytes[1] == 0x85 && bytes[2] == 0xc0) /* test %rax,%rax */
    return *flags = call_site_compare(*value, 0), 3;
  if (n >= 2 && (bytes[0] == 0x84 || bytes[0] == 0x85) && bytes[1] == 0xc0) /* test %al,%al; %eax,%eax */
    return *flags = call_site_compare(*value, 0), 2;
  if (n >= 2 && bytes[0] == 0x3c) /* cmp $x,%al */
    return *flags = call_site_compare(*value, bytes[1]), 2;
  if (n >= 3 && bytes[0] == 0x83 && (bytes[1] == 0xf8 || bytes[1] == 0xe8)) { /* cmp $x,%eax; sub $x,%eax */
    *flags = call_site_compare(*value, (uint32_t)(int8_t)bytes[2]);
    *value -= bytes[1] == 0xe8 ? (uint32_t)(int8_t)bytes[2] : 0;
    return 3;
  }
  if (n >= 4 && bytes[0] == 0x48 && bytes[1] == 0x83 && bytes[2] == 0xf8) /* cmp $x,%rax */
    return *flags = call_site_compare(*value, (uint32_t)(int8_t)bytes[3]), 4;
  if (n >= 3 && bytes[0] == 0x0f && bytes[1] == 0xb6 && bytes[2] == 0xc0) /* movzbl %al,%eax */
    return 3;
  if (is_load(bytes, n))
    return 7;
  if (n >= 2 && (bytes[0] & 0xf0) == 0x70) {
    *jump = is_taken(bytes[0] & 0xf, *flags, &known) ? (int8_t)bytes[1] : 0;
    return known ? 2 : 0;
  }
  if (n >= 6 && bytes[0] == 0x0f && (bytes[1] & 0xf0) == 0x80) {
    *jump = is_taken(bytes[1] & 0xf, *flags, &known) ? signed32(bytes + 2) : 0;
    return known ? 6 : 0;
  }
  if (n >= 2 && bytes[0] == 0xeb)
    return *jump = (int8_t)bytes[1], 2;
  if (n >= 5 && bytes[0] == 0xe9)
    return *jump = signed32(bytes + 1), 5;
  return 0;
}

uint64_t code_continues(const struct code *code, uint64_t after, uint32_t value)
{
  struct flags flags = {false, false, false, false}; /* a jump on what nothing here has compared is not followed */
  uint64_t at = after, reached = after;              /* what matters to nothing belongs to what comes then */
  for (unsigned steps = 0; steps < STEPS_MAX; steps++) {
    uint8_t bytes[8];
    int64_t jump;
    size_t n = bytes_at(code, at, bytes, sizeof bytes);
    unsigned length = call_site_step(bytes, n, &value, &flags, &jump);
    if (length == 0)
      break;
    at += length + (uint64_t)jump;
    if (!is_load(bytes, n))
      reached = at;
  }
  return reached;
}
