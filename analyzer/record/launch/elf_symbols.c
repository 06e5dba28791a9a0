#include "analyzer/record/launch/elf_symbols.h"

#include "analyzer/record/launch/elf_image.h"
#include "base/count_of.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The largest programs have some 100,000 symbols, and 100 MB of names. */
enum { SYMBOLS_MAX = 4 << 20, NAMES_MAX = 256 << 20, SCAN_MAX = 256 << 20 };

static bool begins_at(const Elf_Data *names, uint32_t at, const char *text, size_t length)
{
  return at < names->d_size && names->d_size - at >= length && memcmp((char *)names->d_buf + at, text, length) == 0;
}

static bool has_name(const Elf_Data *names, uint32_t at, const char *name)
{
  return begins_at(names, at, name, strlen(name) + 1);
}

/* Whether it is a function of POSIX or C11 threads that waits, or makes threads; or a C++ library's that calls one. */
static bool is_wait(const Elf_Data *names, uint32_t at)
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
  for (size_t i = 0; i < COUNT_OF(beginnings); i++)
    if (begins_at(names, at, beginnings[i], strlen(beginnings[i])))
      return true;
  return false;
}

static void search_symbols(const Elf_Data *table, const Elf_Data *names, struct elf_symbols *found)
{
  const Elf64_Sym *symbols = table->d_buf;
  for (size_t i = 0; i < table->d_size / sizeof *symbols; i++) {
    uint32_t name = symbols[i].st_name;
    if (symbols[i].st_shndx == SHN_UNDEF) {
      found->hooks |= has_name(names, name, "__cyg_profile_func_enter");
      found->entries |= has_name(names, name, "__fentry__");
      found->waits = found->waits || is_wait(names, name);
      continue;
    }
    found->kmp |= has_name(names, name, "__kmpc_fork_call");
    found->gomp |= has_name(names, name, "GOMP_parallel");
  }
}

/* The bytes of a section. NULL: there is none, it is too large, or it is outside the file. */
static const Elf_Data *contents(Elf_Scn *section, uint64_t limit)
{
  const Elf64_Shdr *header = section ? elf64_getshdr(section) : NULL;
  const Elf_Data *data = header && header->sh_size <= limit ? elf_rawdata(section, NULL) : NULL;
  return data && data->d_buf ? data : NULL;
}

static void read_symbols(int fd, uint32_t type, struct elf_symbols *symbols)
{
  *symbols = (struct elf_symbols){.table = false};
  Elf *elf = elf_open(fd);
  const Elf64_Shdr *header = NULL;
  Elf_Scn *section = NULL;
  while ((section = elf_nextscn(elf, section)) && (header = elf64_getshdr(section)) && header->sh_type != type)
    continue;
  if (section && header) {
    const Elf_Data *table = contents(section, SYMBOLS_MAX * sizeof(Elf64_Sym));
    const Elf_Data *names = table ? contents(elf_getscn(elf, header->sh_link), NAMES_MAX) : NULL;
    symbols->table = names != NULL;
    if (names)
      search_symbols(table, names, symbols);
  }
  elf_end(elf);
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
  Elf *elf = elf_open(fd);
  size_t names_section;
  bool found = false;
  const Elf_Data *names =
      elf_getshdrstrndx(elf, &names_section) == 0 ? contents(elf_getscn(elf, names_section), NAMES_MAX) : NULL;
  for (Elf_Scn *section = NULL; names && !found && (section = elf_nextscn(elf, section));) {
    const Elf64_Shdr *header = elf64_getshdr(section);
    found = header && has_name(names, header->sh_name, name);
  }
  elf_end(elf);
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
