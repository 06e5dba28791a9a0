// What unwinds the stack: exceptions of a library and through it, cancellation, pthread_exit, stack traces; and jumps
// out of handlers. Prints what each function saw.
#include "tests/programs/calls/unwinding.h"
#include "tests/programs/calls/function.h"

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

static volatile int sink;

struct Scope {
  explicit Scope(const char *text) : name(text)
  {
  }
  ~Scope()
  {
    std::printf("end of %s\n", name);
  }
  const char *name;
};

// An exception passes a library's functions and comes back here; some calls are the last code of their block.
FUNCTION static void thrower(int n)
{
  Scope scope("thrower");
  if (n == 0)
    throw std::runtime_error("thrown");
  library_calls(thrower, n - 1);
}

FUNCTION static void exceptions()
{
  for (int n = 0; n < 4; n++) {
    try {
      library_calls(thrower, n);
    } catch (const std::exception &error) {
      std::printf("caught %s at %d\n", error.what(), n);
    }
    std::printf("library caught %d\n", library_catches(thrower, n));
    try {
      library_throws(n);
    } catch (int number) {
      std::printf("number %d\n", number);
    }
  }
}

FUNCTION static void print_name(void *code)
{
  Dl_info info;
  std::printf("  %s\n", dladdr(code, &info) && info.dli_sname ? info.dli_sname : "?");
}

FUNCTION static _Unwind_Reason_Code print_frame(struct _Unwind_Context *context, void *count)
{
  if (++*static_cast<int *>(count) < 8)
    print_name(reinterpret_cast<void *>(_Unwind_GetIP(context) - 1));
  return _URC_NO_REASON;
}

extern "C" FUNCTION void stack_trace_here(int size)
{
  void *frames[32];
  int n = backtrace(frames, size), count = 0;
  std::printf("%d frames of at most %d\n", n, size);
  for (int i = 0; i < n; i++)
    print_name(static_cast<char *>(frames[i]) - 1);
  _Unwind_Backtrace(print_frame, &count);
  std::printf("%d frames\n", count);
}

extern "C" FUNCTION void stack_trace_below(int size)
{
  stack_trace_here(size);
  sink++;
}

extern "C" FUNCTION void stack_traces()
{
  const int sizes[] = {1, 2, 3, 32};
  for (int size : sizes) {
    stack_trace_below(size);
    library_calls(stack_trace_below, size);
  }
}

// Can be cancelled anywhere in it, which the compiler does not know of functions that have something to end.
FUNCTION __attribute__((no_instrument_function)) static void spin(int)
{
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  for (;;)
    sink = 1;
}

FUNCTION static void wait_for_ever(int how)
{
  Scope scope("wait_for_ever");
  if (how == 0)
    pthread_exit(const_cast<char *>("exit"));
  if (how == 2)
    library_calls(spin, 0);
  sink = 1;
  for (;;)
    pause();
}

FUNCTION static void at_cancel(void *text)
{
  std::printf("cleanup: %s\n", static_cast<const char *>(text));
}

FUNCTION static void cancelled(int how)
{
  Scope scope("cancelled");
  pthread_cleanup_push(at_cancel, const_cast<char *>("pushed"));
  wait_for_ever(how);
  sink++;
  pthread_cleanup_pop(0);
}

FUNCTION static void *cancelled_thread(void *how)
{
  Scope scope("thread");
  library_calls(cancelled, static_cast<int>(reinterpret_cast<long>(how)));
  sink++;
  return nullptr;
}

FUNCTION static void cancellation()
{
  for (long how = 0; how < 3; how++) {
    pthread_t thread;
    void *result;
    sink = 0;
    pthread_create(&thread, nullptr, cancelled_thread, reinterpret_cast<void *>(how));
    while (how > 0 && sink == 0)
      usleep(1000);
    if (how > 0)
      pthread_cancel(thread);
    pthread_join(thread, &result);
    std::printf("joined: %s\n", result == PTHREAD_CANCELED ? "cancelled" : static_cast<const char *>(result));
  }
}

static sigjmp_buf back;

FUNCTION static void jump(int)
{
  siglongjmp(back, 1);
}

FUNCTION static void raise_below(int n)
{
  if (n == 0)
    raise(SIGUSR1);
  else
    raise_below(n - 1);
  sink++;
}

FUNCTION static void jumps()
{
  signal(SIGUSR1, jump);
  for (volatile int i = 0; i < 200; i = i + 1)
    if (sigsetjmp(back, 1) == 0)
      raise_below(i % 9);
  std::printf("jumped\n");
}

// An exception leaves a handler, and what the signal interrupted.
FUNCTION static void throw_number(int number)
{
  throw number;
}

FUNCTION static void raise_and_go_on()
{
  int (*volatile raise_)(int) = raise; // which the compiler doesn't know to throw nothing
  Scope scope("raise_and_go_on");
  raise_(SIGUSR2);
  sink++;
}

FUNCTION static void handlers()
{
  struct sigaction action = {};
  action.sa_handler = throw_number;
  action.sa_flags = SA_NODEFER;
  sigaction(SIGUSR2, &action, nullptr);
  for (int i = 0; i < 3; i++) {
    try {
      raise_and_go_on();
    } catch (int number) {
      std::printf("signal %d\n", number);
    }
  }
}

FUNCTION static void children()
{
  for (int i = 0; i < 3; i++) {
    int status = 0;
    std::fflush(stdout);
    pid_t child = i == 0 ? vfork() : fork();
    if (child == 0)
      _exit(i == 0 ? 1 : library_catches(thrower, 2) + 2);
    waitpid(child, &status, 0);
    std::printf("child %d\n", WEXITSTATUS(status));
  }
}

int main()
{
  exceptions();
  stack_traces();
  cancellation();
  jumps();
  handlers();
  children();
  std::fflush(stdout);
  thrower(1); // nobody catches it: abort()
  return 0;
}
