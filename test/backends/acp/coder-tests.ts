/** The titles of the tests of coding agents, by what they show: the tables of the docs are made of them. */
export const coderTests = {
  hello: "answers, by the gateway's key, and its usage counts once",
  calls: "makes three calls in the run's folder, each a start and an end",
  denied: "asks about what a rule asks about, and doesn't do what is denied",
  changes: "makes its changes in a worktree, where they are shown and applied like our own",
  continue: "goes on from a former run, and knows what was said",
  cancel: "is cancelled, and nothing of it is left",
  killed: "outlives cortex, which is killed in the middle of its call",
  cap: "makes no further call once a limit is reached",
  cost: "has its calls priced, and makes none beyond a limit in money",
  tools: "calls our tools, by the run's own token",
  wall: "works behind a wall, where there is neither the key nor a way out",
} as const;
