/*
 * Runs the unit tests of a folder: test_<folder> [SUBJECT [ARGUMENT...]], all subjects by default. Exit status: 0 all
 * tests hold, 1 some do not, 2 there is no such subject. The build makes unit_subjects.h, a line UNIT_SUBJECT(subject)
 * for each.
 */
#include <stdio.h>
#include <string.h>

#define UNIT_SUBJECT(subject) int unit_##subject(int argc, char **argv);
#include "tests/unit/unit_subjects.h"
#undef UNIT_SUBJECT

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
} SUBJECTS[] = {
#define UNIT_SUBJECT(subject) {#subject, unit_##subject},
#include "tests/unit/unit_subjects.h"
};

int main(int argc, char **argv)
{
  int failed = 0;
  for (size_t i = 0; i < sizeof SUBJECTS / sizeof *SUBJECTS; i++) {
    char *alone[] = {(char *)SUBJECTS[i].name, NULL};
    if (argc == 1)
      failed += SUBJECTS[i].run(1, alone);
    else if (strcmp(argv[1], SUBJECTS[i].name) == 0)
      return SUBJECTS[i].run(argc - 1, argv + 1) != 0;
  }
  if (argc == 1)
    return failed != 0;
  fprintf(stderr, "%s: there is no subject %s\n", argv[0], argv[1]);
  return 2;
}
