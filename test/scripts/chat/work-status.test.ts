/** The line of `cortex chat` that says what the agent does, by its news and by its own answers. */
import { expect, test } from "vitest";
import type { AgentNews } from "../../../protocol/agents/agent-event.ts";
import { WorkStatus } from "../../../scripts/chat/work-status.ts";

const news = (event: AgentNews["event"], more: Record<string, unknown> = {}): AgentNews => ({
  event,
  ts: 1,
  agent_id: "9100000000001",
  ...more,
});
const started = news("turn_started", { run_id: "1800000000001", items: ["cli:a"] });
const ended = news("turn_ended", { run_id: "1800000000001", items: ["cli:a"], ok: true });

test("an agent is at work as it answers", async () => {
  const work = new WorkStatus();
  await work.ask(async () => true);
  expect(work.isAtWork).toBe(true);
  await work.ask(async () => false);
  expect(work.isAtWork).toBe(false);
});

/** Asks, has `meanwhile` happen before the answer, and has the second answer be `then`. */
async function overtaken(work: WorkStatus, { answer, meanwhile, next }: Overtaken): Promise<void> {
  const first = Promise.withResolvers<boolean>();
  const answers = [first.promise, Promise.resolve(next)];
  const asked = work.ask(async () => answers.shift() ?? Promise.reject(new Error("asked a third time")));
  meanwhile();
  first.resolve(answer);
  await asked;
}

type Overtaken = { answer: boolean; meanwhile: () => void; next: boolean };

test("an answer that a turn's start has overtaken doesn't count: the agent is asked again", async () => {
  const work = new WorkStatus();
  await overtaken(work, { answer: false, meanwhile: () => work.hearNews(started), next: true });
  expect(work.isAtWork).toBe(true);
});

test("an answer that a turn's end has overtaken doesn't count either", async () => {
  const work = new WorkStatus();
  work.hearNews(started);
  await overtaken(work, { answer: true, meanwhile: () => work.ended(ended), next: false });
  expect(work.isAtWork).toBe(false);
});

test("a message that is said while the agent is asked isn't taken for read", async () => {
  const work = new WorkStatus();
  await overtaken(work, { answer: false, meanwhile: () => work.said("cli:a", 1000), next: true });
  work.ended(news("turn_ended", { run_id: "1800000000002", items: [] }));
  expect(work.line(3000)).toBe("not read yet · 2s");
});
