// The library of the program `unwinding`.
#ifndef HEDDLE_TESTS_PROGRAMS_CALLS_UNWINDING_H
#define HEDDLE_TESTS_PROGRAMS_CALLS_UNWINDING_H

void library_calls(void (*function)(int), int n);
int library_catches(void (*function)(int), int n);
[[noreturn]] void library_throws(int n);

#endif
