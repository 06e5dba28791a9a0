/*
 * _dl_find_object of glibc 2.35, which the unwinder in libgcc calls, for builds that run with glibc 2.17. With an older
 * glibc, it is found as older unwinders do: by dl_iterate_phdr(3).
 */
#include "common/process/find_object.h"

#include <link.h>
#include <stdint.h>

#ifdef DLFO_STRUCT_HAS_EH_DBASE
struct search {
  uintptr_t address;
  struct dl_find_object *found;
};

__typeof__(_dl_find_object) *old_glibc_find_object;

/* The name is hidden here, so this is glibc's. */
__attribute__((constructor)) static void find_the_loaders(void)
{
  *(void **)&old_glibc_find_object = dlsym(RTLD_DEFAULT, "_dl_find_object");
}

static int look_into(struct dl_phdr_info *info, size_t size, void *context)
{
  const struct search *search = context;
  uintptr_t frames = 0, begin = 0, end = 0;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t at = info->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_GNU_EH_FRAME)
      frames = at;
    if (part->p_type == PT_LOAD && search->address >= at && search->address - at < part->p_memsz) {
      begin = at;
      end = at + part->p_memsz;
    }
  }
  if (end == 0 || frames == 0)
    return 0;
  *search->found = (struct dl_find_object){
      .dlfo_map_start = (void *)begin, .dlfo_map_end = (void *)end, .dlfo_eh_frame = (void *)frames};
  return 1;
}

__attribute__((visibility("hidden"))) int _dl_find_object(void *address, struct dl_find_object *found)
{
  if (old_glibc_find_object)
    return old_glibc_find_object(address, found);
  struct search search = {(uintptr_t)address, found};
  return dl_iterate_phdr(look_into, &search) == 1 ? 0 : -1;
}
#endif
