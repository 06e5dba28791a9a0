/*
 * Samples of Java threads on their way from records (RAW_JAVA_SAMPLE) to the archive of samples.h. In a process that
 * the agent samples, the kernel's samples by time of a Java thread are left out from the begin of that thread's on:
 * they would count its time twice.
 */
#ifndef HEDDLE_OTF2_CONVERT_SAMPLES_JAVA_SAMPLES_H
#define HEDDLE_OTF2_CONVERT_SAMPLES_JAVA_SAMPLES_H

#include "otf2-convert/samples/samples.h"

/* The path of a call, of at least one step. */
void java_samples_path(const struct java_calls *calls, uint32_t id, struct sample_path *path);

/* Opens the archive, of so many locations, if a process has samples. Its trigger is the first one, before the kernel's.
 * False: as sample_archive_open. */
bool java_samples_open(struct samples *samples, const struct plan *plan, uint32_t locations);

/* Put what the scan noted of a thread up to an archive time, or of all threads, into the archive, in a pause of the
 * conversion. A thread's samples come in the order of time: its older ones before one of the kernel's. False: memory is
 * short. */
bool java_samples_until(struct samples *samples, struct location *location, uint64_t time);
bool java_samples_rest(struct samples *samples, struct location *locations, uint32_t count);

/* Whether the agent takes the samples of a thread's processor time at an archive time, if the scan has come that far.
 */
bool java_samples_cover(const struct location *location, uint64_t time);

#endif
