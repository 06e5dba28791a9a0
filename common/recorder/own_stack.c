#include "common/recorder/own_stack.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Bytes below the stack: who runs over its end crashes, and writes into nothing of the program's. */
#define GUARD 4096u

/* AddressSanitizer knows the stacks of threads and takes others for errors: what is built with it stays where it is. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define SWITCHES 1
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#undef SWITCHES
#endif
#endif
#endif

#ifdef SWITCHES
/*
 * A call as any other, with another stack below it. The caller's frame is found by rbp, as the directives declare to
 * debuggers and unwinders; a shadow stack sees one call and one return.
 */
__attribute__((naked, noinline)) static void call_on(__attribute__((unused)) void (*function)(void *),
                                                     __attribute__((unused)) void *argument,
                                                     __attribute__((unused)) void *top)
{
  __asm__("pushq %rbp\n\t"
          ".cfi_def_cfa_offset 16\n\t"
          ".cfi_offset %rbp, -16\n\t"
          "movq %rsp, %rbp\n\t"
          ".cfi_def_cfa_register %rbp\n\t"
          "movq %rdx, %rsp\n\t"
          "movq %rdi, %rax\n\t"
          "movq %rsi, %rdi\n\t"
          "callq *%rax\n\t"
          "movq %rbp, %rsp\n\t"
          "popq %rbp\n\t"
          ".cfi_def_cfa %rsp, 8\n\t"
          "ret");
}

#define BIT(signal) (1ull << ((signal) - 1))

/* Sandboxes answer system calls in handlers of SIGSYS; a fault whose signal is blocked kills, even if it has a
 * handler. */
static const uint64_t delivered = BIT(SIGSYS) | BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGILL) | BIT(SIGFPE) | BIT(SIGTRAP);

/* Not by libc, which excludes the signals that it uses itself. */
static uint64_t change_signals(int how, uint64_t set)
{
  uint64_t before = 0;
  syscall(SYS_rt_sigprocmask, how, &set, &before, sizeof set);
  return before;
}

bool own_stack_call(void (*function)(void *), void *argument)
{
  char *memory =
      mmap(NULL, GUARD + OWN_STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  mprotect(memory, GUARD, PROT_NONE);
  uint64_t before = change_signals(SIG_BLOCK, ~delivered);
  call_on(function, argument, memory + GUARD + OWN_STACK_SIZE);
  int error = errno;
  change_signals(SIG_SETMASK, before);
  munmap(memory, GUARD + OWN_STACK_SIZE);
  errno = error;
  return true;
}
#else
bool own_stack_call(void (*function)(void *), void *argument)
{
  function(argument);
  return true;
}
#endif
