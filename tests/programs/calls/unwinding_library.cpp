#include "tests/programs/calls/unwinding.h"

static volatile int sink;

__attribute__((noinline)) static void inner(void (*function)(int), int n)
{
  function(n);
  sink++;
}

void library_calls(void (*function)(int), int n)
{
  inner(function, n);
  sink++;
}

int library_catches(void (*function)(int), int n)
{
  try {
    inner(function, n);
  } catch (...) {
    return n + 1;
  }
  return 0;
}

void library_throws(int n)
{
  throw n;
}
