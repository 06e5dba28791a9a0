/*
 * libFuzzer target: any bytes as an ELF file that a program may consist of, read as `heddle record` reads it. What is
 * said of it must hold together, and reading must end.
 */
#include "analyzer/record/launch/elf_image.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
  if (!condition)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct elf_image image;
  struct elf_symbols exported, all;
  int fd = memfd_create("elf", MFD_CLOEXEC);
  require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
  elf_image_read(fd, &image);
  require(image.kind == ELF_NATIVE || (!image.dynamic && !image.interpreter && !image.damaged));
  require(image.dynamic || (!image.needed.items && !image.soname && !image.rpath && !image.runpath));
  for (size_t i = 0; i < image.needed.count; i++)
    require(strlen(image.needed.items[i]) < size);
  elf_symbols_exported(fd, &exported);
  elf_symbols_all(fd, &all);
  require(!all.gomp || elf_contains(fd, "GOMP_parallel"));
  require(!exported.kmp || elf_contains(fd, "__kmpc_fork_call"));
  require(!elf_has_section(fd, "__patchable_function_entries") || elf_contains(fd, "__patchable_function_entries"));
  elf_image_free(&image);
  close(fd);
  return 0;
}
