/** What a browser can be told of, in words. */
export const pushWords = [
  { kind: "decision", words: "Something waits for my answer" },
  { kind: "failed", words: "A run has failed" },
  { kind: "budget", words: "A limit is near" },
  { kind: "night", words: "The runs of the night are over" },
] as const;
