#include "entry.h"

#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static pid_t home; // the process whose threads Go's runtime has

__attribute__((constructor)) static void remember(void) { home = getpid(); }

static atomic_int closed, inside;

const char *sqlcluster_enter(void) {
    if (getpid() != home) {
        return "sqlcluster cannot be used in a forked process: start one that loads it anew (in Python: multiprocessing's method spawn)";
    }
    atomic_fetch_add(&inside, 1);
    if (atomic_load(&closed)) {
        atomic_fetch_sub(&inside, 1);
        return "the process ends";
    }
    return 0;
}

void sqlcluster_leave(void) { atomic_fetch_sub(&inside, 1); }

void sqlcluster_close(int milliseconds) {
    if (getpid() != home) {
        return;
    }
    atomic_store(&closed, 1);
    struct timespec millisecond = {0, 1000000};
    for (; milliseconds > 0 && atomic_load(&inside) > 0; milliseconds--) {
        nanosleep(&millisecond, 0);
    }
}
