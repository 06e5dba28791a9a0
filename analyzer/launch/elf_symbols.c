#include "analyzer/launch/elf_symbols.h"

#include "analyzer/launch/elf_image.h"
#include "base/count_of.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The largest programs have some 100,000 symbols, and 100 MB of names. */
enum { SYMBOLS_MAX = 4 << 20, NAMES_MAX = 256 << 20, SCAN_MAX = 256 << 20, SYMBOLS_AT_ONCE = 4096 };

static bool has_name(const char *names, uint64_t size, uint32_t at, const char *name)
{
  size_t length = strlen(name) + 1;
  return at < size && size - at >= length && memcmp(names + at, name, length) == 0;
}

/* Whether it is a function of POSIX or C11 threads that waits, or makes threads; or a C++ library's that calls one. */
static bool is_wait(const char *names, uint64_t size, uint32_t at)
{
  static const char *const beginnings[] = {"pthread_mutex_",
                                           "pthread_cond_",
                                           "pthread_rwlock_",
                                           "pthread_spin_",
                                           "pthread_create",
                                           "pthread_barrier_",
                                           "pthread_join",
                                           "sem_",
                                           "mtx_",
                                           "cnd_",
                                           "thrd_",
                                           "_ZNSt6thread",
                                           "_ZNSt18condition_variable"};
  for (size_t i = 0; i < COUNT_OF(beginnings); i++) {
    size_t length = strlen(beginnings[i]);
    if (at < size && size - at >= length && memcmp(names + at, beginnings[i], length) == 0)
      return true;
  }
  return false;
}

static bool search_symbols(int fd, const Elf64_Shdr *table, const char *names, uint64_t size, struct elf_symbols *found)
{
  uint64_t count = table->sh_size / sizeof(Elf64_Sym);
  Elf64_Sym *some = malloc(SYMBOLS_AT_ONCE * sizeof *some);
  uint64_t done = 0;
  while (some && done < count) {
    uint64_t n = count - done < SYMBOLS_AT_ONCE ? count - done : SYMBOLS_AT_ONCE;
    if (!elf_read_at(fd, some, n * sizeof *some, table->sh_offset + done * sizeof *some))
      break;
    for (uint64_t i = 0; i < n; i++) {
      if (some[i].st_shndx == SHN_UNDEF) {
        found->hooks |= has_name(names, size, some[i].st_name, "__cyg_profile_func_enter");
        found->entries |= has_name(names, size, some[i].st_name, "__fentry__");
        found->waits = found->waits || is_wait(names, size, some[i].st_name);
        continue;
      }
      found->kmp |= has_name(names, size, some[i].st_name, "__kmpc_fork_call");
      found->gomp |= has_name(names, size, some[i].st_name, "GOMP_parallel");
    }
    done += n;
  }
  free(some);
  return done == count;
}

/* The section headers; the caller frees them. NULL: none can be read. */
static Elf64_Shdr *read_sections(int fd, size_t *count)
{
  Elf64_Ehdr file;
  if (!elf_read_at(fd, &file, sizeof file, 0) || file.e_shentsize != sizeof(Elf64_Shdr) || file.e_shnum == 0)
    return NULL;
  *count = file.e_shnum;
  Elf64_Shdr *sections = malloc(*count * sizeof *sections);
  if (sections && elf_read_at(fd, sections, *count * sizeof *sections, file.e_shoff))
    return sections;
  free(sections);
  return NULL;
}

static bool lies_within(const Elf64_Shdr *section, uint64_t limit, uint64_t file_size)
{
  return section->sh_size <= limit && section->sh_offset <= file_size &&
         section->sh_size <= file_size - section->sh_offset;
}

static void read_symbols(int fd, uint32_t type, struct elf_symbols *symbols)
{
  *symbols = (struct elf_symbols){.table = false};
  struct stat status;
  size_t count = 0, at = 0;
  Elf64_Shdr *sections = fstat(fd, &status) == 0 ? read_sections(fd, &count) : NULL;
  if (!sections)
    return;
  while (at < count && sections[at].sh_type != type)
    at++;
  if (at < count && sections[at].sh_link < count && sections[at].sh_entsize == sizeof(Elf64_Sym)) {
    const Elf64_Shdr *table = &sections[at], *strings = &sections[table->sh_link];
    uint64_t size = (uint64_t)status.st_size;
    if (lies_within(table, SYMBOLS_MAX * sizeof(Elf64_Sym), size) && lies_within(strings, NAMES_MAX, size)) {
      char *names = malloc(strings->sh_size + 1);
      symbols->table = names && elf_read_at(fd, names, strings->sh_size, strings->sh_offset) &&
                       search_symbols(fd, table, names, strings->sh_size, symbols);
      free(names);
    }
  }
  free(sections);
}

void elf_symbols_exported(int fd, struct elf_symbols *symbols)
{
  read_symbols(fd, SHT_DYNSYM, symbols);
}

void elf_symbols_all(int fd, struct elf_symbols *symbols)
{
  read_symbols(fd, SHT_SYMTAB, symbols);
}

bool elf_has_section(int fd, const char *name)
{
  Elf64_Ehdr file;
  struct stat status;
  size_t count = 0;
  bool found = false;
  Elf64_Shdr *sections = fstat(fd, &status) == 0 ? read_sections(fd, &count) : NULL;
  if (!sections)
    return false;
  if (elf_read_at(fd, &file, sizeof file, 0) && file.e_shstrndx < count &&
      lies_within(&sections[file.e_shstrndx], NAMES_MAX, (uint64_t)status.st_size)) {
    const Elf64_Shdr *strings = &sections[file.e_shstrndx];
    char *names = malloc(strings->sh_size + 1);
    bool read = names && elf_read_at(fd, names, strings->sh_size, strings->sh_offset);
    for (size_t i = 0; i < count && read && !found; i++)
      found = has_name(names, strings->sh_size, sections[i].sh_name, name);
    free(names);
  }
  free(sections);
  return found;
}

bool elf_contains(int fd, const char *text)
{
  size_t length = strlen(text), kept = 0, block = 1 << 18;
  char *bytes = malloc(block);
  bool found = false;
  for (off_t at = 0; bytes && !found && at < SCAN_MAX;) {
    ssize_t got = pread(fd, bytes + kept, block - kept, at);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    at += got;
    size_t have = kept + (size_t)got;
    found = memmem(bytes, have, text, length) != NULL;
    /* The text may begin in this block and end in the next. */
    kept = have < length ? have : length - 1;
    memmove(bytes, bytes + have - kept, kept);
  }
  free(bytes);
  return found;
}
