// A program in C with DuckDB in it, which does what hosts do to an extension.
//
//	host EXTENSION exit FILE MILLISECONDS   exits with 7 while another thread fits
//	host EXTENSION fork                     uses the functions in a forked child
//	host EXTENSION signals                  raises signals that it handles itself
//	host EXTENSION measure FILE SQL         runs a statement, and prints its seconds and the peak of memory
#define DUCKDB_STATIC_BUILD
#include "../capi/duckdb.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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
    int all[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGPIPE, SIGCHLD, SIGALRM, SIGSEGV};
    int n = sizeof all / sizeof all[0];
    struct sigaction ours = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    for (int i = 0; i < n; i++) {
        sigaction(all[i], &ours, 0);
    }
    duckdb_connection c = opened(0, "2");
    must(c, points);
    must(c, "FROM sqlcluster.cluster_fit(points, 'id', k := 3, restarts := 1)");
    for (int i = 0; i < n; i++) {
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
    if (!strcmp(arguments[2], "measure") && n == 5) {
        return measure(arguments[3], arguments[4]);
    }
    return 2;
}
