#include "calls-layer/shadow.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#define ADDRESS_BITS (SHADOW_BLOCK_BITS + SHADOW_INNER_BITS + SHADOW_ROOT_BITS)

shadow_inner *_Atomic shadow_root[1 << SHADOW_ROOT_BITS];

static void *make(size_t size)
{
  int kept = errno;
  void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  errno = kept;
  return map == MAP_FAILED ? NULL : map;
}

/* Fills a place once: a second thread takes what the first one made. */
static void *filled(void *_Atomic *place, size_t size)
{
  void *there = atomic_load_explicit(place, memory_order_acquire);
  if (there)
    return there;
  void *made = make(size);
  if (made && !atomic_compare_exchange_strong(place, &there, made)) {
    munmap(made, size);
    return there;
  }
  return made;
}

char *shadow_block(uintptr_t at)
{
  if (at >> ADDRESS_BITS != 0 || at % sizeof(uintptr_t) != 0)
    return NULL;
  shadow_inner *inner =
      filled((void *_Atomic *)&shadow_root[at >> (SHADOW_BLOCK_BITS + SHADOW_INNER_BITS)], sizeof(shadow_inner));
  if (!inner)
    return NULL;
  uintptr_t number = at >> SHADOW_BLOCK_BITS & ((1u << SHADOW_INNER_BITS) - 1);
  return filled((void *_Atomic *)&(*inner)[number], 1u << SHADOW_BLOCK_BITS);
}

/*
 * Where functions return to whose return address was exchanged.
 *
 * An unwinder that comes to the trampoline takes it for a function without a frame, which was called from where the
 * real return address leads. That is an expression over memory: unwinders find it in exceptions, cancellation and
 * debuggers, with no call of ours. It walks shadow.h. It finds the root relative to the trampoline, whose return
 * addresses and program counters differ in the last six bits alone. Unwinders know frames by their CFA. The
 * trampoline's CFA is no multiple of 8, because the function that returns here has the right one.
 */

#if defined(__x86_64__)

/* clang-format off */
__asm__(
    ".text\n"
    ".p2align 6\n"
    "0: .quad shadow_root - 0b\n"
    ".skip 7, 0x90\n"
    ".cfi_startproc\n"
    ".cfi_escape 0x0f, 2, 0x77, 0x7c\n" /* cfa: rsp - 4 */
    /* The stack pointer (7): cfa + 4 */
    ".cfi_escape 0x16, 7, 2, 0x34, 0x22\n"
    /* The return address (16) is: [slot]         cfa - 4 */
    ".cfi_escape 0x16, 16, 36, 0x34, 0x1c\n"
    /* [slot, root]    base = pc & ~63; base + *base */
    ".cfi_escape 0x80, 0, 0x08, 63, 0x20, 0x1a, 0x12, 0x06, 0x22\n"
    /* [slot, inner]   *(root + (slot >> 31 << 3)) */
    ".cfi_escape 0x14, 0x4f, 0x25, 0x33, 0x24, 0x22, 0x06\n"
    /* [slot, block]   *(inner + ((slot >> 16 & 0x7fff) << 3)) */
    ".cfi_escape 0x14, 0x40, 0x25, 0x0a, 0xff, 0x7f, 0x1a, 0x33, 0x24, 0x22, 0x06\n"
    /* *(block + (slot & 0xffff)) */
    ".cfi_escape 0x16, 0x0a, 0xff, 0xff, 0x1a, 0x22, 0x06\n"
    "nop\n" /* unwinders look for what is before a return address */
    ".globl entries_trampoline\n"
    ".hidden entries_trampoline\n"
    ".type entries_trampoline, @function\n"
    "entries_trampoline:\n"
    "  lea -8(%rsp), %rsp\n"
    ".cfi_escape 0x0f, 2, 0x77, 4\n"
    "  call entries_returned\n"
    "  lea 8(%rsp), %rsp\n"
    ".cfi_escape 0x0f, 2, 0x77, 0x7c\n"
    "  jmp *-8(%rsp)\n" /* a ret here would be one more than there were calls, and the processor predicts by their number */
    ".cfi_endproc\n"
    ".size entries_trampoline, . - entries_trampoline\n"
    ".if . - 0b > 64\n"
    ".error \"the trampoline is longer than its block\"\n"
    ".endif\n");
/* clang-format on */

#endif
