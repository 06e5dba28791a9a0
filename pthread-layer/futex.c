/*
 * Futexes by libc's syscall(): std::barrier, latch, counting_semaphore and atomic::wait of libstdc++ and libc++, locks
 * of Rust. libc's own waits do not come here.
 *
 * All other system calls jump on with registers and stack as they came: vfork returns twice, and clone on another
 * stack.
 */
#include "pthread-layer/wait.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#ifdef __x86_64__

/* Read by the code below. NULL: syscall() is called before the layer is loaded; then the code calls the kernel itself.
 */
long (*futex_next)(long, ...) __attribute__((visibility("hidden")));

/* The program's call. All arguments are as in its registers: libc takes the call's seventh from the stack. */
__attribute__((visibility("hidden"))) long futex_call(long number, uint32_t *word, long operation, long value,
                                                      long fourth, long fifth, long sixth);

/* clang-format off */
_Static_assert(SYS_futex == 202, "the code below has the number");
__asm__(".text\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        ".p2align 4\n"
        "syscall:\n"
        ".cfi_startproc\n"
        "  endbr64\n"
        "  movq futex_next(%rip), %r11\n"
        "  testq %r11, %r11\n"
        "  jz 1f\n"
        "  cmpq $202, %rdi\n"
        "  je futex_call\n"
        "  jmp *%r11\n"
        "1:\n"
        "  movq %rdi, %rax\n"
        "  movq %rsi, %rdi\n"
        "  movq %rdx, %rsi\n"
        "  movq %rcx, %rdx\n"
        "  movq %r8, %r10\n"
        "  movq %r9, %r8\n"
        "  movq 8(%rsp), %r9\n"
        "  syscall\n"
        "  cmpq $-4095, %rax\n"
        "  jae 2f\n"
        "  ret\n"
        "2:\n"
        "  movq %rax, %rdi\n"
        "  jmp futex_fail\n"
        ".cfi_endproc\n"
        ".size syscall, .-syscall\n");
/* clang-format on */

__attribute__((visibility("hidden"), used)) long futex_fail(long result);

long futex_fail(long result)
{
  errno = (int)-result;
  return -1;
}

/* What has changed already is no wait: it has what it waited for. */
static unsigned futex_how(long result)
{
  return result == 0 || errno == EAGAIN ? 0 : wait_how(errno);
}

static long wait_for_word(uintptr_t caller, uint32_t *word, long operation, long value, long fourth, long fifth,
                          long sixth)
{
  struct wait wait;
  wait_begins(&wait, RAW_PTHREAD_ATOMIC, word, callers_code(caller), 0);
  long result = futex_next(SYS_futex, word, operation, value, fourth, fifth, sixth);
  wait_ends(&wait, futex_how(result));
  return result;
}

long futex_call(long number, uint32_t *word, long operation, long value, long fourth, long fifth, long sixth)
{
  if (layer_records()) {
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      return wait_for_word(LAYER_CALLER(), word, operation, value, fourth, fifth, sixth);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
    case FUTEX_WAKE_OP:
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
      if (value > 0 && waiting_for((uintptr_t)word))
        wait_release(value == 1 ? RAW_PTHREAD_NOTIFY_ONE : RAW_PTHREAD_NOTIFY_ALL, word, LAYER_CALLER());
      break;
    default:
      break;
    }
  }
  return futex_next(number, word, operation, value, fourth, fifth, sixth);
}

__attribute__((constructor(102))) static void futex_begin(void)
{
  __atomic_store_n(&futex_next, next.syscall, __ATOMIC_RELEASE);
}

#endif
