#include "analyzer/record/record_say.h"

#include <stdarg.h>
#include <stdio.h>

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
static char *object_to_executable(const struct look *look, const char *file)
{
  if (look->kind == ELF_32_BIT)
    return sentence("%s is a 32-bit program, but Heddle's libraries are 64-bit: build it as a 64-bit program", file);
  if (look->kind == ELF_FOREIGN)
    return sentence(
        "%s was built for another processor, so Heddle's libraries cannot be loaded into it: build it for this machine",
        file);
  if (look->is_static && look->inside == RUNTIME_LIBGOMP)
    return sentence("%s is statically linked and %s libgomp, which cannot be recorded: link it without -static", file,
                    look->inside_by_text ? "seems to contain" : "contains");
  if (look->is_static)
    return sentence("%s is statically linked, so Heddle's libraries cannot be loaded into it, and only dynamically "
                    "linked programs that it starts are recorded: link it without -static",
                    file);
  if (look->secure)
    return sentence("%s is set-user-ID, set-group-ID or has capabilities, and a program with more rights than its "
                    "caller is not recorded: run a copy without these, or run heddle as the program's user",
                    file);
  if (look->other_loader)
    return sentence(
        "%s uses another C library than glibc, so Heddle's libraries cannot be loaded into it: build it for glibc",
        file);
  if (look->inside == RUNTIME_LIBGOMP)
    return sentence("%s %s libgomp as a static library, which cannot be recorded: link libgomp as a shared library",
                    file, look->inside_by_text ? "seems to contain" : "contains");
  return NULL;
}

static char *object_to_preload(const struct record_plan *plan, const char *file)
{
  const struct look_library *libgomp = look_find(plan->look, RUNTIME_LIBGOMP);
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
  const struct look *look = plan->look;
  if (!look || !look->executable)
    return NULL;
  const char *file = look->script ? look->executable : plan->arguments[0];
  char *objection = object_to_executable(look, file);
  if (!objection)
    objection = object_to_preload(plan, file);
  if (!objection && look->jvm && !plan->all_jvms && !plan->made)
    objection = sentence("%s starts a JVM but is not named java: Java is not recorded without --all-jvms", file);
  return objection;
}

char *record_doubt(const struct record_plan *plan)
{
  const struct look *look = plan->look;
  const char *program = plan->arguments[0],
             *java = plan->all_jvms ? "" : "; to record JVMs that it starts, use --all-jvms";
  const struct look_library *libgomp = look ? look_find(look, RUNTIME_LIBGOMP) : NULL;
  const struct look_library *libomp = look ? look_find(look, RUNTIME_LIBOMP) : NULL;
  if (plan->made)
    return sentence("the JVM %s ended before it started a thread", program);
  if (look && look->script)
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
                  "another one; for OpenMP, compile and link with -fopenmp%s",
                  program, java);
}
