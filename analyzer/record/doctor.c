/* Command `heddle doctor`: what works on this machine, with a remedy for what does not. */
#include "analyzer/command/command.h"
#include "analyzer/command/print/print.h"
#include "analyzer/command/shared_options.h"
#include "analyzer/record/machine_checks.h"
#include "base/count_of.h"

#include <getopt.h>

static const char *doctor_word(enum machine_state state)
{
  static const char *const names[] = {[MACHINE_GOOD] = "yes", [MACHINE_LESS] = "no", [MACHINE_NOTHING] = "needed"};
  return names[state];
}

static void put_check(struct print *print, enum machine_check check, enum machine_state state, const char *found)
{
  struct print_cell cells[] = {print_string(machine_check_name(check)), print_string(doctor_word(state)),
                               print_string(found), print_string(machine_check_use(check)),
                               state == MACHINE_GOOD ? print_none() : print_string(machine_check_remedy(check))};
  print_row(print, cells);
}

static int doctor_run(const struct command *command, int argc, char **argv)
{
  static const struct print_column columns[] = {{"check", "Check", PRINT_STRING, false},
                                                {"works", "Works", PRINT_STRING, false},
                                                {"found", "Found", PRINT_STRING, false},
                                                {"use", "It is for", PRINT_STRING, false},
                                                {"remedy", "What to do", PRINT_STRING, true}};
  struct shared_options shared = {.format = PRINT_TEXT};
  int status = command_take(command, (void *[OPTION_SETS]){&shared}, argc, argv);
  if (status >= 0)
    return status;
  if (optind < argc)
    return command_usage(command->name, "give no operand (%s is one too many)", argv[optind]);
  struct print *print = print_open(shared.format, stdout, 0);
  if (!print) {
    command_error(command->name, "out of memory");
    return EXIT_FAULT;
  }
  enum machine_state worst = MACHINE_GOOD;
  print_table(print, "checks", NULL, columns, COUNT_OF(columns), false);
  for (enum machine_check check = 0; check < MACHINE_CHECKS; check++) {
    char found[MACHINE_FOUND_SIZE];
    enum machine_state state = machine_check(check, found);
    worst = state > worst ? state : worst;
    put_check(print, check, state, found);
  }
  print_table_end(print);
  print_sentence(print, "verdict",
                 worst == MACHINE_GOOD   ? "All of Heddle works here."
                 : worst == MACHINE_LESS ? "Programs can be recorded here. Recordings lack what the table names."
                                         : "No program can be recorded here, until what is `needed` works.");
  return print_close(print) && worst != MACHINE_NOTHING ? EXIT_DONE : EXIT_FAULT;
}

const struct command command_doctor = {
    .name = "doctor",
    .group = COMMAND_RECORD,
    .summary = "tests what can be recorded on this machine, and names remedies",
    .synopsis = "[OPTION]...",
    .about = "Tests what recordings need: libraries, limits, space, clock, perf events, counters, runtimes and JDKs.\n",
    .options = {{.list = format_options}},
    .run = doctor_run,
};
