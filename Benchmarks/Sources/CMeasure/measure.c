#define _GNU_SOURCE
#include "measure.h"
#include <time.h>

uint64_t measure_thread_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t measure_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

__attribute__((noinline)) void measure_watched(void (*body)(void *), void *context) {
  body(context);
  // Keeps the call from becoming a jump, which would not count as a call of this function.
  __asm__ volatile("");
}

#if defined(__GLIBC__)
#include <errno.h>
#include <malloc.h>

// One counter per thread: an atomic one would slow down what is measured on several.
static __thread uint64_t allocations __attribute__((tls_model("initial-exec")));

// The same for all threads together, once somebody has asked for it: counted cases count these instructions, too. In
// pages that are touched only if there are so many threads; the last one is shared by those beyond.
static int counts_all;
#define THREADS 32768
static struct {
  _Alignas(64) uint64_t count;
} counters[THREADS];
static uint64_t thread_count;
static __thread uint64_t *counter __attribute__((tls_model("initial-exec")));

static __attribute__((noinline)) void note_for_all(void) {
  if (!counter) {
    uint64_t number = __atomic_fetch_add(&thread_count, 1, __ATOMIC_RELAXED);
    counter = &counters[number < THREADS ? number : THREADS - 1].count;
  }
  // Written by one thread, read by others: not torn.
  __atomic_store_n(counter, *counter + 1, __ATOMIC_RELAXED);
}

static inline void note_allocation(void) {
  allocations++;
  if (__builtin_expect(__atomic_load_n(&counts_all, __ATOMIC_RELAXED), 0)) note_for_all();
}

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  note_allocation();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  note_allocation();
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  note_allocation();
  return __libc_realloc(old, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  note_allocation();
  void *memory = __libc_memalign(alignment, size);
  if (!memory) return ENOMEM;
  *result = memory;
  return 0;
}

void *aligned_alloc(size_t alignment, size_t size) {
  note_allocation();
  return __libc_memalign(alignment, size);
}

uint64_t measure_allocations(void) { return allocations; }

uint64_t measure_all_allocations(void) {
  __atomic_store_n(&counts_all, 1, __ATOMIC_RELAXED);
  uint64_t count = __atomic_load_n(&thread_count, __ATOMIC_RELAXED);
  uint64_t sum = 0;
  for (uint64_t number = 0; number < count && number < THREADS; number++) {
    sum += __atomic_load_n(&counters[number].count, __ATOMIC_RELAXED);
  }
  return sum;
}

uint64_t measure_bytes_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
#else
uint64_t measure_allocations(void) { return 0; }
uint64_t measure_all_allocations(void) { return 0; }
uint64_t measure_bytes_in_use(void) { return 0; }
#endif
