/** The numbers in a program's life. */

/** Pauses before a restart: the first time none. */
export const pausesMs = [0, 1000, 2000, 5000];
/** A program that was up this long is forgiven its former deaths. */
export const steadyMs = 60_000;
/** So many deaths within so long, and it has failed. */
export const maxDeaths = 10;
export const deathWindowMs = 120_000;
/** Pause between two starts of a program that has failed. */
export const retryFailedMs = 300_000;
/** Longest time from a start until it is ready. */
export const readyWithinMs = 30_000;
export const readinessEveryMs = 20;
/** Unanswered probes in a row after which a program counts as unresponsive. */
export const maxMisses = 3;
/** Longest time between signal and KILL for a program that doesn't answer, or is forced. */
export const shortGraceMs = 5000;
/** Time between TERM and KILL for the orphans that a program left in its group. */
export const orphanGraceMs = 1000;
/** A kill is repeated while something is left. */
export const killAgainMs = 1000;
