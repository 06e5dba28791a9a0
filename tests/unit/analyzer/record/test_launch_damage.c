/* ELF files and caches that are cut off, damaged or hostile: reading ends, and stays inside the file. */
#include "analyzer/record/launch/elf_image.h"
#include "analyzer/record/launch/library_search.h"
#include "analyzer/record/launch/program_libraries.h"
#include "tests/unit/analyzer/launch_files.h"
#include "tests/unit/unit.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Reads all that there is to read. */
static void read_all(int fd)
{
  struct elf_image image;
  struct elf_symbols symbols;
  elf_image_read(fd, &image);
  if (image.kind != ELF_NATIVE)
    assert_true(!image.needed.items && !image.interpreter && !image.dynamic);
  if (image.kind == ELF_NATIVE) {
    elf_symbols_exported(fd, &symbols);
    elf_symbols_all(fd, &symbols);
  }
  elf_image_free(&image);
}

static int in_memory(const void *bytes, size_t size)
{
  int fd = memfd_create("elf", MFD_CLOEXEC);
  assert_true(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
  return fd;
}

/* A small program with all that matters: an interpreter, three libraries, both paths, symbols. */
static char *sample(size_t *size)
{
  static const char flags[] = "-Wl,--no-as-needed -lm -Wl,-rpath,/nowhere:'$ORIGIN' -Wl,-z,noseparate-code";
  if (access("sample", F_OK) != 0)
    sh("echo 'void GOMP_parallel(void) {} int main(void) { return 0; }' | $CC -rdynamic -x c - -o sample %s", flags);
  return read_file("sample", size);
}

static void the_sample_is_read(void **state)
{
  (void)state;
  size_t size;
  char *bytes = sample(&size);
  int fd = in_memory(bytes, size);
  struct elf_image image;
  struct elf_symbols symbols;
  elf_image_read(fd, &image);
  assert_false(image.damaged);
  assert_non_null(image.interpreter);
  assert_string_equal(image.needed.items[0], "libm.so.6");
  assert_string_equal(image.rpath ? image.rpath : image.runpath, "/nowhere:$ORIGIN");
  elf_image_free(&image);
  elf_symbols_all(fd, &symbols);
  assert_true(symbols.table && symbols.gomp && !symbols.kmp);
  elf_symbols_exported(fd, &symbols);
  assert_true(symbols.table && symbols.gomp);
  assert_true(elf_contains(fd, "GOMP_parallel"));
  assert_false(elf_contains(fd, "GOMP_SPINCOUNT"));
  close(fd);
  free(bytes);
}

static void every_truncation(void **state)
{
  (void)state;
  size_t size;
  char *bytes = sample(&size);
  int fd = in_memory(bytes, size);
  while (size-- > 0) {
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    read_all(fd);
  }
  close(fd);
  free(bytes);
}

/* Where damage does something: the header, the headers behind it, the dynamic section, the section headers. */
static size_t some_place(const char *bytes, size_t size)
{
  const Elf64_Ehdr *file = (const void *)bytes;
  const Elf64_Phdr *headers = (const void *)(bytes + file->e_phoff);
  size_t where = (size_t)rand(), dynamic = 0;
  for (size_t i = 0; i < file->e_phnum; i++)
    if (headers[i].p_type == PT_DYNAMIC)
      dynamic = headers[i].p_offset;
  switch (rand() % 5) {
  case 0:
    return where % sizeof *file;
  case 1:
    return file->e_phoff + where % (file->e_phnum * sizeof *headers);
  case 2:
    return dynamic + where % 0x1e0;
  case 3:
    return file->e_shoff + where % (file->e_shnum * sizeof(Elf64_Shdr));
  default:
    return where % size;
  }
}

static void flipped_bytes(void **state)
{
  (void)state;
  size_t size;
  char *bytes = sample(&size), *copy = malloc(size);
  assert_non_null(copy);
  srand(1);
  for (int i = 0; i < 20000; i++) {
    memcpy(copy, bytes, size);
    for (int n = rand() % 4 + 1; n > 0; n--)
      copy[some_place(bytes, size)] = (char)(rand() % 3 == 0 ? 0xff : rand());
    int fd = in_memory(copy, size);
    read_all(fd);
    close(fd);
    if (i % 50 == 0) {
      write_file("flipped", copy, size, 0755);
      struct program_libraries *libraries = program_libraries_find("./flipped");
      assert_non_null(libraries);
      program_libraries_free(libraries);
    }
  }
  free(copy);
  free(bytes);
}

/* Numbers as large as they can be, one at a time and all at once. */
static void huge_numbers(void **state)
{
  (void)state;
  size_t size;
  char *bytes = sample(&size);
  Elf64_Ehdr *file = (void *)bytes;
  Elf64_Phdr *headers = (void *)(bytes + file->e_phoff);
  Elf64_Shdr *sections = (void *)(bytes + file->e_shoff);
  for (size_t i = 0; i < file->e_phnum; i++)
    headers[i].p_filesz = UINT64_MAX;
  for (size_t i = 0; i < file->e_shnum; i++)
    sections[i].sh_size = UINT64_MAX;
  int fd = in_memory(bytes, size);
  read_all(fd);
  for (size_t i = 0; i < file->e_phnum; i++)
    headers[i].p_offset = UINT64_MAX - 8;
  file->e_phnum = file->e_shnum = UINT16_MAX;
  assert_int_equal(pwrite(fd, bytes, size, 0), size);
  read_all(fd);
  /* The number of sections in the first one's header: libelf makes room for as many as the file could hold. */
  file->e_shnum = 0;
  sections[0].sh_size = 1 << 26;
  assert_int_equal(pwrite(fd, bytes, size, 0), size);
  assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0);
  assert_null(elf_open(fd));
  read_all(fd);
  file->e_phoff = file->e_shoff = UINT64_MAX;
  assert_int_equal(pwrite(fd, bytes, size, 0), size);
  read_all(fd);
  close(fd);
  free(bytes);
}

/* A dynamic section that asks for one library after another; each is nowhere on a long path. */
static void asking_for_ever(void **state)
{
  (void)state;
  enum { ENTRIES = 100000, TEXTS = 1 << 16 };
  static struct {
    Elf64_Ehdr file;
    Elf64_Phdr headers[3];
    char interpreter[32];
    Elf64_Dyn entries[ENTRIES];
    char texts[TEXTS + 64];
  } all;
  all.file =
      (Elf64_Ehdr){.e_type = ET_DYN, .e_phoff = sizeof all.file, .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 3};
  size_t size;
  char *bytes = sample(&size);
  memcpy(all.file.e_ident, bytes, EI_NIDENT);
  all.file.e_machine = ((const Elf64_Ehdr *)(void *)bytes)->e_machine;
  free(bytes);
  all.headers[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_filesz = sizeof all};
  all.headers[1] =
      (Elf64_Phdr){.p_type = PT_DYNAMIC, .p_offset = offsetof(__typeof__(all), entries), .p_filesz = 8000 * 16};
  all.headers[2] =
      (Elf64_Phdr){.p_type = PT_INTERP, .p_offset = offsetof(__typeof__(all), interpreter), .p_filesz = 32};
  strcpy(all.interpreter, "/lib64/ld-linux-x86-64.so.2");
  memset(all.texts, ':', TEXTS);
  for (size_t i = 1; i < TEXTS; i += 2)
    all.texts[i] = 'd';
  all.texts[TEXTS - 2000] = '\0';
  all.entries[0] = (Elf64_Dyn){DT_STRTAB, {offsetof(__typeof__(all), texts)}};
  all.entries[1] = (Elf64_Dyn){DT_STRSZ, {TEXTS + 64}};
  all.entries[2] = (Elf64_Dyn){DT_RPATH, {0}};
  for (size_t i = 3; i < 7999; i++)
    all.entries[i] = (Elf64_Dyn){DT_NEEDED, {TEXTS - 1999 + i % 1990}};
  write_file("asking", &all, sizeof all, 0755);
  time_t before = time(NULL);
  struct program_libraries *libraries = program_libraries_find("./asking");
  assert_true(libraries->incomplete);
  assert_null(program_libraries_with(libraries, RUNTIME_LIBGOMP));
  program_libraries_free(libraries);
  assert_true(time(NULL) - before < 20);
}

static void damaged_caches(void **state)
{
  (void)state;
  if (access("/etc/ld.so.cache", R_OK) != 0)
    skip();
  size_t size, at = 0;
  char *bytes = read_file("/etc/ld.so.cache", &size);
  struct ld_cache cache = ld_cache_read("/etc/ld.so.cache");
  assert_non_null(ld_cache_find(&cache, "libc.so.6", &at));
  assert_null((at = 0, ld_cache_find(&cache, "libnosuch.so", &at)));
  ld_cache_free(&cache);
  srand(1);
  for (size_t i = 0; i < 400; i++) {
    size_t length = i < 200 ? i : (size_t)rand() % size;
    char *copy = malloc(length + 1);
    memcpy(copy, bytes, length);
    for (int n = 0; i >= 200 && n < 50; n++)
      copy[(size_t)rand() % (n % 2 ? length : length < 2000 ? length : 2000)] ^= (char)rand();
    write_file("cache", copy, length, 0644);
    free(copy);
    cache = ld_cache_read("cache");
    for (at = 0; ld_cache_find(&cache, "libc.so.6", &at);)
      continue;
    ld_cache_free(&cache);
  }
  cache = ld_cache_read("/nonexistent");
  assert_null(ld_cache_find(&cache, "libc.so.6", (at = 0, &at)));
  free(bytes);
}

UNIT_TEST(launch_damage)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_sample_is_read), cmocka_unit_test(every_truncation), cmocka_unit_test(flipped_bytes),
      cmocka_unit_test(huge_numbers),       cmocka_unit_test(asking_for_ever),  cmocka_unit_test(damaged_caches),
  };
  return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
