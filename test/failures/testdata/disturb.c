// Changes the clock and the disk of a process that preloads this library. The file that DISTURB_FILE names has three numbers:
// nanoseconds that are added to the wall clock, microseconds by which each write and sync of a file is delayed, and the number of
// delays so far. Changes of the file take effect at once.
//
// The Go runtime reads the clock through the kernel's vDSO, not through the C library. The library therefore offers itself as the
// vDSO: it maps its own file and stores the address in the auxiliary vector, which the Go runtime reads later.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// The numbers are at a fixed address, so that the copy that serves as the vDSO finds them without relocations.
#define NUMBERS ((volatile int64_t *)0x300000000000)
static int mapped;

// gettime asks the kernel, without the C library.
static inline __attribute__((always_inline)) long gettime(long id, struct timespec *t) {
  long r;
  __asm__ volatile("syscall" : "=a"(r) : "0"(SYS_clock_gettime), "D"(id), "S"(t) : "rcx", "r11", "memory");
  return r;
}

static inline __attribute__((always_inline)) void shift(long id, struct timespec *t) {
  if (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE) return;
  int64_t n = t->tv_nsec + NUMBERS[0] % 1000000000;
  t->tv_sec += NUMBERS[0] / 1000000000;
  if (n >= 1000000000) n -= 1000000000, t->tv_sec++;
  if (n < 0) n += 1000000000, t->tv_sec--;
  t->tv_nsec = n;
}

int __vdso_clock_gettime(long id, struct timespec *t) {
  long r = gettime(id, t);
  if (r == 0) shift(id, t);
  return r;
}

int __vdso_gettimeofday(struct timeval *v, void *zone) {
  struct timespec t;
  (void)zone;
  gettime(CLOCK_REALTIME, &t);
  shift(CLOCK_REALTIME, &t);
  v->tv_sec = t.tv_sec, v->tv_usec = t.tv_nsec / 1000;
  return 0;
}

int clock_gettime(clockid_t id, struct timespec *t) {
  long r = gettime(id, t);
  if (r == 0 && mapped) shift(id, t);
  return r < 0 ? -1 : 0;
}

int gettimeofday(struct timeval *restrict v, void *restrict zone) {
  struct timespec t;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &t);
  v->tv_sec = t.tv_sec, v->tv_usec = t.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *out) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  if (out) *out = t.tv_sec;
  return t.tv_sec;
}

static void slow(void) {
  if (!mapped || NUMBERS[1] <= 0) return;
  usleep(NUMBERS[1]);
  __atomic_add_fetch(NUMBERS + 2, 1, __ATOMIC_RELAXED);
}

#define DELAYED(type, name, parameters, arguments)                      \
  type name parameters {                                                \
    static type(*next) parameters;                                      \
    if (!next) next = (type(*) parameters)dlsym(RTLD_NEXT, #name);      \
    slow();                                                             \
    return next arguments;                                              \
  }

// write is delayed for files only, not for sockets and pipes.
ssize_t write(int f, const void *b, size_t n) {
  static ssize_t (*next)(int, const void *, size_t);
  struct stat s;
  if (!next) next = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  if (mapped && NUMBERS[1] > 0 && fstat(f, &s) == 0 && S_ISREG(s.st_mode)) slow();
  return next(f, b, n);
}

DELAYED(int, fsync, (int f), (f))
DELAYED(int, fdatasync, (int f), (f))
DELAYED(ssize_t, pwrite, (int f, const void *b, size_t n, off_t at), (f, b, n, at))
DELAYED(ssize_t, pwrite64, (int f, const void *b, size_t n, off64_t at), (f, b, n, at))
DELAYED(ssize_t, pwritev64, (int f, const struct iovec *b, int n, off64_t at), (f, b, n, at))
DELAYED(ssize_t, pwritev, (int f, const struct iovec *b, int n, off_t at), (f, b, n, at))

__attribute__((constructor)) static void install(int argc, char **argv, char **environment) {
  const char *path = getenv("DISTURB_FILE");
  int f = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  Dl_info own;
  struct stat s;
  (void)argc, (void)argv;
  if (f < 0 || mmap((void *)NUMBERS, 24, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, f, 0) != (void *)NUMBERS) return;
  close(f);
  mapped = 1;
  if (!dladdr((void *)__vdso_clock_gettime, &own) || (f = open(own.dli_fname, O_RDONLY | O_CLOEXEC)) < 0) return;
  void *image = fstat(f, &s) == 0 ? mmap(NULL, s.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, f, 0) : MAP_FAILED;
  close(f);
  if (image == MAP_FAILED) return;
  while (*environment) environment++; // the auxiliary vector follows the environment
  for (ElfW(auxv_t) *a = (ElfW(auxv_t) *)(environment + 1); a->a_type != AT_NULL; a++)
    if (a->a_type == AT_SYSINFO_EHDR) a->a_un.a_val = (uintptr_t)image;
}
