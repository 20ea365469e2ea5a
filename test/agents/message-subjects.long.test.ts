/** The agent and the run that messages to channels name, whoever says them: an agent, or cortex about one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { publishDecision } from "../../bus/agents/inbound.ts";
import { AgentsSystem } from "./agents-system.ts";

const system = await AgentsSystem.start({
  agents: { join_window_ms: 0, owners: ["alpha:owner", "alpha:second"], binding: "perChannel" },
  permissions: [{ tool: "memory_append", decide: "ask" }],
});
afterAll(() => system[Symbol.asyncDispose]());
const alpha = await system.channel("alpha");
const runPattern = /^\d{13}$/;

const sent = (id: string) => system.until(() => alpha.replies.find((one) => one.id === id), `${id} goes out`);

test("an answer to a command names its agent and no run, and that it didn't arrive isn't told to that agent", async () => {
  system.think("usage-room", () => ({ text: "Hm." }));
  alpha.receipt = ({ metadata }) => (metadata?.["notice"] ? { ok: false, error: "blocked by the user" } : { ok: true });
  const answer = await sent(`said-${await alpha.say("/usage", { channelId: "usage-room" })}`);
  const agent = await system.main("usage-room");
  expect(answer).toMatchObject({ agent_id: agent, metadata: { notice: true } });
  expect(answer).not.toHaveProperty("run_id");
  const outstanding = join(system.journal, ".state/outstanding-replies.jsonl");
  await system.until(() => readFileSync(outstanding, "utf8").includes(`{"settled":"${answer.id}"}`), "it is settled");
  alpha.receipt = () => ({ ok: true });
  await alpha.say("usage-room", { channelId: "usage-room" });
  await system.turns(agent, 1);
  expect(JSON.stringify(system.history(agent))).not.toContain("blocked by the user");
});

test("what nobody is the agent of names none", async () => {
  const agent = "abcdefghijklmnopqrstuvwx";
  const cli = await system.channel("cli");
  await cli.say("hello", { channelId: "main", userId: "me", metadata: { agent } });
  const answer = await cli.heard(/There is no agent/);
  expect(answer).toMatchObject({ metadata: { notice: true } });
  expect([answer.agent_id, answer.run_id]).toEqual([undefined, undefined]);
});

test("a question names the agent and the run that ask, and so does what a late answer to it hears", async () => {
  system.think("ask-room", ({ results }) =>
    results.length > 0
      ? { text: "Done." }
      : { calls: [{ tool: "memory_append", args: { path: "garden.md", entry: "roses" } }] },
  );
  await alpha.say("ask-room", { channelId: "ask-room" });
  const question = await system.until(
    () => alpha.replies.find(({ id, channel }) => id.startsWith("permission-") && channel.channelId === "ask-room"),
    "it is asked",
  );
  const agent = await system.main("ask-room");
  expect(question).toMatchObject({ agent_id: agent, run_id: expect.stringMatching(runPattern) });
  expect(question.metadata).not.toHaveProperty("notice");
  const token = question.id.slice("permission-".length);
  const adapter = await system.as("channel-alpha");
  await publishDecision(adapter, token, { decision: "allow", userId: "owner" });
  await system.turns(agent, 1);
  await publishDecision(adapter, token, { decision: "deny", userId: "second" });
  const { agent_id, run_id } = question;
  expect(await sent(`late-${token}`)).toMatchObject({ agent_id, run_id, metadata: { notice: true } });
});

test("what an agent says, and that it can't, names it and the run", async () => {
  system.think("fail-room", ({ last, results }) => {
    if (last.endsWith("break"))
      return {
        status: 400,
        body: { type: "error", error: { type: "invalid_request_error", message: "no such thing" } },
      };
    if (results.length > 0) return { text: "." };
    return { calls: [{ tool: "reply", args: { text: "fine", channelId: "fail-room" } }] };
  });
  await alpha.say("fail-room", { channelId: "fail-room" });
  const said = await alpha.heard("fine");
  const agent_id = await system.main("fail-room");
  expect(said).toMatchObject({ agent_id, run_id: expect.stringMatching(runPattern) });
  expect(said.metadata ?? {}).not.toHaveProperty("notice");
  await alpha.say("fail-room, break", { channelId: "fail-room" });
  const failed = await alpha.heard(/I couldn't answer .*no such thing/);
  expect(failed).toMatchObject({ id: `failed-${failed.run_id}`, agent_id, metadata: { notice: true } });
  expect(failed.run_id).toMatch(runPattern);
  expect(failed.run_id).not.toBe(said.run_id);
});
