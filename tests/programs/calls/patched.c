/* patched: whether two functions begin with a call, which chosen ones do; each is called ten times. */
#include "tests/programs/calls/function.h"

#include <stdio.h>

static volatile int sink;

FUNCTION static void f_a(void)
{
  sink++;
}

FUNCTION static void f_b(void)
{
  sink += 2;
}

static void print(const char *name, void (*function)(void))
{
  const unsigned char *code = (const unsigned char *)function;
  printf("%s %s\n", name, code[0] == 0xe8 ? "calls" : "calls nothing");
}

int main(void)
{
  print("f_a", f_a);
  print("f_b", f_b);
  for (int i = 0; i < 10; i++) {
    f_a();
    f_b();
  }
  return 0;
}
