/* Runs the program `heddle` as its users do. */
#ifndef HEDDLE_TESTS_ANALYZER_PROGRAM_H
#define HEDDLE_TESTS_ANALYZER_PROGRAM_H

/* What a command line wrote, and how it ended: exit status, or 128 + signal of the program itself. */
struct outcome {
  char out[1 << 16];
  int status;
};

/* What is kept of a run. OUTPUT_FAILS: stderr, and what goes to stdout meets a full disk. */
enum keep { KEEP_OUTPUT, KEEP_ERRORS, OUTPUT_FAILS };

/* Runs `heddle <arguments>` by the shell. */
__attribute__((format(printf, 3, 4))) void run(struct outcome *outcome, enum keep keep, const char *format, ...);

/* Exactly one line, and all of it printable. */
void assert_one_line(const char *text);

#endif
