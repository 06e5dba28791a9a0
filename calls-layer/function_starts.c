#include "calls-layer/function_starts.h"

#include <stddef.h>
#include <string.h>

#define DW_EH_PE_UDATA4  0x03u
#define DW_EH_PE_SDATA4  0x0bu
#define DW_EH_PE_DATAREL 0x30u

/* The sorted table of a module: pairs of offsets from the header, of a function and of its description. */
struct table {
  const char *header;
  const int32_t (*entries)[2];
  size_t count;
};

static bool find_table(const struct dl_phdr_info *info, struct table *table)
{
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    const unsigned char *header = (const unsigned char *)info->dlpi_addr + part->p_vaddr;
    uint32_t count;
    if (part->p_type != PT_GNU_EH_FRAME || part->p_memsz < 12)
      continue;
    bool is_known = header[0] == 1 && (header[1] & 0x0fu) == DW_EH_PE_SDATA4 && header[2] == DW_EH_PE_UDATA4 &&
                    header[3] == (DW_EH_PE_DATAREL | DW_EH_PE_SDATA4);
    memcpy(&count, header + 8, sizeof count);
    if (!is_known || count > (part->p_memsz - 12) / sizeof *table->entries)
      return false;
    *table = (struct table){(const char *)header, (const int32_t(*)[2])(header + 12), count};
    return true;
  }
  return false;
}

bool function_starts_has(const struct dl_phdr_info *info, uintptr_t code)
{
  struct table table;
  if (!find_table(info, &table))
    return false;
  intptr_t offset = (intptr_t)code - (intptr_t)table.header;
  size_t low = 0, high = table.count;
  while (low < high) { /* the first one that does not begin before */
    size_t middle = (low + high) / 2;
    if (table.entries[middle][0] < offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low < table.count && table.entries[low][0] == offset;
}
