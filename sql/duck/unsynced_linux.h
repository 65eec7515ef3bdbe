// Says whether the calls of fsync on this thread do nothing from now on.
void sqlcluster_unsynced(int yes);
