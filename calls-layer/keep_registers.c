#include "calls-layer/keep_registers.h"

#if defined(__x86_64__)

#include <cpuid.h>

uint32_t keep_registers_size, keep_registers_compact;

void keep_registers_begin(void)
{
  unsigned eax, ebx, ecx, edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE))
    return;
  uint32_t size = 512 + 64;
  for (unsigned component = 2; component <= 7; component++) {
    if (component == 3 || component == 4 || !__get_cpuid_count(0xd, component, &eax, &ebx, &ecx, &edx) || eax == 0)
      continue;
    size = ebx + eax > size ? ebx + eax : size;
  }
  if (__get_cpuid_count(0xd, 1, &eax, &ebx, &ecx, &edx))
    keep_registers_compact = (eax & bit_XSAVEC) != 0;
  keep_registers_size = size;
}

/* clang-format off */
__asm__(
    ".text\n"
    ".globl keep_registers_call\n"
    ".hidden keep_registers_call\n"
    ".type keep_registers_call, @function\n"
    "keep_registers_call:\n" /* rdi: the function, rsi, rdx: its arguments */
    ".cfi_startproc\n"
    "  push %rbp\n"
    ".cfi_def_cfa_offset 16\n"
    ".cfi_offset rbp, -16\n"
    "  mov %rsp, %rbp\n"
    ".cfi_def_cfa_register rbp\n"
    "  mov %rdi, %r11\n"
    "  mov %rsi, %rdi\n"
    "  mov %rdx, %rsi\n"
    "  mov keep_registers_size(%rip), %eax\n"
    "  test %eax, %eax\n"
    "  jz 1f\n"
    "  sub %rax, %rsp\n"
    "  and $-64, %rsp\n"
    "  xor %edx, %edx\n" /* the header must be zero */
    "  mov %rdx, 512(%rsp)\n  mov %rdx, 520(%rsp)\n  mov %rdx, 528(%rsp)\n  mov %rdx, 536(%rsp)\n"
    "  mov %rdx, 544(%rsp)\n  mov %rdx, 552(%rsp)\n  mov %rdx, 560(%rsp)\n  mov %rdx, 568(%rsp)\n"
    "  mov $0xe7, %eax\n" /* all that calls may change: x87, SSE, AVX, AVX-512 */
    "  cmpl $0, keep_registers_compact(%rip)\n"
    "  jz 2f\n"
    "  xsavec64 (%rsp)\n"
    "  jmp 3f\n"
    "2:  xsave64 (%rsp)\n"
    "3:  call *%r11\n"
    "  mov %rax, %rcx\n"
    "  mov $0xe7, %eax\n"
    "  xor %edx, %edx\n"
    "  xrstor64 (%rsp)\n"
    "  mov %rcx, %rax\n"
    "  leave\n"
    ".cfi_remember_state\n"
    ".cfi_def_cfa rsp, 8\n"
    "  ret\n"
    ".cfi_restore_state\n"
    "1:  sub $512, %rsp\n"
    "  and $-64, %rsp\n"
    "  fxsave64 (%rsp)\n"
    "  call *%r11\n"
    "  fxrstor64 (%rsp)\n"
    "  leave\n"
    ".cfi_def_cfa rsp, 8\n"
    "  ret\n"
    ".cfi_endproc\n"
    ".size keep_registers_call, . - keep_registers_call\n");
/* clang-format on */

#else

void keep_registers_begin(void)
{
}

uintptr_t keep_registers_call(uintptr_t (*function)(uintptr_t a, uintptr_t b), uintptr_t a, uintptr_t b)
{
  return function(a, b);
}

#endif
