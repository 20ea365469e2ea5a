/**
 * Options of a played server: it closes no connection that is idle for a few seconds, as no service does. A client that was
 * held up would send over one that is gone, and what became of that nobody can know.
 */
export const keptConnections = { keepAliveTimeout: 75_000 };
