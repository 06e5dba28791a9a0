// heddle.h in C++.
#include "user-events/include/heddle.h"

#include <cstdio>

int main()
{
  heddle_enter("c++");
  heddle_event("bare");
  heddle_event("numbers", heddle_integer("i", 1), heddle_real("r", 0.5));
  heddle_leave("c++");
  std::puts("done");
}
