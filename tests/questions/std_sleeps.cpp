// question: what are my std::threads doing?
// answer: blocked; sleep|kernel
// compilers: gcc
// They sleep for most of the time, as with a slow device.
#include <chrono>
#include <cstdio>
#include <thread>
static void w()
{
  for (int k = 0; k < 20; k++)
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
}
int main()
{
  std::thread a(w), b(w);
  a.join();
  b.join();
  puts("done");
}
