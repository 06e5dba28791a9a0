#include "calls-layer/filter.h"

#include "common/budget/mix.h"
#include "common/process/reserved.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#define RANGES 16384u

struct range {
  uintptr_t from, to;
};

_Atomic uint64_t *filter_table;
static struct range *ranges; /* in order, none in another */
static size_t count;

/* One of the list: MODULE+FROM-TO; MODULE is a build id or a name. Without it, the MODULE of the range before
 * applies. */
struct entry {
  const char *module;
  size_t module_size;
  uint64_t from, to;
};

/* Reads the range at *text, and steps behind it. False: there is none. */
static bool next_entry(const char **text, struct entry *entry)
{
  const char *begin = *text + (**text == ','), *plus = strchr(begin, '+');
  char *end;
  if (!plus)
    return false;
  if (plus > begin) {
    entry->module = begin;
    entry->module_size = (size_t)(plus - begin);
  }
  entry->from = strtoull(plus + 1, &end, 16);
  if (*end != '-')
    return false;
  entry->to = strtoull(end + 1, &end, 16);
  *text = end;
  return entry->module && (*end == ',' || *end == '\0');
}

static bool has_id(const struct entry *entry, const unsigned char *id, size_t size)
{
  static const char digits[] = "0123456789abcdef";
  bool same = size > 0 && entry->module_size == 2 * size;
  for (size_t i = 0; same && i < size; i++)
    same = entry->module[2 * i] == digits[id[i] >> 4] && entry->module[2 * i + 1] == digits[id[i] & 15];
  return same;
}

/* True if the notes of a segment have the entry's build id. */
static bool notes_have(const struct entry *entry, const char *at, size_t size)
{
  while (size >= sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr) *note = (const void *)at;
    size_t name = (note->n_namesz + 3u) & ~3u, all = sizeof *note + name + ((note->n_descsz + 3u) & ~3u);
    if (all > size)
      return false;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(note + 1, "GNU", 4) == 0)
      return has_id(entry, (const unsigned char *)(note + 1) + name, note->n_descsz);
    at += all;
    size -= all;
  }
  return false;
}

static bool is_module(const struct entry *entry, const struct dl_phdr_info *info)
{
  const char *slash = strrchr(info->dlpi_name, '/'), *base = slash ? slash + 1 : info->dlpi_name;
  if (strlen(base) == entry->module_size && memcmp(base, entry->module, entry->module_size) == 0)
    return true;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type == PT_NOTE && notes_have(entry, (const char *)info->dlpi_addr + part->p_vaddr, part->p_memsz))
      return true;
  }
  return false;
}

static int add_module(struct dl_phdr_info *info, size_t size, void *list)
{
  struct entry entry = {0};
  const char *text = list, *module = NULL;
  bool same = false;
  (void)size;
  while (count < RANGES && next_entry(&text, &entry)) {
    if (entry.module != module)
      same = is_module(&entry, info);
    module = entry.module;
    if (same && entry.from < entry.to)
      ranges[count++] = (struct range){info->dlpi_addr + entry.from, info->dlpi_addr + entry.to};
  }
  return 0;
}

static int compare(const void *a, const void *b)
{
  const struct range *x = a, *y = b;
  return (x->from > y->from) - (x->from < y->from);
}

/* Ranges that meet become one. */
static void join(void)
{
  size_t kept = 0;
  for (size_t i = 1; i < count; i++)
    if (ranges[i].from > ranges[kept].to)
      ranges[++kept] = ranges[i];
    else if (ranges[i].to > ranges[kept].to)
      ranges[kept].to = ranges[i].to;
  count = count > 0 ? kept + 1 : 0;
}

void filter_begin(const char *list)
{
  size_t size = (sizeof *filter_table << FILTER_BITS) + RANGES * sizeof *ranges;
  char *memory = list ? reserved_make(size) : NULL;
  if (!memory || !reserved_use(memory, size))
    return;
  ranges = (struct range *)(memory + (sizeof *filter_table << FILTER_BITS));
  dl_iterate_phdr(add_module, (void *)list);
  qsort(ranges, count, sizeof *ranges, compare);
  join();
  filter_table = (_Atomic uint64_t *)memory;
}

bool filter_look(uintptr_t function)
{
  size_t low = 0, high = count;
  while (low < high) { /* the first range that begins behind it */
    size_t middle = (low + high) / 2;
    if (ranges[middle].from > function)
      high = middle;
    else
      low = middle + 1;
  }
  bool takes = low > 0 && function < ranges[low - 1].to;
  atomic_store_explicit(&filter_table[mix_upper(function) >> (64 - FILTER_BITS)], (uint64_t)function << 1 | takes,
                        memory_order_relaxed);
  return takes;
}
