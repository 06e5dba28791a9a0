// Classes that are firstprivate in tasks and in a taskloop: the compiler hands over a function that copies them.
#include <atomic>
#include <cstdio>
#include <omp.h>
#include <string>

static std::atomic<int> alive, copies;

struct Counted {
  std::string text;
  Counted *self; // a copy by bytes would not know itself
  explicit Counted(const char *t) : text(t), self(this)
  {
    alive++;
  }
  Counted(const Counted &other) : text(other.text), self(this)
  {
    alive++;
    copies++;
  }
  ~Counted()
  {
    alive--;
  }
  bool whole() const
  {
    return self == this && text == "a text that does not fit into a string object";
  }
};

int main()
{
  std::atomic<int> right(0);
  {
    Counted counted("a text that does not fit into a string object");
#pragma omp parallel num_threads(2)
#pragma omp single
    {
      for (int i = 0; i < 20; i++) {
#pragma omp task firstprivate(counted) if (i % 4 != 3)
        right += counted.whole();
      }
#pragma omp taskwait
#pragma omp taskloop firstprivate(counted) num_tasks(5)
      for (int i = 0; i < 20; i++)
        right += counted.whole();
    }
  }
  std::printf(
      "truth: parallel=1\ntruth: tasks=25\ntruth: tasks_completed=25\ntruth: taskloops=1\ntruth: taskwaits=1\n");
  bool good = right == 40 && alive == 0 && copies >= 25;
  std::printf("result: %s\n", good ? "right" : "WRONG");
  return good ? 0 : 1;
}
