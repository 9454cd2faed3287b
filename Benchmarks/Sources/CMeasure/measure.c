#define _GNU_SOURCE
#include "measure.h"
#include <time.h>

uint64_t measure_thread_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
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

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  allocations++;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  allocations++;
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  allocations++;
  return __libc_realloc(old, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  allocations++;
  void *memory = __libc_memalign(alignment, size);
  if (!memory) return ENOMEM;
  *result = memory;
  return 0;
}

void *aligned_alloc(size_t alignment, size_t size) {
  allocations++;
  return __libc_memalign(alignment, size);
}

uint64_t measure_allocations(void) { return allocations; }

uint64_t measure_bytes_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
#else
uint64_t measure_allocations(void) { return 0; }
uint64_t measure_bytes_in_use(void) { return 0; }
#endif
