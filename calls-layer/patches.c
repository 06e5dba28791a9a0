#include "calls-layer/patches.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

/* True if a function of the module begins there, by .eh_frame_hdr. False also if the module does not have that. */
static bool function_starts_has(const struct dl_phdr_info *info, uintptr_t code)
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

#if defined(__x86_64__)

#include "calls-layer/entries.h"
#include "calls-layer/filter.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SECTION       "__patchable_function_entries"
#define ROOM          5u         /* bytes of a call */
#define REACH         (1u << 30) /* from a call to what it calls, at most 2 GiB */
#define STEP          (64u << 10)
#define SECTIONS_MOST 4096u

void __fentry__(void);

struct module {
  struct dl_phdr_info *info;
  uintptr_t end;  /* of its code */
  uintptr_t jump; /* near the module: a jump to __fentry__; 0: there is none yet */
  const char **why;
  bool has_others; /* rooms that are not known */
};

static bool read_at(int fd, void *to, size_t size, uint64_t at)
{
  return pread(fd, to, size, (off_t)at) == (ssize_t)size;
}

/* A jump that calls of the module reach. 0: there is no place, or no code can be made. */
static uintptr_t make_jump(const struct module *module)
{
  static const unsigned char code[] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp *(%rip) */
  uintptr_t target = (uintptr_t)__fentry__, near = (module->end + STEP) & ~(uintptr_t)(STEP - 1);
  for (uintptr_t at = near; at < near + REACH; at += STEP) {
    char *map =
        mmap((void *)at, STEP, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (map == MAP_FAILED)
      continue;
    if (map == (char *)at) {
      memcpy(map, code, sizeof code);
      memcpy(map + sizeof code, &target, sizeof target);
      if (mprotect(map, STEP, PROT_READ | PROT_EXEC) == 0)
        return at;
    }
    munmap(map, STEP);
    return 0;
  }
  return 0;
}

/* Bytes that do nothing, as gcc and clang write them: five of one byte each, or one of 5. */
static bool is_room(const unsigned char *at)
{
  static const unsigned char single[ROOM] = {0x90, 0x90, 0x90, 0x90, 0x90}, one[ROOM] = {0x0f, 0x1f, 0x44, 0, 0x08};
  return memcmp(at, single, ROOM) == 0 || memcmp(at, one, ROOM) == 0;
}

/* The function that begins with this room; 0: the room is before its begin, or too small. */
static uintptr_t function_at(const struct module *module, uintptr_t room)
{
  static const unsigned char landing[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
  if (!is_room((const unsigned char *)room))
    return 0;
  if (function_starts_has(module->info, room))
    return room;
  bool is_target = memcmp((const void *)(room - sizeof landing), landing, sizeof landing) == 0;
  return is_target && function_starts_has(module->info, room - sizeof landing) ? room - sizeof landing : 0;
}

static void patch(struct module *module, uintptr_t room)
{
  uintptr_t function = function_at(module, room);
  module->has_others |= function == 0;
  if (function == 0 || (filter_is_on() && !filter_takes(function)))
    return;
  if (module->jump == 0 && (module->jump = make_jump(module)) == 0) {
    *module->why = "there is no free memory near them for a jump";
    return;
  }
  long page = sysconf(_SC_PAGESIZE);
  char *from = (char *)(room & ~(uintptr_t)(page - 1)), *to = (char *)((room + ROOM - 1) | (uintptr_t)(page - 1)) + 1;
  if (mprotect(from, (size_t)(to - from), PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
    *module->why = "the system refuses changes of code";
    return;
  }
  int32_t distance = (int32_t)(module->jump - (room + ROOM));
  *(unsigned char *)room = 0xe8;
  memcpy((char *)room + 1, &distance, sizeof distance);
  mprotect(from, (size_t)(to - from), PROT_READ | PROT_EXEC);
}

/* The section of the file with the addresses of rooms, which lies in memory. False: it has none. */
static bool find_rooms(int fd, Elf64_Shdr *found)
{
  Elf64_Ehdr file;
  Elf64_Shdr names;
  char name[sizeof SECTION];
  if (!read_at(fd, &file, sizeof file, 0) || memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 ||
      file.e_shentsize != sizeof names || file.e_shnum > SECTIONS_MOST || file.e_shstrndx >= file.e_shnum ||
      !read_at(fd, &names, sizeof names, file.e_shoff + file.e_shstrndx * sizeof names))
    return false;
  for (unsigned i = 0; i < file.e_shnum; i++)
    if (read_at(fd, found, sizeof *found, file.e_shoff + i * sizeof *found) && found->sh_flags & SHF_ALLOC &&
        read_at(fd, name, sizeof name, names.sh_offset + found->sh_name) && memcmp(name, SECTION, sizeof name) == 0)
      return true;
  return false;
}

static bool is_within(const struct dl_phdr_info *info, uint64_t at, uint64_t size, uint32_t flag)
{
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type == PT_LOAD && part->p_flags & flag && at >= part->p_vaddr && size <= part->p_memsz &&
        at - part->p_vaddr <= part->p_memsz - size)
      return true;
  }
  return false;
}

static int patch_module(struct dl_phdr_info *info, size_t size, void *why)
{
  struct module module = {.info = info, .why = why};
  Elf64_Shdr rooms;
  (void)size;
  int fd = open(info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return 0;
  bool found = find_rooms(fd, &rooms);
  close(fd);
  if (!found || !is_within(info, rooms.sh_addr, rooms.sh_size, PF_R))
    return 0;
  if (entries_state != ENTRIES_ON) {
    *module.why = entries_state == ENTRIES_PROTECTED ? "the processor protects return addresses (shadow stack)"
                                                     : "stacks are sampled (--sample)";
    return 0;
  }
  for (unsigned i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD)
      module.end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
  const uintptr_t *room = (const uintptr_t *)(info->dlpi_addr + rooms.sh_addr);
  for (uint64_t i = 0; i < rooms.sh_size / sizeof *room && !*module.why; i++)
    if (is_within(info, room[i] - info->dlpi_addr, ROOM, PF_X))
      patch(&module, room[i]);
  if (module.has_others && !*module.why)
    *module.why = "some have other room than -fpatchable-function-entry=5 makes";
  return 0;
}

/* Another one may be where code is changed. */
static bool is_alone(void)
{
  unsigned threads = 0;
  DIR *directory = opendir("/proc/self/task");
  for (const struct dirent *entry; directory && (entry = readdir(directory));)
    threads += entry->d_name[0] != '.';
  if (directory)
    closedir(directory);
  return threads == 1;
}

const char *patches_begin(void)
{
  const char *why = NULL;
  if (!is_alone())
    return "there are threads already";
  dl_iterate_phdr(patch_module, &why);
  return why;
}

#else

#include <stddef.h>

const char *patches_begin(void)
{
  return NULL;
}

#endif
