#include "jvmti-agent/jvm_pauses.h"

#include "base/count_of.h"
#include "common/process/process_dir.h"
#include "common/process/session.h"
#include "common/process/text.h"
#include "common/raw/raw_trace.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/threads.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/statvfs.h>

/* All Java threads stand still: nothing may be asked of the JVM here, and nothing waited for. */
void JNICALL gc_on_start(jvmtiEnv *jvmti)
{
  (void)jvmti;
  if (!atomic_load(&agent.live))
    return;
  if (thread_is_of_before())
    thread_begin_round();
  if (thread_self.state == THREAD_NEW)
    threads_describe_jvms();
  recorder_emit(RAW_GC_BEGIN, 0, 0);
}

void JNICALL gc_on_finish(jvmtiEnv *jvmti)
{
  (void)jvmti;
  if (atomic_load(&agent.live) && !thread_is_of_before() && thread_self.state != THREAD_NEW)
    recorder_emit(RAW_GC_END, 0, 0);
}

#define ROOM_LEAST (256ull << 20) /* bytes that the disk must have: the log takes 2 * 32 MiB at most */

/* The JVM's management interface is a table of functions, which JVM_GetManagement gives for one version exactly. */
typedef jstring(JNICALL *execute)(JNIEnv *jni, jstring command);
static const struct {
  jint version;
  unsigned slot; /* of the function that executes a diagnostic command */
} tables[] = {{0x20040000, 39} /* JDK 21 to 25 */, {0x20030000, 38} /* JDK 17 */};

static bool jvm_log_is_on;

static execute find_execute(void)
{
  void *(*get)(jint) = NULL;
  void *symbol = dlsym(RTLD_DEFAULT, "JVM_GetManagement");
  memcpy(&get, &symbol, sizeof get);
  for (size_t i = 0; get && i < COUNT_OF(tables); i++) {
    void **table = get(tables[i].version);
    execute found;
    if (table && !table[1]) { /* reserved in these; others with such a version have something there, and other slots */
      memcpy(&found, &table[tables[i].slot], sizeof found);
      return found;
    }
  }
  return NULL;
}

/* False: the JVM has no such command. It may still answer that it did nothing. */
static bool order(JNIEnv *jni, const char *what)
{
  char line[PATH_MAX + 256];
  struct text text = TEXT_OVER(line);
  execute function = find_execute();
  text_add(&text, "VM.log output=\"file=");
  text_add(&text, process_dir_path());
  text_add(&text, "/" RAW_JVM_LOG_FILE "\" ");
  text_add(&text, what);
  jstring command = function && !text.cut ? (*jni)->NewStringUTF(jni, line) : NULL;
  jstring answer = command ? function(jni, command) : NULL;
  bool good = answer && !(*jni)->ExceptionCheck(jni);
  (*jni)->ExceptionClear(jni);
  (*jni)->DeleteLocalRef(jni, answer);
  (*jni)->DeleteLocalRef(jni, command);
  return good;
}

static bool has_room(const char *path)
{
  struct statvfs disk;
  return statvfs(path, &disk) == 0 && (unsigned long long)disk.f_bavail * disk.f_frsize >= ROOM_LEAST;
}

void jvm_log_begin(JNIEnv *jni)
{
  const char *path = process_dir_path();
  bool can_be_quoted = !strpbrk(path, "\"\\\n%\xf0\xf1\xf2\xf3\xf4"); /* the JVM has its own meaning for these */
  if (!session_profiles() && can_be_quoted && has_room(path))
    jvm_log_is_on = order(jni, "what=\"safepoint=info,gc=info\" decorators=\"timenanos,tid\" "
                               "output_options=\"filecount=1,filesize=32M\"");
}

void jvm_log_end(JNIEnv *jni)
{
  if (jvm_log_is_on)
    order(jni, "what=\"all=off\"");
  jvm_log_is_on = false;
}
