/** The kinds of notices that a browser can be sent, in words. */
export const pushWords = [
  { kind: "decision", words: "Something waits for my answer" },
  { kind: "failed", words: "A run has failed" },
  { kind: "budget", words: "A limit is near" },
  { kind: "night", words: "The scheduled runs are over" },
] as const;
