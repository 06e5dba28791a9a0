#include "analyzer/launch/elf_image.h"

#include <elf.h>
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
enum { PROGRAM_HEADERS_MAX = 1024, DYNAMIC_MAX = 8192, NEEDED_MAX = 1024, PATHS_MAX = 1 << 16 };

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

/* The string of less than `limit` bytes at an offset; the caller frees it. NULL: it has no end there, or no memory. */
static char *read_string(int fd, uint64_t offset, size_t limit)
{
  char *text = malloc(limit);
  size_t length = 0;
  while (text && length < limit && offset <= INT64_MAX - limit) {
    ssize_t got = pread(fd, text + length, limit - length, (off_t)(offset + length));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    if (memchr(text + length, '\0', (size_t)got)) {
      char *shorter = realloc(text, strlen(text) + 1);
      return shorter ? shorter : text;
    }
    length += (size_t)got;
  }
  free(text);
  return NULL;
}

/* The program headers, and the place of the dynamic section's strings. */
struct tables {
  int fd;
  Elf64_Phdr headers[PROGRAM_HEADERS_MAX];
  size_t count;
  uint64_t strings; /* file offset */
  uint64_t strings_size;
};

/* The offset in the file of a virtual address. False: none. */
static bool file_offset(const struct tables *tables, uint64_t address, uint64_t *offset)
{
  for (size_t i = 0; i < tables->count; i++) {
    const Elf64_Phdr *header = &tables->headers[i];
    if (header->p_type != PT_LOAD || address < header->p_vaddr || address - header->p_vaddr >= header->p_filesz)
      continue;
    return !__builtin_add_overflow(address - header->p_vaddr, header->p_offset, offset);
  }
  return false;
}

/* A string of the dynamic section. NULL: `damaged` is set. */
static char *dynamic_string(const struct tables *tables, uint64_t index, size_t limit, struct elf_image *image)
{
  uint64_t offset;
  char *text = NULL;
  if (index < tables->strings_size && !__builtin_add_overflow(tables->strings, index, &offset))
    text = read_string(tables->fd, offset, limit);
  if (!text)
    image->damaged = true;
  return text;
}

static void take_needed(const struct tables *tables, uint64_t index, struct elf_image *image)
{
  char *name = image->needed.count < NEEDED_MAX ? dynamic_string(tables, index, PATH_MAX, image) : NULL;
  if (name && vector_push(&image->needed, name))
    return;
  image->damaged = true;
  free(name);
}

static void take_string(const struct tables *tables, uint64_t index, struct elf_image *image, char **string)
{
  if (!*string)
    *string = dynamic_string(tables, index, PATHS_MAX, image);
}

/* Two rounds, because entries that name strings may precede the entry with the place of strings. */
static void take_dynamic(struct tables *tables, const Elf64_Dyn *entries, size_t count, struct elf_image *image)
{
  uint64_t address = 0;
  for (size_t i = 0; i < count; i++) {
    if (entries[i].d_tag == DT_STRTAB)
      address = entries[i].d_un.d_ptr;
    else if (entries[i].d_tag == DT_STRSZ)
      tables->strings_size = entries[i].d_un.d_val;
    else if (entries[i].d_tag == DT_FLAGS_1)
      image->no_default_directories = entries[i].d_un.d_val & DF_1_NODEFLIB;
  }
  if (!file_offset(tables, address, &tables->strings))
    tables->strings_size = 0;
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
  image->dynamic = true;
  size_t count = header->p_filesz / sizeof(Elf64_Dyn);
  if (count > DYNAMIC_MAX)
    count = DYNAMIC_MAX;
  Elf64_Dyn *entries = malloc(count * sizeof *entries + 1);
  size_t used = 0;
  if (entries && elf_read_at(tables->fd, entries, count * sizeof *entries, header->p_offset))
    while (used < count && entries[used].d_tag != DT_NULL)
      used++;
  if (used < count)
    take_dynamic(tables, entries, used, image);
  else
    image->damaged = true;
  free(entries);
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

static void read_native(const Elf64_Ehdr *file, struct tables *tables, struct elf_image *image)
{
  tables->count = file->e_phnum;
  if (file->e_phentsize != sizeof *tables->headers || tables->count > PROGRAM_HEADERS_MAX ||
      !elf_read_at(tables->fd, tables->headers, tables->count * sizeof *tables->headers, file->e_phoff)) {
    image->damaged = true;
    return;
  }
  for (size_t i = 0; i < tables->count; i++) {
    const Elf64_Phdr *header = &tables->headers[i];
    if (header->p_type == PT_INTERP && !image->interpreter) {
      image->interpreter = read_string(tables->fd, header->p_offset, PATH_MAX);
      image->damaged |= !image->interpreter;
    } else if (header->p_type == PT_DYNAMIC && !image->dynamic) {
      read_dynamic(tables, header, image);
    }
  }
}

void elf_image_read(int fd, struct elf_image *image)
{
  Elf64_Ehdr file;
  *image = (struct elf_image){.kind = ELF_NOT_ONE};
  /* Both kinds of header have these bytes; that of a 32-bit file is shorter. */
  if (!elf_read_at(fd, &file, sizeof(Elf32_Ehdr), 0))
    return;
  image->kind = kind_of(&file);
  if (image->kind != ELF_NATIVE)
    return;
  struct tables *tables = calloc(1, sizeof *tables);
  if (tables && elf_read_at(fd, &file, sizeof file, 0)) {
    tables->fd = fd;
    read_native(&file, tables, image);
  } else {
    image->damaged = true;
  }
  free(tables);
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
