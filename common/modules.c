#include "common/modules.h"

#include "common/clock.h"
#include "common/lines.h"
#include "common/own_stack.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* How many modules were loaded, ever, when they were last written. */
static atomic_ullong modules_added;

/* The build id among a module's notes, in hex; "-" when there is none. */
static void add_build_id(struct text *text, const struct dl_phdr_info *info)
{
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_NOTE)
      continue;
    const char *at = (const char *)info->dlpi_addr + segment->p_vaddr;
    const char *end = at + segment->p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const ElfW(Nhdr) *note = (const void *)at;
      const char *name = at + sizeof *note;
      const unsigned char *id = (const unsigned char *)name + ((note->n_namesz + 3) & ~3u);
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(name, "GNU", 4) && note->n_descsz <= 64) {
        for (unsigned b = 0; b < note->n_descsz; b++) {
          text_add_hex(text, id[b] >> 4);
          text_add_hex(text, id[b] & 15);
        }
        return;
      }
      at = (const char *)id + ((note->n_descsz + 3) & ~3u);
    }
  }
  text_add(text, "-");
}

static int add_module(struct dl_phdr_info *info, size_t size, void *context)
{
  (void)size;
  struct lines *lines = context;
  uintptr_t start = UINTPTR_MAX, end = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD)
      continue;
    uintptr_t from = info->dlpi_addr + segment->p_vaddr;
    if (from < start)
      start = from;
    if (from + segment->p_memsz > end)
      end = from + segment->p_memsz;
  }
  char exe[PATH_MAX] = "";
  const char *path = info->dlpi_name;
  if (!path || !*path) { /* the program itself has no name here */
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    path = exe;
  }
  if (end <= start || !*path)
    return 0;
  lines_reserve(lines, strlen(path) + 64);
  struct text *text = &lines->text;
  text_add(text, "module: ");
  text_add_number(text, clock_ticks());
  uintptr_t addresses[3] = {info->dlpi_addr, start, end};
  for (int i = 0; i < 3; i++) {
    text_add(text, " ");
    text_add_hex(text, addresses[i]);
  }
  text_add(text, " ");
  add_build_id(text, info);
  text_add(text, " ");
  text_add_escaped(text, path, strlen(path));
  text_add(text, "\n");
  return 0;
}

static int read_module_count(struct dl_phdr_info *info, size_t size, void *context)
{
  (void)size;
  *(unsigned long long *)context = info->dlpi_adds;
  return 1;
}

static void list(void *unused)
{
  struct lines lines;
  (void)unused;
  lines_begin(&lines);
  dl_iterate_phdr(add_module, &lines);
  lines_end(&lines);
}

void modules_add(void)
{
  unsigned long long added = 0, known = atomic_load(&modules_added);
  dl_iterate_phdr(read_module_count, &added);
  if (added == known || !atomic_compare_exchange_strong(&modules_added, &known, added))
    return;
  own_stack_call(list, NULL);
}

void modules_forget(void)
{
  atomic_store(&modules_added, 0);
}
