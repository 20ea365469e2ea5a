/**
 * The kills at each failpoint of a conversation: nothing is lost, nothing said twice. A few cases; `npm run chaos --
 * --agents` runs all.
 */
import { expect, test } from "vitest";
import { Engine } from "../../simulation/engine.ts";
import { type AgentCase, agentCases } from "./agent-cases.ts";
import { type AgentDone, runAgentMatrix, toldAgentCase } from "./agent-matrix.ts";

const seed = Math.floor(Math.random() * 1_000_000);
const engine = new Engine(seed);
engine.random(); // neighbours begin alike
const ofService = agentCases.filter(({ victim }) => victim === "agents");
// Each once: a case's conversation is known by its number, and doesn't begin again.
const cases = new Set<AgentCase>();
while (cases.size < 2) cases.add(engine.pick(ofService));
while (cases.size < 3) cases.add(engine.pick(agentCases));

test(`seed ${seed}: killed with -9 during a conversation, each message is answered once`, {
  timeout: 600_000,
}, async () => {
  const done: AgentDone[] = [];
  await runAgentMatrix({ cases, lanes: 1, onDone: (one) => done.push(one) });
  expect(done.filter(({ problems }) => problems.length > 0).map(toldAgentCase)).toEqual([]);
  expect(done.filter(({ isReached }) => !isReached).map(toldAgentCase)).toEqual([]);
  expect(done).toHaveLength(cases.size);
});
