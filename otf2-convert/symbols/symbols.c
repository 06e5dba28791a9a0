#include "otf2-convert/symbols/symbols.h"

#include "base/count_of.h"
#include "common/process/vdso.h"
#include "common/raw/kernel_log.h"
#include "otf2-convert/symbols/call_site.h"
#include "otf2-convert/symbols/spin_loop.h"
#include "otf2-convert/symbols/symbol_names.h"
#include "otf2-convert/symbols/symbols_tables.h"

#include <dirent.h>
#include <dwarf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char *no_debuginfo_path;
static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                         .find_debuginfo = dwfl_standard_find_debuginfo,
                                         .section_address = dwfl_offline_section_address,
                                         .debuginfo_path = &no_debuginfo_path};

static bool build_id_matches(Dwfl_Module *module, const char *expected)
{
  const unsigned char *bits;
  GElf_Addr address;
  int n = dwfl_module_build_id(module, &bits, &address);
  if (n <= 0 || strcmp(expected, "-") == 0)
    return true;
  for (int i = 0; i < n; i++) {
    char hex[3];
    snprintf(hex, sizeof hex, "%02x", bits[i]);
    if (strncmp(expected + 2 * i, hex, 2) != 0)
      return false;
  }
  return true;
}

/* Opens a file that is one: not a pipe, which would make us wait, nor a device. */
static int open_file(const char *path)
{
  struct stat status;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
    close(fd);
    return -1;
  }
  return fd;
}

struct symbols *symbols_open(const char *path, const char *build_id)
{
  struct symbols *symbols = calloc(1, sizeof *symbols);
  if (symbols == NULL || path[0] != '/' || (symbols->dwfl = dwfl_begin(&callbacks)) == NULL) {
    free(symbols);
    return NULL;
  }
  int fd = open_file(path);
  dwfl_report_begin(symbols->dwfl);
  if (fd >= 0 && (symbols->module = dwfl_report_elf(symbols->dwfl, path, path, fd, 0, false)) == NULL)
    close(fd); /* else it is the library's now */
  dwfl_report_end(symbols->dwfl, NULL, NULL);
  if (symbols->module == NULL || !build_id_matches(symbols->module, build_id)) {
    symbols_close(symbols);
    return NULL;
  }
  symbols_read_tables(symbols);
  GElf_Addr bias;
  symbols->code = code_open(dwfl_module_getelf(symbols->module, &bias));
  return symbols;
}

void symbols_close(struct symbols *symbols)
{
  if (symbols == NULL)
    return;
  frame_rules_close(symbols->frames);
  code_close(symbols->code);
  dwfl_end(symbols->dwfl);
  symbols_free_tables(symbols);
  free(symbols);
}

/* The name of a function without debug information: in C++ as in its source, in a readable width. */
static const char *symbol_place_name(struct symbols *symbols, const char *name)
{
  char *cxx = cxx_name(name);
  if (cxx == NULL)
    return symbols_plain_name(symbols, name);
  readable_name(cxx);
  const char *kept = symbols_kept_name(symbols, cxx);
  free(cxx);
  return kept;
}

struct source_place symbols_find(struct symbols *symbols, uint64_t offset)
{
  struct source_place place = {.function = "", .file = ""};
  uint64_t address = offset - 1; /* the call is before its return address */
  if (symbols_outlined(symbols, address, &place))
    return place;
  const struct line_row *line = symbols_line(symbols, address);
  const struct function *function = symbols_function(symbols, address);
  const char *name = function != NULL ? function->name : NULL;
  if (line != NULL && line->file != STRING_TABLE_NONE) {
    place.file = symbols->files.items.items[line->file];
    place.line = line->line;
  }
  symbols_leave_headers(symbols, function, address, &place);
  if (function != NULL) {
    place.into = offset - function->low;
  } else {
    GElf_Off into;
    GElf_Sym symbol;
    name = dwfl_module_addrinfo(symbols->module, address, &into, &symbol, NULL, NULL, NULL);
    place.into = name != NULL ? into + 1 : 0;
  }
  if (name != NULL) /* without lines the compiler's number distinguishes the constructs of a function */
    place.function = place.line == 0 && symbols_is_outlined(name) ? symbols_kept_name(symbols, name)
                     : function == NULL                           ? symbol_place_name(symbols, name)
                                                                  : symbols_plain_name(symbols, name);
  if (symbols->code != NULL)
    symbols_libgomp(symbols, offset, function, &place);
  return place;
}

const char *symbols_object(struct symbols *symbols, uint64_t offset, uint64_t *into)
{
  GElf_Sym symbol;
  const char *name = dwfl_module_addrinfo(symbols->module, offset, into, &symbol, NULL, NULL, NULL);
  bool variable = name != NULL && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && *into < symbol.st_size;
  return variable ? symbols_plain_name(symbols, name) : NULL;
}

/* The functions that code is in, also inlined ones. */

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

/* libc has several names for a function. Programs call "fprintf" in place of "__fprintf", and "free" in place of
 * "__libc_free". */
static const char *called_name(struct symbols *symbols, const char *name, uint64_t begin)
{
  static const char *const marks[] = {"__libc_", "_IO_", "__"};
  const char *wanted = NULL;
  for (size_t i = 0; i < COUNT_OF(marks) && wanted == NULL; i++)
    if (strncmp(name, marks[i], strlen(marks[i])) == 0)
      wanted = name + strlen(marks[i]);
  int count = wanted != NULL && *wanted != '\0' ? dwfl_module_getsymtab(symbols->module) : 0;
  for (int i = 0; i < count; i++) {
    GElf_Sym symbol;
    GElf_Addr at;
    const char *other = dwfl_module_getsym_info(symbols->module, i, &symbol, &at, NULL, NULL, NULL);
    size_t length = strlen(wanted);
    if (other != NULL && at == begin && strncmp(other, wanted, length) == 0 &&
        (other[length] == '\0' || other[length] == '@'))
      return wanted;
  }
  return name;
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
  name = called_name(symbols, name, known != NULL ? known->low : address - into);
  if (known != NULL)
    die = known->die;
  else
    symbol_name = name;
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

/* True if the number of futex() is loaded into a register a few instructions before `at`. */
static bool loads_futex(const uint8_t *bytes, size_t at)
{
  static const uint8_t load[] = {0xb8, 0xca, 0, 0, 0};
  size_t from = at > 24 ? at - 24 : 0;
  return memmem(bytes + from, at - from, load, sizeof load) != NULL;
}

struct code_facts symbols_facts(struct symbols *symbols, uint64_t address)
{
  uint8_t bytes[2 * SPIN_LOOP_AROUND];
  GElf_Addr bias;
  GElf_Ehdr header;
  Elf *elf = dwfl_module_getelf(symbols->module, &bias);
  address -= elf != NULL ? bias : 0;
  uint64_t from = address > SPIN_LOOP_AROUND ? address - SPIN_LOOP_AROUND : 0;
  if (elf == NULL || gelf_getehdr(elf, &header) == NULL || header.e_machine != EM_X86_64)
    return (struct code_facts){.spins = false};
  size_t count = code_bytes(elf, from, bytes, sizeof bytes);
  if (count == 0) { /* the code begins later */
    from = address;
    count = code_bytes(elf, from, bytes, sizeof bytes);
  }
  size_t at = (size_t)(address - from);
  bool calls = at >= 2 && at <= count && memcmp(bytes + at - 2, "\x0f\x05", 2) == 0;
  return (struct code_facts){.spins = at < count && spin_loop_has(bytes, count, at),
                             .atomic = at < count && spin_loop_is_atomic(bytes, count, at),
                             .calls_kernel = calls,
                             .calls_futex = calls && loads_futex(bytes, at)};
}

/* Names of global and static variables, down to the member or the element that an address is in. */

#define SYMBOLS_VARIABLE_SCOPES_MAX 32u /* namespaces, functions and blocks in each other */
#define PARTS_MAX                   16u /* members and elements in each other */
#define MEMBERS_MAX                 4096u

struct text {
  char *at;
  size_t size;
};

static void symbols_variable_append(struct text *text, const char *part)
{
  size_t used = strlen(text->at);
  snprintf(text->at + used, text->size - used, "%s", part);
}

/* Finds the address of a variable with a fixed address. */
static bool address_of(Dwarf_Die *variable, uint64_t *address)
{
  Dwarf_Attribute attribute, at;
  Dwarf_Op *ops;
  size_t count;
  if (dwarf_getlocation(dwarf_attr_integrate(variable, DW_AT_location, &attribute), &ops, &count) != 0 || count != 1)
    return false;
  *address = ops[0].number;
  return ops[0].atom == DW_OP_addr ||
         ((ops[0].atom == DW_OP_addrx || ops[0].atom == DW_OP_GNU_addr_index) &&
          dwarf_getlocation_attr(&attribute, &ops[0], &at) == 0 && dwarf_formaddr(&at, address) == 0);
}

/* Notes the variables of a unit, a namespace, a function or a block. */
static void collect(struct symbols *symbols, Dwarf_Die *scope, unsigned depth)
{
  Dwarf_Die child;
  if (depth >= SYMBOLS_VARIABLE_SCOPES_MAX || dwarf_child(scope, &child) != 0)
    return;
  do {
    struct variable variable = {.die = child};
    switch (dwarf_tag(&child)) {
    case DW_TAG_variable:
      if (address_of(&child, &variable.address) && !vector_push(&symbols->variables, variable))
        return;
      break;
    case DW_TAG_namespace:
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
      collect(symbols, &child, depth + 1);
      break;
    default:
      break;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

static int symbols_variable_by_address(const void *a, const void *b)
{
  const struct variable *x = a, *y = b;
  return x->address < y->address ? -1 : x->address > y->address;
}

static void read_variables(struct symbols *symbols)
{
  Dwarf_Addr bias = 0;
  Dwarf *dwarf = dwfl_module_getdwarf(symbols->module, &bias);
  Dwarf_Off offset = 0, next;
  size_t header;
  symbols->has_variables = true;
  while (dwarf != NULL && dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
    Dwarf_Die unit;
    if (dwarf_offdie(dwarf, offset + header, &unit) != NULL)
      collect(symbols, &unit, 0);
    offset = next;
  }
  for (size_t i = 0; i < symbols->variables.count; i++)
    symbols->variables.items[i].address += bias;
  if (symbols->variables.count > 0)
    qsort(symbols->variables.items, symbols->variables.count, sizeof *symbols->variables.items,
          symbols_variable_by_address);
}

/* The type behind an attribute, without qualifiers and names for it. False: unknown, or a type of the system. */
static bool symbols_variable_type_of(Dwarf_Die *die, Dwarf_Die *type)
{
  Dwarf_Attribute attribute;
  if (dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), type) == NULL)
    return false;
  for (unsigned steps = 0; steps < PARTS_MAX; steps++) {
    int tag = dwarf_tag(type);
    const char *file = dwarf_decl_file(type);
    if (file != NULL && symbols_is_header(file))
      return false;
    if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type)
      return true;
    if (dwarf_formref_die(dwarf_attr_integrate(type, DW_AT_type, &attribute), type) == NULL)
      return false;
  }
  return false;
}

/* An element of an array; of several dimensions the last one counts fastest. False: none. */
static bool name_element(Dwarf_Die *array, uint64_t *into, Dwarf_Die *die, struct text *text)
{
  Dwarf_Die element, dimension;
  Dwarf_Word size = 0, counts[PARTS_MAX];
  Dwarf_Attribute attribute;
  unsigned dimensions = 0;
  if (dwarf_formref_die(dwarf_attr_integrate(array, DW_AT_type, &attribute), &element) == NULL ||
      dwarf_aggregate_size(&element, &size) != 0 || size == 0 || dwarf_child(array, &dimension) != 0)
    return false;
  do {
    Dwarf_Word bound;
    if (dwarf_tag(&dimension) != DW_TAG_subrange_type || dimensions == PARTS_MAX)
      continue;
    bool known = dwarf_formudata(dwarf_attr_integrate(&dimension, DW_AT_upper_bound, &attribute), &bound) == 0;
    if (!known && dwarf_formudata(dwarf_attr_integrate(&dimension, DW_AT_count, &attribute), &bound) == 0)
      known = bound-- > 0;
    counts[dimensions++] = known && bound < UINT32_MAX ? bound + 1 : 0;
  } while (dwarf_siblingof(&dimension, &dimension) == 0);
  uint64_t index = *into / size;
  for (unsigned i = 0; i < dimensions; i++) {
    uint64_t inside = 1;
    char part[32];
    for (unsigned k = i + 1; k < dimensions; k++)
      inside *= counts[k] > 0 && inside < UINT32_MAX ? counts[k] : 1;
    snprintf(part, sizeof part, "[%" PRIu64 "]", index / inside);
    symbols_variable_append(text, part);
    index %= inside;
  }
  *into %= size;
  *die = *array; /* whose attribute is the element's type */
  return true;
}

/* The member of a struct that an address is in; nameless structs and classes that are inherited have no name. */
static bool name_member(Dwarf_Die *structure, uint64_t *into, Dwarf_Die *die, struct text *text)
{
  Dwarf_Die member;
  unsigned members = 0;
  if (dwarf_child(structure, &member) != 0)
    return false;
  do {
    Dwarf_Word at = 0, size;
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    int tag = dwarf_tag(&member);
    if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
      continue;
    if (dwarf_hasattr_integrate(&member, DW_AT_data_member_location) &&
        dwarf_formudata(dwarf_attr_integrate(&member, DW_AT_data_member_location, &attribute), &at) != 0)
      continue;
    if (dwarf_formref_die(dwarf_attr_integrate(&member, DW_AT_type, &attribute), &type) == NULL ||
        dwarf_aggregate_size(&type, &size) != 0 || *into < at || *into - at >= size)
      continue;
    const char *name = tag == DW_TAG_member ? dwarf_diename(&member) : NULL;
    if (name != NULL) {
      symbols_variable_append(text, ".");
      symbols_variable_append(text, name);
    }
    *into -= at;
    *die = member;
    return true;
  } while (++members < MEMBERS_MAX && dwarf_siblingof(&member, &member) == 0);
  return false;
}

static void name_parts(Dwarf_Die variable, uint64_t into, struct text *text)
{
  Dwarf_Die die = variable, type;
  for (unsigned parts = 0; parts < PARTS_MAX && symbols_variable_type_of(&die, &type); parts++) {
    int tag = dwarf_tag(&type);
    bool more = tag == DW_TAG_array_type ? name_element(&type, &into, &die, text)
                : tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type
                    ? name_member(&type, &into, &die, text)
                    : false;
    if (!more)
      return;
  }
}

static bool name_by_type(struct symbols *symbols, uint64_t address, struct text *text)
{
  if (!symbols->has_variables)
    read_variables(symbols);
  size_t low = 0, high = symbols->variables.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (symbols->variables.items[middle].address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return false;
  struct variable *variable = &symbols->variables.items[low - 1];
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  Dwarf_Word size;
  const char *name = dwarf_diename(&variable->die);
  if (name == NULL || dwarf_formref_die(dwarf_attr_integrate(&variable->die, DW_AT_type, &attribute), &type) == NULL ||
      dwarf_aggregate_size(&type, &size) != 0 || address - variable->address >= size)
    return false;
  symbols_variable_append(text, name);
  name_parts(variable->die, address - variable->address, text);
  return true;
}

bool symbols_variable(struct symbols *symbols, uint64_t address, char *name, size_t size)
{
  struct text text = {name, size};
  GElf_Off into;
  GElf_Sym symbol;
  name[0] = 0;
  if (name_by_type(symbols, address, &text))
    return true;
  const char *known = dwfl_module_addrinfo(symbols->module, address, &into, &symbol, NULL, NULL, NULL);
  if (known == NULL || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || into >= symbol.st_size)
    return false;
  symbols_variable_append(&text, symbols_plain_name(symbols, known));
  if (into > 0) {
    char part[32];
    snprintf(part, sizeof part, "+0x%" PRIx64, into);
    symbols_variable_append(&text, part);
  }
  return true;
}

#define COPIES_MOST 64u

/* The library takes paths alone. Closes the file. */
static struct symbols *open_symbols(int fd, const char *build_id)
{
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  struct symbols *symbols = fd < 0 ? NULL : symbols_open(path, build_id);
  if (fd >= 0)
    close(fd);
  return symbols;
}

static struct symbols *open_own(const char *build_id)
{
  size_t size = 0;
  const void *bytes = vdso_bytes(&size);
  int fd = bytes == NULL ? -1 : memfd_create(VDSO_NAME, MFD_CLOEXEC);
  if (fd >= 0 && write(fd, bytes, size) != (ssize_t)size) {
    close(fd);
    fd = -1;
  }
  return open_symbols(fd, build_id);
}

bool kernel_page_is_copy(const char *name)
{
  size_t length = strlen(name), suffix = sizeof VDSO_SUFFIX - 1;
  return length > suffix && strcmp(name + length - suffix, VDSO_SUFFIX) == 0 && name[0] != '.';
}

static struct symbols *open_kept(int trace_fd, const char *build_id)
{
  int fd = openat(trace_fd, KERNEL_LOG_DIRECTORY, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  DIR *list = fd < 0 ? NULL : fdopendir(fd);
  struct symbols *symbols = NULL;
  struct dirent *entry;
  if (list == NULL && fd >= 0)
    close(fd);
  for (unsigned tried = 0; symbols == NULL && list != NULL && tried < COPIES_MOST && (entry = readdir(list)) != NULL;)
    if (kernel_page_is_copy(entry->d_name)) {
      tried++;
      symbols =
          open_symbols(openat(dirfd(list), entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), build_id);
    }
  if (list != NULL)
    closedir(list);
  return symbols;
}

struct symbols *kernel_page_symbols(int trace_fd, const char *build_id)
{
  if (strcmp(build_id, "-") == 0) /* any would do */
    return NULL;
  struct symbols *symbols = open_own(build_id);
  return symbols != NULL ? symbols : open_kept(trace_fd, build_id);
}
