/*
 * Job of a parallel launcher (MPI, Slurm), whose ranks record into one directory.
 *
 * Each rank executes its program in its own place, so the launcher sees the program and nothing else. The rest of
 * `heddle record` is in a companion: a process of its own session. It has no descriptor of the rank, for launchers wait
 * for the ends of pipes and sockets. The file ARCHIVE_JOB in the trace's directory has the job's identity, and a line
 * for each rank that joined. Each companion holds a shared lock on it. Who gets an exclusive lock is the last:
 * it converts, and removes the file. Commands that are given the directory wait for this lock.
 */
#ifndef HEDDLE_ANALYZER_RECORD_JOB_H
#define HEDDLE_ANALYZER_RECORD_JOB_H

#include <stdbool.h>
#include <sys/types.h>

struct job {
  char *identity;      /* alike for all ranks of a job, and for no other job; NULL: no launcher started this */
  unsigned rank, size; /* size: ranks of the job */
  pid_t launcher;      /* the process that started this rank */
};

/* Who started this process, by the environment. A job of one rank is none. job_free() in any case. */
void job_find(struct job *job);
void job_free(struct job *job);

enum job_joined {
  JOB_FIRST, /* nobody recorded here: the caller prepares the directory, and then calls job_begin() */
  JOB_SAME,  /* other ranks of the job do */
  JOB_OTHER  /* another job does, which has not ended */
};

/* Locks the directory, and looks who records there. job_leave_lock() ends the lock. */
enum job_joined job_look(const struct job *job, int directory);
/* Makes the file for this job. False: there is none, errno says why. */
bool job_begin(const struct job *job, int directory);
/* Joins the job, whose file is there. Returns the descriptor that holds the shared lock; -1: errno says why. */
int job_join(const struct job *job, int directory);
void job_leave_lock(int directory);

/* Waits until it is known whether other ranks still record or are to come. True: this is the last one, and no other can
 * join before job_end(). */
bool job_is_last(const struct job *job, int directory, int file);
/* The same without waiting, of a rank that will not record. */
bool job_is_alone(int directory, int file);
/* Removes the file: the directory is as `heddle record` leaves it. */
void job_end(int directory);

/*
 * Splits off the companion of this process, which is about to execute its program. Returns 0 in the companion. It has
 * no descriptors but the `kept` ones, and the launcher's standard error as its own, or none; when it is ready, it calls
 * job_go(). Returns 1 in the caller, which then waits by job_wait(); -1: errno.
 */
int job_companion(const struct job *job, const int *kept, unsigned count, int ready[2]);
void job_go(int ready[2]);
void job_wait(int ready[2]);
/* False: what the companion says is not seen, for the launcher is another user's, as Slurm's is. */
bool job_has_messages(const struct job *job);
/* Waits for the end of a process that is no child. */
void job_wait_for(pid_t pid);

#endif
