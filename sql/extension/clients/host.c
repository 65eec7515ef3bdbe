// A program in C with DuckDB in it, which does what hosts do to an extension.
//
//	host EXTENSION exit FILE MILLISECONDS   exits with 7 while another thread fits
//	host EXTENSION fork                     uses the functions in a forked child
//	host EXTENSION signals                  raises signals that it handles itself
//	host EXTENSION unchanged                compares what a process has before and after
//	host EXTENSION measure FILE SQL         runs a statement, and prints its seconds and the peak of memory
#define _GNU_SOURCE
#define DUCKDB_STATIC_BUILD
#include "../capi/duckdb.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *extension;

static void fail(const char *what, const char *said) {
    fprintf(stderr, "%s: %s\n", what, said);
    _exit(1);
}

// run runs a statement and returns its error, or null.
static char *run(duckdb_connection c, const char *sql) {
    duckdb_result r;
    char *error = duckdb_query(c, sql, &r) == DuckDBError ? strdup(duckdb_result_error(&r)) : 0;
    duckdb_destroy_result(&r);
    return error;
}

static void must(duckdb_connection c, const char *sql) {
    char *error = run(c, sql);
    if (error) {
        fail(sql, error);
    }
}

// opened opens a database, and loads the extension.
static duckdb_connection opened(const char *file, const char *threads) {
    duckdb_config config;
    duckdb_database db;
    duckdb_connection c;
    char *error = 0, load[4096];
    duckdb_create_config(&config);
    duckdb_set_config(config, "allow_unsigned_extensions", "true");
    duckdb_set_config(config, "threads", threads);
    if (duckdb_open_ext(file, &db, config, &error) == DuckDBError) {
        fail("open", error);
    }
    duckdb_connect(db, &c);
    snprintf(load, sizeof load, "LOAD '%s'", extension);
    must(c, load);
    return c;
}

static const char *points = "CREATE TABLE IF NOT EXISTS points AS SELECT i AS id, hash(i) % 1000 AS a, hash(i + 1000000) % 1000 AS b "
                            "FROM range(20000) r(i)";
static const char *fits = "FROM sqlcluster.cluster_fit(points, 'id', k := 50, restarts := 100000)";

static void *fitting(void *c) {
    free(run(c, fits));
    return 0;
}

static int exits(const char *file, int milliseconds) {
    duckdb_connection c = opened(file, "2");
    pthread_t thread;
    must(c, points);
    pthread_create(&thread, 0, fitting, c);
    usleep(milliseconds * 1000);
    exit(7); // with all handlers of the program and of its libraries
}

static int forks(void) {
    duckdb_connection c = opened(0, "1"); // DuckDB's other threads would not be in the child
    must(c, points);
    must(c, "CREATE TABLE m AS FROM sqlcluster.cluster_fit(points, 'id', k := 3, restarts := 1)");
    pid_t child = fork();
    if (child == 0) {
        alarm(20); // ends a hang
        const char *all[] = {"FROM sqlcluster.cluster_fit(points, 'id', k := 3)", "FROM sqlcluster.cluster_algorithms()",
            "SELECT sqlcluster.cluster_predict(m.model, p) FROM points p, m",
            "SELECT sqlcluster.cluster_fit(p.id, p, {k: 3}) FROM points p"};
        for (int i = 0; i < 4; i++) {
            char *error = run(c, all[i]);
            if (!error || !strstr(error, "forked process")) {
                fail(all[i], error ? error : "no error");
            }
        }
        must(c, "SELECT count(*) FROM points"); // DuckDB itself goes on
        exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    must(c, "FROM sqlcluster.cluster_fit(points, 'id', k := 3, restarts := 1)");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "the child ended with status %x\n", status);
        return 1;
    }
    return 0;
}

static volatile sig_atomic_t handled[65];
static sigjmp_buf back;

static void handle(int s) {
    handled[s] = 1;
    if (s == SIGSEGV) {
        siglongjmp(back, 1);
    }
}

static int signals(void) {
    int all[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGPIPE, SIGCHLD, SIGALRM, SIGURG, SIGSEGV};
    int n = sizeof all / sizeof all[0];
    struct sigaction ours = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    for (int i = 0; i < n; i++) {
        sigaction(all[i], &ours, 0);
    }
    duckdb_connection c = opened(0, "2");
    must(c, points);
    must(c, "FROM sqlcluster.cluster_fit(points, 'id', k := 3, restarts := 1)");
    for (int i = 0; i < n; i++) {
        if (handled[all[i]]) {
            fail(strsignal(all[i]), "came from the extension");
        }
        if (all[i] != SIGSEGV) {
            raise(all[i]);
        } else if (!sigsetjmp(back, 1)) {
            *(volatile int *)8 = 0;
        }
        if (!handled[all[i]]) {
            fail(strsignal(all[i]), "was not handled");
        }
    }
    must(c, "FROM sqlcluster.cluster_fit(points, 'id', k := 3, restarts := 1)");
    return 0;
}

// A process is what an extension could change of it.
typedef struct {
    struct sigaction actions[NSIG];
    struct rlimit limits[RLIM_NLIMITS];
    sigset_t blocked;
    mode_t mask;
    char directory[4096], environment[65536];
} process;

static process now(void) {
    static process p;
    for (int s = 1; s < NSIG; s++) {
        sigaction(s, 0, &p.actions[s]);
    }
    for (int l = 0; l < RLIM_NLIMITS; l++) {
        getrlimit(l, &p.limits[l]);
    }
    pthread_sigmask(SIG_BLOCK, 0, &p.blocked);
    umask(p.mask = umask(0));
    if (!getcwd(p.directory, sizeof p.directory)) {
        fail("getcwd", "failed");
    }
    p.environment[0] = 0;
    for (char **e = environ; *e && strlen(p.environment) + strlen(*e) + 1 < sizeof p.environment; e++) {
        strcat(p.environment, *e);
    }
    return p;
}

static int unchanged(void) {
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = 256; // less than what the process may have
    setrlimit(RLIMIT_NOFILE, &files);
    static process before, after;
    before = now();
    duckdb_connection c = opened(0, "2");
    must(c, points);
    must(c, "FROM sqlcluster.cluster_fit(points, 'id', k := 3)");
    after = now();
    int flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER | SA_RESETHAND | SA_NOCLDSTOP | SA_NOCLDWAIT;
    for (int s = 1; s < NSIG; s++) {
        if (s != SIGSEGV && s != SIGBUS && s != SIGFPE && s != SIGPIPE &&
            (before.actions[s].sa_handler != after.actions[s].sa_handler ||
             (before.actions[s].sa_flags ^ after.actions[s].sa_flags) & flags)) {
            fail(strsignal(s), "has another handler");
        }
    }
    if (memcmp(before.limits, after.limits, sizeof before.limits)) {
        fail("limits", "changed");
    }
    if (memcmp(&before.blocked, &after.blocked, sizeof before.blocked) || before.mask != after.mask) {
        fail("masks", "changed");
    }
    if (strcmp(before.directory, after.directory) || strcmp(before.environment, after.environment)) {
        fail("directory or environment", "changed");
    }
    return 0;
}

static int measure(const char *file, const char *sql) {
    duckdb_connection c = opened(file, "2");
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    must(c, sql);
    clock_gettime(CLOCK_MONOTONIC, &to);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("%.2f s, %ld MB\n", to.tv_sec - from.tv_sec + (to.tv_nsec - from.tv_nsec) * 1e-9, used.ru_maxrss / 1024);
    return 0;
}

int main(int n, char **arguments) {
    if (n < 3) {
        return 2;
    }
    extension = arguments[1];
    if (!strcmp(arguments[2], "exit") && n == 5) {
        return exits(arguments[3], atoi(arguments[4]));
    }
    if (!strcmp(arguments[2], "fork")) {
        return forks();
    }
    if (!strcmp(arguments[2], "signals")) {
        return signals();
    }
    if (!strcmp(arguments[2], "unchanged")) {
        return unchanged();
    }
    if (!strcmp(arguments[2], "measure") && n == 5) {
        return measure(arguments[3], arguments[4]);
    }
    return 2;
}
