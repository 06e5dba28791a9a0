// Algorithms of the standard library in libstdc++'s parallel mode: OpenMP code that we did not write.
#include <cstdio>
#include <numeric>
#include <parallel/algorithm>
#include <parallel/numeric>
#include <vector>

int main()
{
  std::vector<long> numbers(200000);
  for (std::size_t i = 0; i < numbers.size(); i++)
    numbers[i] = static_cast<long>(i * 7919 % numbers.size());

  __gnu_parallel::sort(numbers.begin(), numbers.end());
  bool right = true;
  for (std::size_t i = 0; i < numbers.size(); i++)
    right = right && numbers[i] == static_cast<long>(i);
  __gnu_parallel::for_each(numbers.begin(), numbers.end(), [](long &n) { n *= 2; });
  long sum = __gnu_parallel::accumulate(numbers.begin(), numbers.end(), 0L);
  right = right && sum == static_cast<long>(numbers.size() * (numbers.size() - 1));
  right = right && *__gnu_parallel::max_element(numbers.begin(), numbers.end()) == 2 * (long)(numbers.size() - 1);

  std::printf("truth: parallel_at_least=%d\n", 4);
  std::printf("result: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
