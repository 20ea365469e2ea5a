/** A file that `reply` is given with its content is in the store, and nowhere else: neither in events, nor in files, the history or a question about it. */
import { createHash } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { publishDecision } from "../../bus/agents/inbound.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { filesWith as filesIn } from "../support/files/files-with.ts";
import { AgentsSystem } from "./agents-system.ts";

const system = await AgentsSystem.start({
  agents: { join_window_ms: 0, owners: ["alpha:owner"], binding: "shared" },
  permissions: [{ tool: "reply", decide: "ask" }],
});
afterAll(() => system[Symbol.asyncDispose]());

const content = "the harbor, by numbers: 1, 2, 3, 5, 8, 13";
const data = Buffer.from(content).toString("base64");
const id = createHash("sha256").update(content).digest("hex");

const wrong = "no base64 of the harbor!";

system.think("osprey", ({ last, results }) => {
  const isWrong = last.includes("petrel");
  if (results.length > 0 && !isWrong) return { text: "Said." };
  const attachments = isWrong ? [{ data: wrong }] : [{ name: "harbor.txt", mime: "text/plain", data }];
  return { calls: [{ tool: "reply", args: { text: "Here.", channelId: isWrong ? "pier" : "room", attachments } }] };
});

/** The files of the journal that hold a text, but for the bus's own store, and for what is being written. */
const filesWith = (text: string) =>
  filesIn(system.journal, text).flatMap((path) =>
    path.includes("jetstream") || path.endsWith(".tmp") ? [] : [path.slice(system.journal.length + 1)],
  );

/** The last run of an agent, once its file has its last name. */
async function endedRun(agent: string): Promise<string> {
  const run = system.state(agent).last_run ?? "";
  await system.until(() => system.up.hasEnded(run), "its file has ended");
  return run;
}

test("the content of a file that goes with a reply stands in its store alone", async () => {
  const alpha = await system.channel("alpha");
  const bus = await system.up.client();
  const heard: AgentEvent[] = [];
  bus.connection.subscribe("cortex.event.>", { callback: (_, message) => void heard.push(message.json()) });
  await bus.connection.flush();
  await alpha.say("osprey");
  const asked = await alpha.heard(/^May I call reply\?/);
  expect(asked.text).toContain(id);
  const { token } = (asked.metadata as { permission: { token: string } }).permission;
  await publishDecision(await system.as("channel-alpha"), token, { decision: "allow", userId: "owner" });
  expect((await alpha.heard("Here.")).attachments).toMatchObject([{ id, name: "harbor.txt" }]);
  const agent = await system.main("room");
  await system.turns(agent, 1);
  const run = await endedRun(agent);
  const shown = [{ id, name: "harbor.txt" }];
  const calls = system.up.file(run).filter(({ event }) => ["tool_start", "tool_end"].includes(event));
  expect(calls).toMatchObject([{ args: { attachments: shown } }, { args: { attachments: shown }, is_error: false }]);
  expect(system.history(agent).find(({ type }) => type === "tool_call")).toMatchObject({
    args: { attachments: shown },
  });
  expect(JSON.stringify(heard)).toContain(id);
  expect(JSON.stringify(heard)).not.toContain(data);
  expect(filesWith(data)).toEqual([]);
  expect(filesWith(content)).toEqual([`attachments/${id.slice(0, 2)}/${id}`]);
});

test("content that can't be stored stands in no question about its call, and in no event", async () => {
  const alpha = await system.channel("alpha");
  await alpha.say("petrel", { channelId: "pier", userId: "owner" });
  const asked = await alpha.heard(/^May I call reply\?[^]*pier/);
  expect(asked.text).toContain("***");
  const { token } = (asked.metadata as { permission: { token: string } }).permission;
  expect(filesWith(wrong)).toEqual([]);
  await publishDecision(await system.as("channel-alpha"), token, { decision: "deny", userId: "owner" });
  const pier = await system.main("pier");
  await system.turns(pier, 2);
  await endedRun(pier);
  expect(filesWith(wrong)).toEqual([]);
});
