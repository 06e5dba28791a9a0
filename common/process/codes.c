#include "common/process/codes.h"

#include "common/budget/mix.h"
#include "common/process/find_object.h"
#include "common/process/loaded_modules.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#define PAGE           ((size_t)1 << CODES_PAGE_BITS)
#define PERMANENT_MOST 4u
#define SEEN_GROUPS    64u
#define SEEN_WAYS      4u

_Atomic uint64_t codes_program;
static _Atomic uint64_t permanent[PERMANENT_MOST]; /* further ranges, the newest ones */
static codes_listed *_Atomic listed;
const struct returns *_Atomic codes_returns;
static _Atomic uint64_t seen_before[SEEN_GROUPS][SEEN_WAYS];

/* FNV-1a by words, from a hash on. */
static uint64_t hash_on(uint64_t hash, const void *bytes, size_t n)
{
  uint64_t word;
  for (size_t at = 0; at + sizeof word <= n; at += sizeof word) {
    memcpy(&word, (const char *)bytes + at, sizeof word);
    hash = (hash ^ word) * 0x100000001b3u;
    hash ^= hash >> 29;
  }
  return hash;
}

/* Returns a number for the module in memory: a hash of its first page, which each module has. */
static uint64_t seen_at(const char *start)
{
  const ElfW(Ehdr) *header = (const void *)start;
  uint64_t hash = hash_on(0xcbf29ce484222325u, &start, sizeof start);
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phentsize != sizeof(ElfW(Phdr)) ||
      header->e_phoff % sizeof(uint64_t) != 0 || header->e_phoff > PAGE ||
      header->e_phnum > (PAGE - header->e_phoff) / sizeof(ElfW(Phdr)))
    return 0;
  const ElfW(Phdr) *headers = (const void *)(start + header->e_phoff);
  for (unsigned i = 0; i < header->e_phnum; i++) {
    const unsigned char *id;
    size_t at = headers[i].p_offset, size = headers[i].p_filesz;
    if (headers[i].p_type != PT_NOTE || at > PAGE || size > PAGE - at)
      continue;
    size_t id_size = loaded_find_id((const unsigned char *)start + at, size, &id);
    if (id_size >= sizeof hash)
      return hash_on(hash, id, id_size) | 1;
  }
  return hash_on(hash, start, PAGE / 4) | 1;
}

static _Atomic uint64_t *group_of(uint64_t seen)
{
  return seen_before[(mix_upper(seen) >> 32) % SEEN_GROUPS];
}

static bool was_seen(uint64_t seen)
{
  const _Atomic uint64_t *group = group_of(seen);
  for (unsigned i = 0; i < SEEN_WAYS; i++)
    if (atomic_load_explicit(&group[i], memory_order_acquire) == seen)
      return true;
  return false;
}

void codes_add_seen(uint64_t seen)
{
  _Atomic uint64_t *group = group_of(seen);
  for (unsigned i = SEEN_WAYS - 1; i > 0; i--)
    atomic_store(&group[i], atomic_load(&group[i - 1]));
  atomic_store(&group[0], seen);
}

void codes_forget(void)
{
  for (unsigned i = 0; i < SEEN_GROUPS; i++)
    for (unsigned k = 0; k < SEEN_WAYS; k++)
      atomic_store(&seen_before[i][k], 0);
}

void codes_add_permanent(uintptr_t start, uintptr_t end)
{
  static unsigned next;
  uint64_t from = start >> CODES_PAGE_BITS, pages = ((end + PAGE - 1) >> CODES_PAGE_BITS) - from;
  if (pages >> CODES_SIZE_BITS)
    return;
  uint64_t range = from << CODES_SIZE_BITS | pages;
  if (atomic_load(&codes_program) == 0)
    atomic_store(&codes_program, range);
  else
    atomic_store(&permanent[next++ % PERMANENT_MOST], range);
}

#ifdef find_object
bool codes_begin(codes_listed *asked)
{
  atomic_store(&listed, find_object != NULL ? asked : NULL);
  return find_object != NULL;
}

uint64_t codes_lookup(uintptr_t code)
{
  struct dl_find_object object;
  codes_listed *ask = atomic_load_explicit(&listed, memory_order_relaxed);
  code = returns_real(atomic_load_explicit(&codes_returns, memory_order_relaxed), code);
  if (code == 0 || !ask || codes_need_no_lookup(code))
    return code;
  for (unsigned i = 0; i < PERMANENT_MOST; i++)
    if (codes_within(atomic_load_explicit(&permanent[i], memory_order_relaxed), code))
      return code;
  bool loaded = find_object((void *)code, &object) == 0;
  uint64_t seen = loaded ? seen_at(object.dlfo_map_start) : code & ~(PAGE - 1); /* the former is odd, or 0 */
  return (seen && was_seen(seen)) || ask(code, loaded, seen) ? code : 0;
}
#else
bool codes_begin(codes_listed *asked)
{
  (void)asked;
  return false;
}

uint64_t codes_lookup(uintptr_t code)
{
  return returns_real(atomic_load_explicit(&codes_returns, memory_order_relaxed), code);
}
#endif
