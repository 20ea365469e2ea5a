/** Before each file of tests: files that share a process begin with the same umask, whatever the one before has set (as the backend `claude` does). */
process.umask(0o022);
