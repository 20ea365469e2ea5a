/** Marks a run's processes in their environment. */
export const markName = "CORTEX_RUN";
