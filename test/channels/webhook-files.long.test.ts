/** Files over the webhook, with a whole system: in with their content or by their id, out by their names. */
import { createHash, createHmac } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readProgramRecord } from "../../journal/programs/programs.ts";
import { contentPath } from "../../protocol/files/attachment.ts";
import { AgentsSystem } from "../agents/agents-system.ts";
import { secret } from "./channel-system.ts";
import { Receiver } from "./receiver.ts";

const receiver = await Receiver.start();
const system = await AgentsSystem.start(
  {
    channels: { web: { enabled: false }, webhook: { port: 0, secret_env: "HOOK_SECRET", url: receiver.url } },
    agents: { join_window_ms: 0, owners: ["webhook:ada"], binding: "shared" },
  },
  {},
  { HOOK_SECRET: secret },
);
afterAll(async () => {
  await system[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

let posts = 0;

async function post(message: object): Promise<number> {
  const record = await readProgramRecord(system.journal, "channel-webhook");
  const [body, id, timestamp] = [JSON.stringify(message), `msg_${++posts}`, Math.floor(Date.now() / 1000)];
  const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64");
  const headers = { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": `v1,${signature}` };
  const response = await fetch(record?.url ?? "", { method: "POST", body, headers });
  // A connection with something unread would hold up the adapter's end.
  await response.text();
  return response.status;
}

const content = Buffer.from("rows of the harbor");
const id = createHash("sha256").update(content).digest("hex");
const table = { name: "table.csv", mime: "text/csv" };

test("a file comes with its content, is named by its id later, and goes out by its name", async () => {
  system.think("heron", ({ last, results: [result] }) => {
    if (result) return { text: "Said." };
    const args = { text: last.includes("again") ? "Twice." : "Once.", channelId: "main", channelType: "webhook" };
    return { calls: [{ tool: "reply", args: { ...args, attachments: [{ id }] } }] };
  });
  const data = content.toString("base64");
  expect(await post({ text: "heron", userId: "ada", attachments: [{ ...table, data }] })).toBe(202);
  const sent = () => receiver.posted.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  await system.until(() => sent().length === 1, "the answer");
  expect(readFileSync(join(system.journal, "attachments", contentPath(id)))).toEqual(content);
  expect(await post({ text: "heron again", userId: "ada", attachments: [{ name: "same.csv", id }] })).toBe(202);
  await system.until(() => sent().length === 2, "the second answer");
  const [first, second] = system
    .history(await system.agentOf({ type: "webhook", channelId: "main", userId: "ada" }))
    .filter(({ type }) => type === "user");
  const part = { type: "file", id, mime: "text/csv", size: content.length };
  expect(first).toMatchObject({ parts: [{ ...part, name: "table.csv" }] });
  expect(second).toMatchObject({ parts: [{ ...part, name: "same.csv" }] });
  // What is text, its model reads at once.
  for (const { messages } of system.askedOf("heron")) expect(JSON.stringify(messages)).toContain(content.toString());
  const line = `[file table.csv, text/csv, ${content.length} bytes]`;
  expect(sent()).toMatchObject([
    { text: `Once.\n${line}`, attachments: [{ ...table, id }] },
    { text: `Twice.\n${line}`, attachments: [{ ...table, id }] },
  ]);
  expect(JSON.stringify(sent())).not.toContain(data);
});

test("a path that somebody outside names is refused, and brings nothing of the journal", async () => {
  const attachments = [{ name: "keys.json", path: "cortex.json" }];
  expect(await post({ text: "egret", userId: "ada", attachments })).toBe(400);
  const config = createHash("sha256")
    .update(readFileSync(join(system.journal, "cortex.json")))
    .digest("hex");
  expect(existsSync(join(system.journal, "attachments", contentPath(config)))).toBe(false);
});
