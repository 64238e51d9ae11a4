// Runs a program and measures it: `measure REPORT PROGRAM ARGUMENT...` writes its exit status, seconds
// of CPU (user and system, with children) and largest resident size in kilobytes to the file REPORT.
// The size of a forked process starts with that of its parent, so the parent must be small.
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: measure REPORT PROGRAM ARGUMENT...\n");
    return 2;
  }
  pid_t child = fork();
  if (child == 0) {
    execv(argv[2], argv + 2);
    perror(argv[2]);
    _exit(127);
  }
  int status = 0;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) != child) {
    perror("measure");
    return 2;
  }
  FILE* report = fopen(argv[1], "w");
  if (report == NULL) {
    perror(argv[1]);
    return 2;
  }
  double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                   (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  fprintf(report, "%d %.6f %ld\n", code, seconds, usage.ru_maxrss);
  return fclose(report) == 0 ? 0 : 2;
}
