#include "analyzer/record/record_say.h"

#include "analyzer/command/command.h"
#include "analyzer/command/print/escape.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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

static void print_program(const struct look *look)
{
  static const char *const kinds[] = {[ELF_NOT_ONE] = "of unknown kind",
                                      [ELF_32_BIT] = "32 bits",
                                      [ELF_FOREIGN] = "for another processor",
                                      [ELF_NATIVE] = "dynamically linked"};
  const char *kind = look->is_static ? "statically linked" : kinds[look->kind];
  if (!look->executable)
    comment("program: %s, of unknown kind", look->path);
  else if (look->script)
    comment("program: %s, run by %s, %s", look->path, look->executable, kind);
  else
    comment("program: %s, %s", look->path, kind);
}

static void print_libraries(const struct look *look)
{
  static const char *const runtimes[] = {
      [RUNTIME_LIBOMP] = "libomp, has OMPT itself", [RUNTIME_LIBGOMP] = "libgomp, gets OMPT from libheddle-gomp.so"};
  for (size_t i = 0; i < look->count; i++) {
    const struct look_library *library = &look->libraries[i];
    if (!library->path)
      comment("library: %s was not found; %s needs it", library->name, library->asker);
    else if (library->runtime != RUNTIME_NONE)
      comment("library: %s is %s; %s needs it", library->path, runtimes[library->runtime], library->asker);
  }
  if (look->jvm)
    comment("library: the JVM or its launcher");
  if (look->count > 0)
    comment("libraries examined: %zu%s", look->count, look->incomplete ? "; there may be more" : "");
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
  const struct look *look = plan->look;
  if (!look || !look->path) {
    comment("program: %s", look ? "not found, or not executable" : "out of memory");
    return;
  }
  print_program(look);
  print_libraries(look);
  print_preload(plan);
  if (plan->waits)
    comment("preloaded: libheddle-pthread.so, which records waits of threads, for %s", plan->waits);
  if (plan->calls.on)
    comment("preloaded: libheddle-calls.so, which records calls of functions%s%s",
            look_find_hooks(look) ? ", for " : "", look_find_hooks(look) ? look_find_hooks(look) : "");
  char *objection = record_objection(plan);
  if (objection)
    comment("note: %s", objection);
  else if (look->executable && look->inside == RUNTIME_NONE && !look_find(look, RUNTIME_LIBOMP) &&
           !look_find(look, RUNTIME_LIBGOMP) && !look->jvm && !look_find_waits(look))
    comment("note: no OpenMP runtime found; a runtime that is loaded later, or by a program that this one starts, is "
            "recorded");
  free(objection);
}

int record_print(const struct record_plan *plan)
{
  if (plan->preload != PRELOAD_UNWANTED || plan->look)
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
