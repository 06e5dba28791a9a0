#include "jvmti-agent/sample_counts.h"

#include "common/process/diag.h"
#include "common/process/process_dir.h"
#include "common/raw/live_control.h"
#include "common/recorder/live.h"
#include "common/recorder/measured_groups.h"
#include "common/recorder/recording.h"
#include "jvmti-agent/sample_table.h"

#include <stdatomic.h>
#include <sys/mman.h>

static struct {
  _Atomic(struct live_samples *) file; /* NULL: there is none */
  struct live_samples *before;         /* that of the recording before: a handler may have been late */
} sample_counts_state;

void sample_counts_offer(void)
{
  live_offer(LIVE_NEED_SAMPLES);
}

void sample_counts_withdraw(void)
{
  live_withdraw(LIVE_NEED_SAMPLES);
}

void sample_counts_open(void)
{
  int error;
  bool live = recording_config()->skip != NULL; /* else nobody can ask */
  if (sample_counts_state.before)
    munmap(sample_counts_state.before, sizeof *sample_counts_state.before);
  sample_counts_state.before = atomic_exchange(&sample_counts_state.file, NULL);
  if (live)
    atomic_store(&sample_counts_state.file, process_dir_map(LIVE_SAMPLES_FILE, sizeof(struct live_samples), &error));
  if (atomic_load(&sample_counts_state.file))
    return;
  sample_counts_withdraw();
  if (live)
    diag_say("cannot create ", process_dir_path(), "/" LIVE_SAMPLES_FILE ": ", diag_reason(error),
             "; `heddle live` cannot have samples", NULL);
}

bool sample_counts_wanted(void)
{
  return atomic_load(&sample_counts_state.file) && recording_goes_on() &&
         (needs_have(LIVE_NEED_ALL) || live_asks(LIVE_NEED_SAMPLES));
}

void sample_counts_add(uint32_t thread, uint32_t call)
{
  struct live_samples *file = atomic_load(&sample_counts_state.file);
  if (file)
    sample_table_add(file, thread, call);
}
