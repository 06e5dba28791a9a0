/* Names of global and static variables, down to the member or the element that an address is in. */
#include "otf2-convert/symbols/symbols.h"

#include "otf2-convert/symbols/symbols_headers.h"
#include "otf2-convert/symbols/symbols_tables.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Where a variable stands that has the same address always. */
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
