#include "analyzer/record/record_messages.h"

#include "analyzer/command/command.h"
#include "analyzer/command/print/escape.h"
#include "analyzer/command/sentences.h"
#include "analyzer/findings/sentences.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((format(printf, 1, 2))) static char *sentence(const char *format, ...)
{
  va_list arguments;
  char *text;
  va_start(arguments, format);
  int size = vasprintf(&text, format, arguments);
  va_end(arguments);
  return size < 0 ? NULL : text;
}

/* The file that the kernel loads, shown if the user named another one. */
static char *object_to_executable(const struct program_libraries *libraries, const char *file)
{
  if (libraries->kind == ELF_32_BIT)
    return sentence("%s is a 32-bit program, but Heddle's libraries are 64-bit: build it as a 64-bit program", file);
  if (libraries->kind == ELF_FOREIGN)
    return sentence(
        "%s was built for another processor, so Heddle's libraries cannot be loaded into it: build it for this machine",
        file);
  if (libraries->is_static && libraries->inside == RUNTIME_LIBGOMP)
    return sentence("%s is statically linked and %s libgomp, which cannot be recorded: link it without -static", file,
                    libraries->inside_by_text ? "seems to contain" : "contains");
  if (libraries->is_static)
    return sentence("%s is statically linked, so Heddle's libraries cannot be loaded into it; only dynamically linked "
                    "programs that it starts are recorded: link it without -static",
                    file);
  if (libraries->secure)
    return sentence("%s is set-user-ID, set-group-ID or has capabilities. A program with more rights than its caller "
                    "is not recorded: run a copy without these, or run heddle as the program's user",
                    file);
  if (libraries->other_loader)
    return sentence(
        "%s uses another C library than glibc, so Heddle's libraries cannot be loaded into it: build it for glibc",
        file);
  if (libraries->inside == RUNTIME_LIBGOMP)
    return sentence("%s %s libgomp as a static library, which cannot be recorded: link libgomp as a shared library",
                    file, libraries->inside_by_text ? "seems to contain" : "contains");
  return NULL;
}

static char *object_to_preload(const struct record_plan *plan, const char *file)
{
  const struct program_library *libgomp = program_libraries_with(plan->libraries, RUNTIME_LIBGOMP);
  if (!libgomp)
    return NULL;
  if (plan->preload == PRELOAD_ABSENT)
    return sentence("%s uses libgomp (%s), but %s, which records it, is missing: is the installation complete?", file,
                    libgomp->path, plan->gomp ? plan->gomp : "libheddle-gomp.so");
  if (plan->preload == PRELOAD_UNNAMED)
    return sentence("%s uses libgomp, which is recorded through LD_PRELOAD, but LD_PRELOAD cannot hold %s: install "
                    "Heddle under a path without spaces and colons",
                    file, plan->gomp);
  return NULL;
}

char *record_objection(const struct record_plan *plan)
{
  const struct program_libraries *libraries = plan->libraries;
  if (!libraries || !libraries->executable)
    return NULL;
  const char *file = libraries->script ? libraries->executable : plan->arguments[0];
  char *objection = object_to_executable(libraries, file);
  if (!objection)
    objection = object_to_preload(plan, file);
  if (!objection && libraries->jvm && !plan->all_jvms && !plan->made)
    objection = sentence("%s starts a JVM but is not named java: Java is not recorded without --all-jvms", file);
  return objection;
}

char *record_doubt(const struct record_plan *plan)
{
  const struct program_libraries *libraries = plan->libraries;
  const char *program = plan->arguments[0],
             *java = plan->all_jvms ? "" : "; to record JVMs that it starts, use --all-jvms";
  const struct program_library *libgomp = libraries ? program_libraries_with(libraries, RUNTIME_LIBGOMP) : NULL;
  const struct program_library *libomp = libraries ? program_libraries_with(libraries, RUNTIME_LIBOMP) : NULL;
  if (plan->made)
    return sentence("the JVM %s ended before it started a thread", program);
  if (libraries && libraries->script)
    return sentence("no program that %s started executed an OpenMP construct that Heddle can record%s", program, java);
  if (plan->calls.on)
    return sentence("%s called none of the functions that %s, and executed no OpenMP construct", program,
                    plan->calls.only.count > 0 ? "--calls names" : "report their calls");
  if (libgomp && plan->preload == PRELOAD_UNWANTED)
    return sentence("%s uses libgomp (%s), which is not recorded with --no-preload", program, libgomp->path);
  if (libgomp || libomp)
    return sentence("%s uses %s (%s), but executed no OpenMP construct%s", program, libgomp ? "libgomp" : "libomp",
                    libgomp ? libgomp->path : libomp->path, java);
  return sentence("%s uses no OpenMP runtime that Heddle knows, loaded none later, and none of its threads waited for "
                  "another one. For OpenMP, compile and link with -fopenmp%s",
                  program, java);
}

/* Prints a comment line. The text is escaped, so that foreign text cannot end the comment. */
__attribute__((format(printf, 1, 2))) static void comment(const char *format, ...)
{
  va_list arguments;
  char *text;
  va_start(arguments, format);
  if (vasprintf(&text, format, arguments) < 0)
    text = NULL;
  va_end(arguments);
  char *escaped = text ? escape_text(text) : NULL;
  printf("# %s\n", escaped ? escaped : "out of memory");
  free(escaped);
  free(text);
}

static void print_word(const char *text)
{
  char *word = escape_shell(text);
  fputs(word ? word : "''", stdout);
  free(word);
}

static void print_program(const struct program_libraries *libraries)
{
  static const char *const kinds[] = {[ELF_NOT_ONE] = "of unknown kind",
                                      [ELF_32_BIT] = "32 bits",
                                      [ELF_FOREIGN] = "for another processor",
                                      [ELF_NATIVE] = "dynamically linked"};
  const char *kind = libraries->is_static ? "statically linked" : kinds[libraries->kind];
  if (!libraries->executable)
    comment("program: %s, of unknown kind", libraries->path);
  else if (libraries->script)
    comment("program: %s, run by %s, %s", libraries->path, libraries->executable, kind);
  else
    comment("program: %s, %s", libraries->path, kind);
}

static void print_libraries(const struct program_libraries *libraries)
{
  static const char *const runtimes[] = {
      [RUNTIME_LIBOMP] = "libomp, has OMPT itself", [RUNTIME_LIBGOMP] = "libgomp, gets OMPT from libheddle-gomp.so"};
  for (size_t i = 0; i < libraries->count; i++) {
    const struct program_library *library = &libraries->libraries[i];
    if (!library->path)
      comment("library: %s was not found; %s needs it", library->name, library->asker);
    else if (library->runtime != RUNTIME_NONE)
      comment("library: %s is %s; %s needs it", library->path, runtimes[library->runtime], library->asker);
  }
  if (libraries->jvm)
    comment("library: the JVM or its launcher");
  if (libraries->count > 0)
    comment("libraries examined: %zu%s", libraries->count, libraries->incomplete ? "; there may be more" : "");
}

static void print_preload(const struct record_plan *plan)
{
  if (plan->preload == PRELOAD_ABSENT)
    comment("not preloaded: %s is missing", plan->gomp ? plan->gomp : "libheddle-gomp.so");
  else if (plan->preload == PRELOAD_UNNAMED)
    comment("not preloaded: LD_PRELOAD cannot hold %s because of its spaces or colons", plan->gomp);
  else if (plan->preload == PRELOAD_UNFIT)
    comment("not preloaded: the program could not load libheddle-gomp.so");
}

static void print_findings(const struct record_plan *plan)
{
  const struct program_libraries *libraries = plan->libraries;
  if (!libraries || !libraries->path) {
    comment("program: %s", libraries ? "not found, or not executable" : "out of memory");
    return;
  }
  print_program(libraries);
  print_libraries(libraries);
  print_preload(plan);
  if (plan->waits)
    comment("preloaded: libheddle-pthread.so, which records waits of threads%s%s",
            program_libraries_waits(libraries) ? ", for " : "",
            program_libraries_waits(libraries) ? program_libraries_waits(libraries) : "");
  if (plan->calls.on)
    comment("preloaded: libheddle-calls.so, which records calls of functions%s%s",
            program_libraries_hooks(libraries) ? ", for " : "",
            program_libraries_hooks(libraries) ? program_libraries_hooks(libraries) : "");
  char *objection = record_objection(plan);
  if (objection)
    comment("note: %s", objection);
  else if (libraries->executable && libraries->inside == RUNTIME_NONE &&
           !program_libraries_with(libraries, RUNTIME_LIBOMP) && !program_libraries_with(libraries, RUNTIME_LIBGOMP) &&
           !libraries->jvm && !program_libraries_waits(libraries))
    comment("note: no OpenMP runtime found; a runtime that is loaded later, or by a program that this one starts, is "
            "recorded");
  free(objection);
}

int record_print(const struct record_plan *plan)
{
  if (plan->preload != PRELOAD_UNWANTED || plan->libraries)
    print_findings(plan);
  for (size_t i = 0; i < plan->environment.changes.count; i++) {
    printf("%s=", plan->environment.changes.items[i].name);
    print_word(plan->environment.changes.items[i].value);
    putchar('\n');
  }
  for (char **argument = plan->arguments; *argument; argument++) {
    if (argument != plan->arguments)
      putchar(' ');
    print_word(*argument);
  }
  putchar('\n');
  return command_printed();
}

static void record_warn_say(const char *command, char *sentence)
{
  if (sentence)
    command_error(command, "%s", sentence);
  free(sentence);
}

void record_warn(const char *command, const char *path)
{
  struct error error = {0};
  struct trace *trace = trace_open(path, &error);
  struct overhead overhead;
  if (trace)
    record_warn_say(command, started_sentence(trace));
  if (trace && overhead_estimate(trace, &overhead, &error) && overhead_is_too_much(&overhead))
    record_warn_say(command, overhead_sentence(trace, &overhead));
  trace_close(trace);
}
