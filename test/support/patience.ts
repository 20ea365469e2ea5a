/**
 * Milliseconds for which a test waits for what must come. Only what hangs takes so long: a busy machine needs several
 * times what a quiet one does, and a deadline that is never reached costs nothing.
 */
export const patienceMs = 90_000;
