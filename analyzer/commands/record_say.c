#include "analyzer/commands/record_say.h"

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

/* What the kernel loads is shown where it is not what the user named. */
static char *object_to_executable(const struct look *look, const char *file)
{
  if (look->kind == ELF_32_BIT)
    return sentence("%s is a 32-bit program, and Heddle's libraries have 64 bits: build it as a 64-bit program", file);
  if (look->kind == ELF_FOREIGN)
    return sentence("%s was built for another processor: nothing of this machine can be loaded into it; build it here",
                    file);
  if (look->is_static && look->inside == RUNTIME_LIBGOMP)
    return sentence(
        "%s is statically linked, and libgomp %s in it: nothing of that can be seen; link it without -static", file,
        look->inside_by_text ? "seems to be" : "is");
  if (look->is_static)
    return sentence(
        "%s is statically linked: nothing can be loaded into it, and only dynamically linked programs that it "
        "starts are recorded; link it without -static",
        file);
  if (look->secure)
    return sentence(
        "%s is set-user-ID, set-group-ID or has capabilities: a program with more rights than its caller is not "
        "traced; run a copy without these, or run heddle as the user that it runs as",
        file);
  if (look->other_loader)
    return sentence(
        "%s is built for another C library than glibc, into which Heddle's libraries cannot be loaded: build "
        "it for glibc",
        file);
  if (look->inside == RUNTIME_LIBGOMP)
    return sentence("%s %s libgomp linked into it, where it cannot be seen: link libgomp as a shared library", file,
                    look->inside_by_text ? "seems to have" : "has");
  return NULL;
}

static char *object_to_preload(const struct record_plan *plan, const char *file)
{
  const struct look_library *libgomp = look_find(plan->look, RUNTIME_LIBGOMP);
  if (!libgomp)
    return NULL;
  if (plan->preload == PRELOAD_ABSENT)
    return sentence("%s uses libgomp (%s), which is recorded by means of %s, and that is missing; is the installation "
                    "complete?",
                    file, libgomp->path, plan->gomp ? plan->gomp : "libheddle-gomp.so");
  if (plan->preload == PRELOAD_UNNAMED)
    return sentence(
        "%s uses libgomp, which is recorded by means of LD_PRELOAD, and that cannot hold %s: install Heddle "
        "where the path has no space and no colon",
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
    objection =
        sentence("%s starts a JVM but is not named java: of Java, nothing is recorded without --all-jvms", file);
  return objection;
}

char *record_doubt(const struct record_plan *plan)
{
  const struct look *look = plan->look;
  const char *program = plan->arguments[0], *java = plan->all_jvms ? "" : "; Java that it starts needs --all-jvms";
  const struct look_library *libgomp = look ? look_find(look, RUNTIME_LIBGOMP) : NULL;
  const struct look_library *libomp = look ? look_find(look, RUNTIME_LIBOMP) : NULL;
  if (plan->made)
    return sentence("the JVM that %s is did not get as far as starting a thread", program);
  if (look && look->script)
    return sentence("no program that %s started reached an OpenMP construct that can be seen%s", program, java);
  if (libgomp && plan->preload == PRELOAD_UNWANTED)
    return sentence("%s uses libgomp (%s), which is not recorded with --no-preload", program, libgomp->path);
  if (libgomp || libomp)
    return sentence("%s uses %s (%s), but reached no OpenMP construct%s", program, libgomp ? "libgomp" : "libomp",
                    libgomp ? libgomp->path : libomp->path, java);
  return sentence(
      "no OpenMP runtime is among the libraries of %s, and none that can be seen was loaded later; for OpenMP, "
      "compile and link with -fopenmp%s",
      program, java);
}
