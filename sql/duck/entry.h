// Every call of DuckDB into Go comes through a function of C that asks first
// whether it may: a forked child has the memory of Go's runtime and none of its
// threads, and would wait for them for ever.

// sqlcluster_enter returns 0 if the call may go on, and then sqlcluster_leave has to
// follow it; or else why not.
const char *sqlcluster_enter(void);
void sqlcluster_leave(void);

// sqlcluster_close refuses all calls from now on, and waits until those that have
// begun have ended, at most so long.
void sqlcluster_close(int milliseconds);
