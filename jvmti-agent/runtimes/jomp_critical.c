#include "jvmti-agent/runtimes/jomp_critical.h"

#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/class_ids.h"
#include "jvmti-agent/core/names.h"
#include "jvmti-agent/core/objects.h"
#include "jvmti-agent/core/thread_self.h"
#include "jvmti-agent/runtimes/batch.h"
#include "jvmti-agent/runtimes/jomp_budget.h"
#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/weaver/class_file.h"

#include <stdio.h>
#include <stdlib.h>

#define JOMP_CRITICAL_DEPTH 16 /* constructs nested deeper are not recorded */
#define NAME_BYTES          512
#define NAMES_MOST          (1u << 15)
#define NAME_UNKNOWN        UINT32_MAX

/* A construct that is recorded. */
struct critical {
  const struct site *site;
  uint64_t since;  /* ticks; it was about to be entered */
  uint32_t weight; /* to be recorded; 0: the request is recorded */
  bool held;
};

/* On the heap: a library that a process loads later has little room for variables of threads. NULL: none yet. */
static __thread struct criticals {
  unsigned depth;
  struct critical open[JOMP_CRITICAL_DEPTH];
} *jomp_critical_self __attribute__((tls_model("initial-exec")));

void jomp_critical_thread_end(void)
{
  free(jomp_critical_self);
  jomp_critical_self = NULL;
}

/* The instruction before the call may load a constant: then it is the same name each time. */
void jomp_prepare_critical(struct site *site, const struct weave_match *match)
{
  const uint8_t *code = match->file->bytes + match->method->code;
  for (uint32_t pc = 0, length; (length = class_instruction(match->file, match->method, pc)) > 0; pc += length)
    if (pc + length == match->pc)
      site->is_constant = code[pc] == OP_LDC || code[pc] == OP_LDC_W;
  site->kind = JOMP_BUDGET_SECTION;
  site->locks = site->is_constant && match->locks;
  site->code = site_code_at(match, match->pc);
}

/* The monitor gets the name of the construct, and the construct the number of its name. */
static void take_name(const struct hook *hook)
{
  struct site *site = hook->site;
  const char *modified = hook->second ? (*hook->jni)->GetStringUTFChars(hook->jni, hook->second, NULL) : NULL;
  if (!modified)
    return;
  char name[NAME_BYTES];
  snprintf(name, sizeof name, "%s", modified);
  (*hook->jni)->ReleaseStringUTFChars(hook->jni, hook->second, modified);
  name_to_utf8(name);
  if (agent.options.jvm && hook->first) {
    object_name(agent.jvmti, hook->jni, hook->first, name);
    atomic_store(&site->lock_class, class_id_of(agent.jvmti, hook->jni, hook->first));
  }
  if (!site->is_constant)
    return;
  uint32_t number = site->locks ? class_id_of_name(name) : 0;
  atomic_store(&site->section, number > 0 && number < NAMES_MOST ? number : NAME_UNKNOWN);
  if (number == 0 || number >= NAMES_MOST)
    sites_switch_off(site);
}

static uint64_t lock_of(const struct site *site)
{
  return RAW_CODE_PLACE | (uint64_t)atomic_load_explicit(&site->section, memory_order_relaxed) << 32;
}

/* The innermost one, if the thread has asked for it and has it not yet; NULL: there is none. */
static struct critical *asked_for(void)
{
  struct critical *top = jomp_critical_self && jomp_critical_self->depth > 0
                             ? &jomp_critical_self->open[jomp_critical_self->depth - 1]
                             : NULL;
  return top && !top->held ? top : NULL;
}

/* Gives the section the weight 1: the omitted ones count for the next section. */
static void stand_alone(struct critical *critical)
{
  if (critical->weight > 1)
    jomp_budget_weigh_alone(critical->site, critical->weight);
  critical->weight = 1;
}

/* A new one on top; NULL: there is no room. One that was never entered, as recording was paused, is gone. */
static struct critical *jomp_critical_push(const struct site *site)
{
  if (!jomp_critical_self && !(jomp_critical_self = calloc(1, sizeof *jomp_critical_self)))
    return NULL;
  if (asked_for()) {
    stand_alone(asked_for());
    jomp_critical_self->depth--;
  }
  if (jomp_critical_self->depth == JOMP_CRITICAL_DEPTH)
    return NULL;
  struct critical *critical = &jomp_critical_self->open[jomp_critical_self->depth++];
  *critical = (struct critical){.site = site, .since = clock_ticks(), .weight = 1};
  return critical;
}

static void emit_request(struct batch *batch, struct critical *critical)
{
  if (!batch_begin(batch))
    return;
  uint64_t now = batch->now;
  if (critical->since >= batch->recorder->window->anchor_ticks) /* else the chunk begins behind it */
    batch->now = critical->since;
  if (critical->weight > 1)
    batch_emit(batch, RAW_WEIGHT, RAW_MUTEX_ACQUIRE, critical->weight);
  batch_emit3(batch, RAW_MUTEX_ACQUIRE, MUTEX_CRITICAL, lock_of(critical->site), critical->site->code);
  batch->now = now;
  critical->weight = 0;
}

void jomp_asks_for_critical(const struct hook *hook)
{
  const struct site *site = hook->site;
  if (atomic_load_explicit(&site->section, memory_order_relaxed) == 0)
    take_name(hook);
  if (!site->locks || thread_self.mounted || thread_stack_ends(hook) || atomic_load(&site->section) == NAME_UNKNOWN)
    return;
  struct critical *critical = jomp_critical_push(site);
  if (!critical) {
    jomp_budget_omit_inside(site);
    return;
  }
  critical->weight = jomp_budget_weigh(site);
  jomp_critical_self->depth -= critical->weight == 0;
}

/* The time for which the thread spins has no event; it is in the request. */
void jomp_has_critical(const struct hook *hook)
{
  struct batch batch = {0};
  struct critical *critical = asked_for();
  if (!critical || critical->site != hook->site)
    return;
  if (critical->weight > 0)
    emit_request(&batch, critical);
  batch_emit(&batch, RAW_MUTEX_ACQUIRED, MUTEX_CRITICAL, lock_of(critical->site));
  batch_end(&batch);
  critical->held = true;
}

/* Sections above it were ended by exceptions. */
void jomp_leaves_critical(const struct hook *hook)
{
  struct batch batch = {0};
  unsigned at = jomp_critical_self ? jomp_critical_self->depth : 0;
  while (at > 0 && (jomp_critical_self->open[at - 1].site != hook->site || !jomp_critical_self->open[at - 1].held))
    at--;
  if (at == 0)
    return;
  for (; jomp_critical_self->depth >= at; jomp_critical_self->depth--)
    if (jomp_critical_self->open[jomp_critical_self->depth - 1].held)
      batch_emit(&batch, RAW_MUTEX_RELEASED, MUTEX_CRITICAL,
                 lock_of(jomp_critical_self->open[jomp_critical_self->depth - 1].site));
  batch_end(&batch);
}

/* The construct that the thread is about to enter, if the monitor is its; NULL: there is none. */
static struct critical *find_request(JNIEnv *jni, jobject monitor)
{
  struct critical *asked = asked_for();
  const struct site *site = asked ? asked->site : jomp_budget_self ? jomp_budget_asks() : NULL;
  if (!site || atomic_load(&site->lock_class) != class_id_of(agent.jvmti, jni, monitor))
    return NULL;
  return asked ? asked : jomp_budget_take_back(site) ? jomp_critical_push(site) : NULL;
}

/* A section that waits has the weight 1: omitted sections did not wait. Thus waits are exact, whatever is omitted.
 */
bool jomp_waits_for_monitor(JNIEnv *jni, jobject monitor)
{
  struct batch batch = {0};
  struct critical *critical = find_request(jni, monitor);
  if (!critical)
    return false;
  if (critical->weight > 0) {
    stand_alone(critical);
    emit_request(&batch, critical);
    batch_end(&batch);
  }
  return true;
}
