#include "analyzer/record/launch/elf_image.h"

#include "base/count_of.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined __x86_64__
#define NATIVE_MACHINE EM_X86_64
#elif defined __aarch64__
#define NATIVE_MACHINE EM_AARCH64
#else
#error "name the ELF machine of this processor here"
#endif
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_DATA ELFDATA2LSB
#else
#define NATIVE_DATA ELFDATA2MSB
#endif

/* Far more than any linker writes. */
enum { PROGRAM_HEADERS_MAX = 1024, DYNAMIC_MAX = 8192, NEEDED_MAX = 1024, PATHS_MAX = 1 << 16, TEXTS_MAX = 256 << 20 };

bool elf_read_at(int fd, void *to, size_t size, unsigned long long offset)
{
  char *at = to;
  while (size > 0) {
    if (offset > (unsigned long long)INT64_MAX - size)
      return false;
    ssize_t got = pread(fd, at, size, (off_t)offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    at += got;
    offset += (size_t)got;
    size -= (size_t)got;
  }
  return true;
}

/* The program headers, and the strings of the dynamic section. */
struct tables {
  Elf *elf;
  const Elf64_Phdr *headers;
  size_t count;
  const Elf_Data *strings; /* NULL: none */
};

/* A part of the file, of at most `limit` bytes; it lives as long as the ELF file. NULL: it is outside the file. */
static const Elf_Data *read_part(Elf *elf, uint64_t offset, uint64_t size, uint64_t limit)
{
  return offset <= INT64_MAX ? elf_getdata_rawchunk(elf, (int64_t)offset, size < limit ? size : limit, ELF_T_BYTE)
                             : NULL;
}

/* A copy of the string of less than `limit` bytes at an index. NULL: `damaged` is set. */
static char *copy_string(const Elf_Data *strings, uint64_t index, size_t limit, struct elf_image *image)
{
  char *text = NULL;
  if (strings && strings->d_buf && index < strings->d_size) {
    const char *at = (const char *)strings->d_buf + index;
    size_t room = strings->d_size - index < limit ? strings->d_size - index : limit;
    text = memchr(at, '\0', room) ? strdup(at) : NULL;
  }
  image->damaged |= !text;
  return text;
}

/* The strings at a virtual address. NULL: none in the file. */
static const Elf_Data *strings_at(const struct tables *tables, uint64_t address, uint64_t size)
{
  for (size_t i = 0; i < tables->count; i++) {
    const Elf64_Phdr *header = &tables->headers[i];
    uint64_t offset;
    if (header->p_type != PT_LOAD || address < header->p_vaddr || address - header->p_vaddr >= header->p_filesz)
      continue;
    if (__builtin_add_overflow(address - header->p_vaddr, header->p_offset, &offset))
      return NULL;
    return read_part(tables->elf, offset, size, TEXTS_MAX);
  }
  return NULL;
}

static void take_needed(const struct tables *tables, uint64_t index, struct elf_image *image)
{
  char *name = image->needed.count < NEEDED_MAX ? copy_string(tables->strings, index, PATH_MAX, image) : NULL;
  if (name && vector_push(&image->needed, name))
    return;
  image->damaged = true;
  free(name);
}

static void take_string(const struct tables *tables, uint64_t index, struct elf_image *image, char **string)
{
  if (!*string)
    *string = copy_string(tables->strings, index, PATHS_MAX, image);
}

/* Two rounds, because entries that name strings may precede the entry with the place of strings. */
static void take_dynamic(struct tables *tables, const Elf64_Dyn *entries, size_t count, struct elf_image *image)
{
  uint64_t address = 0, size = 0;
  for (size_t i = 0; i < count; i++) {
    if (entries[i].d_tag == DT_STRTAB)
      address = entries[i].d_un.d_ptr;
    else if (entries[i].d_tag == DT_STRSZ)
      size = entries[i].d_un.d_val;
    else if (entries[i].d_tag == DT_FLAGS_1)
      image->no_default_directories = entries[i].d_un.d_val & DF_1_NODEFLIB;
  }
  tables->strings = strings_at(tables, address, size);
  for (size_t i = 0; i < count; i++) {
    uint64_t value = entries[i].d_un.d_val;
    if (entries[i].d_tag == DT_NEEDED)
      take_needed(tables, value, image);
    else if (entries[i].d_tag == DT_SONAME)
      take_string(tables, value, image, &image->soname);
    else if (entries[i].d_tag == DT_RPATH)
      take_string(tables, value, image, &image->rpath);
    else if (entries[i].d_tag == DT_RUNPATH)
      take_string(tables, value, image, &image->runpath);
  }
}

static void read_dynamic(struct tables *tables, const Elf64_Phdr *header, struct elf_image *image)
{
  const uint64_t most = DYNAMIC_MAX * sizeof(Elf64_Dyn);
  const Elf_Data *data = read_part(tables->elf, header->p_offset, header->p_filesz, most);
  const Elf64_Dyn *entries = data ? data->d_buf : NULL;
  size_t count = entries ? data->d_size / sizeof *entries : 0, used = 0;
  image->dynamic = true;
  while (used < count && entries[used].d_tag != DT_NULL)
    used++;
  if (used < count)
    take_dynamic(tables, entries, used, image);
  else
    image->damaged = true;
}

static enum elf_kind kind_of(const Elf64_Ehdr *header)
{
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
    return ELF_NOT_ONE;
  bool loadable = header->e_type == ET_EXEC || header->e_type == ET_DYN;
  if (header->e_ident[EI_CLASS] == ELFCLASS32)
    return ELF_32_BIT;
  if (header->e_ident[EI_CLASS] != ELFCLASS64)
    return ELF_NOT_ONE;
  if (header->e_ident[EI_DATA] != NATIVE_DATA || header->e_machine != NATIVE_MACHINE)
    return ELF_FOREIGN;
  return loadable ? ELF_NATIVE : ELF_NOT_ONE;
}

static void read_native(Elf *elf, const Elf64_Ehdr *file, struct elf_image *image)
{
  struct tables tables = {.elf = elf};
  /* libelf omits headers that are outside the file. */
  if (elf_getphdrnum(elf, &tables.count) != 0 || tables.count != file->e_phnum || tables.count > PROGRAM_HEADERS_MAX ||
      !(tables.headers = elf64_getphdr(elf))) {
    image->damaged = true;
    return;
  }
  for (size_t i = 0; i < tables.count; i++) {
    const Elf64_Phdr *header = &tables.headers[i];
    if (header->p_type == PT_INTERP && !image->interpreter)
      image->interpreter =
          copy_string(read_part(elf, header->p_offset, header->p_filesz, PATH_MAX), 0, PATH_MAX, image);
    else if (header->p_type == PT_DYNAMIC && !image->dynamic)
      read_dynamic(&tables, header, image);
  }
}

Elf *elf_open(int fd)
{
  Elf64_Ehdr file;
  /* If the number of sections is in the first section's header, libelf makes room for any. */
  if (!elf_read_at(fd, &file, sizeof file, 0) || kind_of(&file) != ELF_NATIVE ||
      (file.e_shnum == 0 && file.e_shoff != 0))
    return NULL;
  elf_version(EV_CURRENT);
  return elf_begin(fd, ELF_C_READ, NULL);
}

void elf_image_read(int fd, struct elf_image *image)
{
  Elf64_Ehdr file = {0};
  *image = (struct elf_image){.kind = ELF_NOT_ONE};
  /* Both kinds of header have these bytes; the header of a 32-bit file is shorter. */
  if (!elf_read_at(fd, &file, sizeof(Elf32_Ehdr), 0))
    return;
  image->kind = kind_of(&file);
  if (image->kind != ELF_NATIVE)
    return;
  Elf *elf = elf_open(fd);
  const Elf64_Ehdr *header = elf ? elf64_getehdr(elf) : NULL;
  if (header)
    read_native(elf, header, image);
  else
    image->damaged = true;
  elf_end(elf);
}

void elf_image_free(struct elf_image *image)
{
  for (size_t i = 0; i < image->needed.count; i++)
    free(image->needed.items[i]);
  vector_free(&image->needed);
  free(image->interpreter);
  free(image->soname);
  free(image->rpath);
  free(image->runpath);
}

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

/* True if it is a function of POSIX or C11 threads that waits or creates threads, or a C++ function that calls one. */
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
