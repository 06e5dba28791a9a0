#include "ompt-tool/profiled.h"

#include "common/profile/profile_fold.h"

#include <link.h>

/* Of the runtime's module. */
static struct {
  uintptr_t start, end;
} runtime;

bool profiled_libomp;

/* Whether the module has the code at *wanted; then its bounds are the runtime's. */
static int look_at(struct dl_phdr_info *info, size_t size, void *wanted)
{
  (void)size;
  uintptr_t code = *(const uintptr_t *)wanted, start = UINTPTR_MAX, end = 0;
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    if (header->p_type != PT_LOAD)
      continue;
    uintptr_t from = info->dlpi_addr + header->p_vaddr, to = from + header->p_memsz;
    start = from < start ? from : start;
    end = to > end ? to : end;
  }
  if (code < start || code >= end)
    return 0;
  runtime.start = start;
  runtime.end = end;
  return 1;
}

void profiled_set_runtime(const void *code, bool libomp)
{
  uintptr_t wanted = (uintptr_t)code;
  dl_iterate_phdr(look_at, &wanted);
  profiled_libomp = libomp;
  profile_fold_set_runtime(runtime.start, runtime.end, libomp);
}

static bool is_runtimes(const void *code)
{
  return (uintptr_t)code - runtime.start < runtime.end - runtime.start;
}

uint64_t profiled_code(const void *code)
{
  return is_runtimes(code) ? 0 : code_of(code);
}

uint64_t profiled_code_of_construct(const void *code)
{
  uint64_t known = outlined_function ? code_of_construct(code) : 0;
  return known ? known : profiled_code(code);
}
