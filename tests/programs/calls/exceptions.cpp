// Functions that are left by exceptions: caught near and far, and thrown again.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>

#define PLAIN __attribute__((no_instrument_function))

namespace
{
// Calls by path, as own_count.h has them.
std::map<std::string, unsigned long> *counts;
std::string path;

// The path goes back with the scope, however it is left.
struct Call {
  PLAIN explicit Call(char name) : before(path.size())
  {
    path += name;
    ++(*counts)[path];
  }
  PLAIN ~Call()
  {
    path.resize(before);
  }
  std::string::size_type before;
};

__attribute__((noinline)) void f_d(int n)
{
  Call call('d');
  if (n % 3 == 0)
    throw std::runtime_error("d");
}

__attribute__((noinline)) void f_c(int n)
{
  Call call('c');
  f_d(n);
}

__attribute__((noinline)) void f_b(int n)
{
  Call call('b');
  try {
    f_c(n);
  } catch (const std::exception &) {
    if (n % 2 == 0)
      throw;
  }
  f_c(n + 1);
}

__attribute__((noinline)) void f_e()
{
  Call call('e');
}

__attribute__((noinline)) void f_a()
{
  Call call('a');
  for (int i = 0; i < 1000; i++) {
    try {
      f_b(i);
    } catch (const std::runtime_error &) {
      f_e();
    }
    f_e();
  }
}
} // namespace

PLAIN int main()
{
  counts = new std::map<std::string, unsigned long>;
  f_a();
  for (const auto &count : *counts)
    std::printf("path first %s %lu\n", count.first.c_str(), count.second);
  return 0;
}
