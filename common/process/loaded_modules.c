#include "common/process/loaded_modules.h"

#include "common/process/kept_file.h"
#include "common/process/process_dir.h"
#include "common/process/vdso.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Copies memory that may not be there. */
typedef bool copier(void *to, uintptr_t from, size_t size);

static bool copy_plainly(void *to, uintptr_t from, size_t size)
{
  memcpy(to, (const void *)from, size);
  return true;
}

/* FNV-1a by words of 8 bytes; a shorter rest is ignored. */
static uint64_t hash_of(const void *bytes, size_t n)
{
  uint64_t hash = 0xcbf29ce484222325u, word;
  for (size_t at = 0; at + sizeof word <= n; at += sizeof word) {
    memcpy(&word, (const char *)bytes + at, sizeof word);
    hash = (hash ^ word) * 0x100000001b3u;
  }
  return hash | 1;
}

size_t loaded_find_id(const unsigned char *notes, size_t size, const unsigned char **id)
{
  ElfW(Nhdr) note;
  for (size_t at = 0; at + sizeof note <= size;) {
    memcpy(&note, notes + at, sizeof note);
    size_t name = at + sizeof note, from = name + ((note.n_namesz + (size_t)3) & ~(size_t)3);
    if (from > size || note.n_descsz > size - from)
      return 0;
    *id = notes + from;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(notes + name, "GNU", 4))
      return note.n_descsz;
    at = from + ((note.n_descsz + (size_t)3) & ~(size_t)3);
  }
  return 0;
}

static void take_id(struct loaded_module *module, const unsigned char *notes, size_t size)
{
  const unsigned char *id = notes;
  size_t found = loaded_find_id(notes, size, &id);
  module->id_size = found < LOADED_ID_MOST ? found : LOADED_ID_MOST;
  memcpy(module->id, id, module->id_size);
}

/* Place, content and build id by the program headers; the base is known. */
static void take_headers(struct loaded_module *module, const ElfW(Phdr) * headers, unsigned count, copier *copy)
{
  static unsigned char notes[1024];
  uintptr_t start = UINTPTR_MAX, end = 0;
  for (unsigned i = 0; i < count; i++) {
    uintptr_t from = module->base + headers[i].p_vaddr, to = from + headers[i].p_memsz;
    if (headers[i].p_type == PT_LOAD) {
      start = from < start ? from : start;
      end = to > end ? to : end;
    }
  }
  if (start < end) {
    module->start = start;
    module->end = end;
  }
  module->id_size = 0;
  for (unsigned i = 0; i < count && module->id_size == 0; i++) {
    uintptr_t from = module->base + headers[i].p_vaddr, to = from + headers[i].p_memsz;
    size_t size = headers[i].p_memsz < sizeof notes ? headers[i].p_memsz : sizeof notes;
    if (headers[i].p_type == PT_NOTE && from >= start && from <= to && to <= end && copy(notes, from, size))
      take_id(module, notes, size);
  }
  module->content = module->id_size ? hash_of(module->id, module->id_size) : hash_of(headers, count * sizeof *headers);
}

static int take_counts(struct dl_phdr_info *info, size_t size, void *counts)
{
  (void)size;
  struct loaded_counts *all = counts;
  all->came = info->dlpi_adds;
  all->went = info->dlpi_subs;
  return 1;
}

struct loaded_counts loaded_count(void)
{
  struct loaded_counts counts = {0};
  dl_iterate_phdr(take_counts, &counts);
  return counts;
}

struct visit {
  loaded_visitor *visitor;
  void *context;
  struct loaded_counts counts;
};

static int visit_loaded(struct dl_phdr_info *info, size_t size, void *context)
{
  struct visit *visit = context;
  struct loaded_module module = {.base = info->dlpi_addr, .path = info->dlpi_name ? info->dlpi_name : ""};
  take_counts(info, size, &visit->counts);
  visit->counts.visited++;
  take_headers(&module, info->dlpi_phdr, info->dlpi_phnum, copy_plainly);
  module.is_vdso = module.start == getauxval(AT_SYSINFO_EHDR);
  if (module.is_vdso)
    module.path = VDSO_NAME;
  if (module.start < module.end && (!*module.path || strchr(module.path, '/') || module.is_vdso))
    visit->visitor(&module, visit->context);
  return 0;
}

struct loaded_counts loaded_by_loader(loaded_visitor *visitor, void *context)
{
  struct visit visit = {.visitor = visitor, .context = context};
  dl_iterate_phdr(visit_loaded, &visit);
  return visit.counts;
}

/* The kernel copies, because a load could crash: another thread may unload the module meanwhile. */
static int memory = -1;

static bool copy_by_kernel(void *to, uintptr_t from, size_t size)
{
  if (memory < 0)
    memory = process_dir_open_other("/proc/self/mem");
  return memory >= 0 && from <= (uintptr_t)PTRDIFF_MAX && pread(memory, to, size, (off_t)from) == (ssize_t)size;
}

bool loaded_look(struct loaded_module *module)
{
  static union {
    ElfW(Ehdr) header;
    ElfW(Phdr) alignment;
    unsigned char bytes[2048];
  } begin;
  module->base = module->start;
  if (!copy_by_kernel(&begin, module->start, sizeof begin))
    return memory < 0; /* then the kernel's word must do */
  const ElfW(Ehdr) *header = &begin.header;
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phentsize != sizeof(ElfW(Phdr)) ||
      header->e_phoff % sizeof(uint64_t) != 0 || header->e_phoff > sizeof begin ||
      header->e_phnum > (sizeof begin - header->e_phoff) / sizeof(ElfW(Phdr)))
    return false;
  const ElfW(Phdr) *headers = (const void *)(begin.bytes + header->e_phoff);
  for (unsigned i = 0; i < header->e_phnum; i++)
    if (headers[i].p_type == PT_LOAD && headers[i].p_offset < 4096) { /* it begins with the file */
      module->base = module->start - (headers[i].p_vaddr - headers[i].p_offset);
      take_headers(module, headers, header->e_phnum, copy_by_kernel);
      return true;
    }
  return false;
}

/* A line of /proc/self/maps: "start-end rwxp offset major:minor inode  path". */
struct mapping {
  uintptr_t start, end;
  uint64_t offset, device, inode;
  bool runs;
  char *path;
};

static uint64_t take_number(char **at, unsigned base)
{
  uint64_t number = 0;
  for (;; (*at)++) {
    char c = **at;
    unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
    if (digit >= base)
      return number;
    number = number * base + digit;
  }
}

/* A path as the kernel shows it: line feeds are \012, and " (deleted)" follows. */
static void plain_path(char *path)
{
  static const char deleted[] = " (deleted)";
  size_t n = strlen(path);
  if (n > sizeof deleted - 1 && !strcmp(path + n - (sizeof deleted - 1), deleted))
    path[n - (sizeof deleted - 1)] = '\0';
  char *to = path;
  for (const char *from = path; *from; from++, to++) {
    bool feed = !strncmp(from, "\\012", 4);
    *to = feed ? '\n' : *from;
    from += feed ? 3 : 0;
  }
  *to = '\0';
}

static bool take_mapping(struct mapping *mapping, char *line)
{
  mapping->start = take_number(&line, 16);
  if (*line++ != '-')
    return false;
  mapping->end = take_number(&line, 16);
  if (strlen(line) < sizeof " rwxp ")
    return false;
  mapping->runs = line[3] == 'x';
  line += sizeof " rwxp " - 1;
  mapping->offset = take_number(&line, 16);
  line += *line == ' ';
  mapping->device = take_number(&line, 16) << 32;
  line += *line == ':';
  mapping->device |= take_number(&line, 16);
  line += *line == ' ';
  mapping->inode = take_number(&line, 10);
  line += strspn(line, " ");
  mapping->path = line;
  return mapping->inode != 0 && *line == '/';
}

/* Collects neighbouring mappings of a file. */
struct run {
  loaded_visitor *visitor;
  void *context;
  struct loaded_module module;
  char path[PATH_MAX];
};

static void end_run(struct run *run)
{
  if (run->module.inode)
    run->visitor(&run->module, run->context);
  run->module.inode = 0;
}

static void take_line(struct run *run, char *line)
{
  struct mapping mapping;
  struct loaded_module *module = &run->module;
  bool of_file = take_mapping(&mapping, line);
  if (of_file && module->inode == mapping.inode && module->device == mapping.device && mapping.offset != 0) {
    module->end = mapping.end;
    module->runs = module->runs || mapping.runs;
    return;
  }
  if (!of_file)
    return; /* memory that a module has not from its file may lie between its mappings */
  end_run(run);
  plain_path(mapping.path);
  size_t n = strlen(mapping.path);
  if (n >= sizeof run->path)
    return;
  memcpy(run->path, mapping.path, n + 1);
  *module = (struct loaded_module){.base = mapping.start,
                                   .start = mapping.start,
                                   .end = mapping.end,
                                   .device = mapping.device,
                                   .inode = mapping.inode,
                                   .runs = mapping.runs,
                                   .path = run->path};
}

/* Stays open, so the program's descriptors have the same numbers as without Heddle. */
static struct kept_file maps = KEPT_FILE_NONE;

static bool open_maps(void)
{
  if (kept_file_is_there(&maps))
    return true;
  int fd = process_dir_open_other("/proc/self/maps");
  return fd >= 0 && kept_file_keep(&maps, fd) == 0;
}

void loaded_leave(void)
{
  kept_file_let_go(&maps);
}

bool loaded_by_kernel(loaded_visitor *visitor, void *context)
{
  static char bytes[PATH_MAX + 4096];
  static struct run run;
  if (!open_maps())
    return false;
  run.visitor = visitor;
  run.context = context;
  run.module.inode = 0;
  size_t have = 0;
  off_t at = 0;
  ssize_t got;
  while ((got = pread(maps.fd, bytes + have, sizeof bytes - 1 - have, at)) > 0 || (got < 0 && errno == EINTR)) {
    have += got > 0 ? (size_t)got : 0;
    at += got > 0 ? got : 0;
    char *line = bytes, *end;
    for (; (end = memchr(line, '\n', have - (size_t)(line - bytes))); line = end + 1) {
      *end = '\0';
      take_line(&run, line);
    }
    have -= (size_t)(line - bytes);
    memmove(bytes, line, have);
    if (have == sizeof bytes - 1)
      have = 0; /* no path is so long */
  }
  end_run(&run);
  if (memory >= 0)
    close(memory);
  memory = -1;
  return got == 0;
}
