/** The environment variable with the marker of a start: a program that has it is kept running by a supervisor. */
export const nonceName = "CORTEX_PROGRAM_NONCE";
