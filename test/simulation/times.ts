/** How long things take in the simulation: the proportions are those of the defaults, so that a life is short. */
/** When the simulated world begins, in ms. */
export const epochMs = 1_700_000_000_000;

export const times = {
  leaseMs: 3000,
  /** In real life six times a lease: here as seldom as it may be. */
  beatMs: 750,
  /** Milliseconds within which a message arrives, or never: less than what a lease lapses earlier for its owner. */
  slowestMs: 400,
  timeoutMs: 1000,
  ackWaitMs: 2000,
  orphanGraceMs: 2500,
  longestOrphanMs: 4000,
  againMs: 300,
  owedAgainMs: 900,
  /** Faults begin until then. */
  faultsMs: 9000,
  /** By then everything has to be done. */
  endMs: 120_000,
};
