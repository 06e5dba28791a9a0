/* LD_PRELOAD: for who asks the kernel, the processor has a stack of return addresses of its own (arch_prctl). */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ARCH_SHSTK_STATUS 0x5005

static long made(long number, long a, long b, long c, long d, long e, long f)
{
  register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

long syscall(long number, ...)
{
  long arguments[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; i++)
    arguments[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_arch_prctl && arguments[0] == ARCH_SHSTK_STATUS) {
    *(unsigned long *)arguments[1] = 1;
    return 0;
  }
  long result = made(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
  if (result < 0 && result > -4096) {
    errno = (int)-result;
    return -1;
  }
  return result;
}
