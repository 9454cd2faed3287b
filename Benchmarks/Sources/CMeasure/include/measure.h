#pragma once
#include <stddef.h>
#include <stdint.h>

/// Allocations that the present thread made so far; 0 where they cannot be counted.
uint64_t measure_allocations(void);

/// Allocations that all threads made since this was first called; 0 where they cannot be counted.
uint64_t measure_all_allocations(void);

/// Bytes that the process has allocated and not freed; 0 where it cannot be told.
uint64_t measure_bytes_in_use(void);

/// Nanoseconds that the present thread has run: what others take of a busy machine does not count.
uint64_t measure_thread_time(void);

/// Nanoseconds since some time, read as cheaply as possible: for each of many short calls.
uint64_t measure_time(void);

/// Calls a function, under a name that callgrind can be told to watch.
void measure_watched(void (*_Nonnull body)(void *_Nonnull), void *_Nonnull context);

/// From now on, jobs that this thread enqueues on the global executor are kept, until they are run.
void measure_claim_jobs(void);

/// Runs those jobs, and those that they enqueue, until there are none; later ones are not claimed.
void measure_run_jobs(void);
