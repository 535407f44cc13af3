/* Launches of teams of every size, that look for work for different times: each task is done once. */
#include "../../relay_strategies/compiler/library/network.c"

enum { LAUNCHES = 2000, MOST = 4 };

static long done;
static int by_task[MOST];

static int task(int number, Group *group, void *data) {
  volatile int work = *(int *)data;
  (void)group;
  while (work > 0) work--;
  __atomic_add_fetch(&done, 1, __ATOMIC_RELAXED);
  by_task[number]++; /* a race, if a task were done twice at once, or seen too early */
  return 0;
}

int main(void) {
  const int spins[] = {0, 1000, 50000};
  for (int threads = 1; threads <= MOST; threads++) {
    for (int s = 0; s < 3; s++) {
      Team *team = directconv_team(threads, spins[s]);
      long before = done;
      current = team;
      memset(by_task, 0, sizeof by_task);
      for (int i = 0; i < LAUNCHES; i++) {
        int work = i % 7 * 50;
        struct timespec moment = {0, 200000};
        if (i % 400 == 0) nanosleep(&moment, NULL); /* all threads sleep by then, or by some spins none */
        if (launch(task, &work, 0)) return 1;
        for (int number = 0; number < threads; number++)
          if (by_task[number] != i + 1) return 2;
      }
      if (done - before != (long)LAUNCHES * threads) return 3;
      directconv_team_end(team);
    }
  }
  return 0;
}
