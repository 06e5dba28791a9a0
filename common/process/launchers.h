/* Launchers of parallel jobs (MPI, Slurm): programs that start ranks, and do nothing of the program's work. */
#ifndef HEDDLE_COMMON_PROCESS_LAUNCHERS_H
#define HEDDLE_COMMON_PROCESS_LAUNCHERS_H

#include <stdbool.h>
#include <string.h>

/* name: the executable's, without directories; the kernel cuts a thread's name to 15 characters. */
static inline bool process_is_launcher(const char *name)
{
  static const char *const begins[] = {"mpiexec", "mpirun", "orterun",  "orted",    "prte",
                                       "prun",    "hydra_", "slurmste", "pmi_proxy"};
  for (unsigned i = 0; i < sizeof begins / sizeof *begins; i++)
    if (strncmp(name, begins[i], strlen(begins[i])) == 0)
      return true;
  return strcmp(name, "srun") == 0;
}

#endif
