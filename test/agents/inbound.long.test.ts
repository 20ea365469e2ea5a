/**
 * The messages into agents on a whole system: a flood shuts nobody out, a message that can't be taken is given up and
 * told.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { agentIdOf } from "../../agents/record/agent-id.ts";
import { inboxLimits } from "../../agents/inbound-reader.ts";
import { inboundLimits, inboundStream } from "../../bus/agents/inbound.ts";
import { listQuarantine } from "../../journal/quarantine/quarantine.ts";
import { contentPath } from "../../protocol/files/attachment.ts";
import { runCortex } from "../scripts/run-command.ts";
import { filesWith } from "../support/files/files-with.ts";
import { noisyPng, png } from "../support/files/sample-files.ts";
import type { Conversation } from "./conversation.ts";
import { AgentsSystem } from "./agents-system.ts";

const system = await AgentsSystem.start();
afterAll(() => system[Symbol.asyncDispose]());
/** A model that replies where it was asked. */
const replying =
  (text: string) =>
  ({ last, results }: Conversation) => {
    const channelId = /\| id: ([^ \]|]+)/.exec(last)?.[1] ?? "";
    return results.length > 0 ? { text: "done" } : { calls: [{ tool: "reply", args: { text, channelId } }] };
  };
const waiting = async (type: string) => {
  const { streams } = await (await system.as("agents")).manager();
  return (await streams.info(inboundStream(type))).state.messages;
};

test("files of a message are stored and shown, what isn't taken is named with the reason, and an answer brings files", async () => {
  const alpha = await system.channel("alpha");
  const [photo, table] = [noisyPng(30), Buffer.from("a,b")];
  mkdirSync(join(system.journal, "20250109"), { recursive: true });
  writeFileSync(join(system.journal, "20250109/plan.png"), png(5, 5));
  system.think("FILES", ({ results }) =>
    results.length > 0
      ? { text: "done" }
      : {
          calls: [
            {
              tool: "reply",
              args: {
                text: "Here.",
                channelId: "files",
                attachments: [{ name: "table.csv", mime: "text/csv", data: table.toString("base64") }],
              },
            },
          ],
        },
  );
  await alpha.say("FILES: look", {
    channelId: "files",
    attachments: [
      { name: "photo.png", data: photo.toString("base64") },
      { path: "20250109/plan.png" },
      { name: "keys", path: ".run/endpoints.json" },
      { name: "program", data: Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0]).toString("base64") },
      { name: "gone.png", mime: "image/png", size: 9, id: "0".repeat(64), data: "AAAA", problem: "too large to fetch" },
    ],
  });
  const { attachments } = await alpha.heard("Here.");
  expect(attachments).toEqual([
    { id: expect.stringMatching(/^[0-9a-f]{64}$/), name: "table.csv", mime: expect.stringMatching(/^text\//), size: 3 },
  ]);
  const stored = join(system.journal, "attachments", contentPath(attachments?.[0]?.id ?? ""));
  expect(readFileSync(stored)).toEqual(table);
  const asked = JSON.stringify(system.asked.find(({ last }) => last.includes("FILES"))?.body);
  for (const image of [photo, png(5, 5)]) expect(asked).toContain(image.toString("base64"));
  expect(asked).toContain("[attachment: keys, not stored: keys and tokens are kept there]");
  expect(asked).toMatch(/\[attachment: program, not stored: its kind isn't taken/);
  expect(asked).toContain("[attachment: gone.png (image/png, 9 bytes), not stored: too large to fetch]");
  // What is kept names the files and has none of their bytes.
  expect(filesWith(system.journal, photo.toString("base64").slice(60, 120))).toEqual([]);
});

test("a message that can't be taken is put away at the third failure and told; what comes behind it is taken", async () => {
  const gamma = await system.channel("gamma");
  const agents = join(system.journal, "agents");
  mkdirSync(agents, { recursive: true });
  // Something else stands where its agent's folder would be.
  const key = { kind: "user", connector: "gamma", channelId: "room", userId: "poison" } as const;
  writeFileSync(join(agents, agentIdOf(key)), "no folder");
  system.think("who is there", replying("I am"));
  await gamma.say("poison", { userId: "poison" });
  await gamma.say("who is there");
  await gamma.heard("I am");
  await gamma.heard(/couldn't be taken in, three times/);
  const [one, ...more] = listQuarantine(system.journal);
  expect(more).toEqual([]);
  expect(one?.record).toMatchObject({ store: "inbound", failures: 3 });
  const doctor = await runCortex(system.journal, ["doctor"]);
  expect(doctor.stdout).toContain("inbound");
  // Started anew, the service doesn't meet it again.
  await system.killAgents();
  await system.until(async () => (await waiting("gamma")) === 0, "nothing is left");
  expect(listQuarantine(system.journal)).toHaveLength(1);
});

test("a flood on one channel is refused when as much waits as may, and the others speak on", async () => {
  const [alpha, beta] = [await system.channel("alpha"), await system.channel("beta")];
  const held = Promise.withResolvers<void>();
  system.think("flood", async () => {
    await held.promise;
    return { text: "done" };
  });
  const text = `flood ${"x".repeat(240_000)}`;
  let count = 0;
  const flood = async () => {
    for (; count < 2000; count++) await beta.say(text, { id: `flood-${count}` });
  };
  await expect(flood()).rejects.toThrow(/the channel beta is full: .* send it again in 30 s/);
  expect(count * text.length).toBeGreaterThan(inboundLimits.max_bytes);
  expect(count * text.length).toBeLessThan(1.2 * (inboundLimits.max_bytes + inboxLimits.bytes));
  system.think("still there", replying("Yes."));
  await alpha.say("still there?");
  await alpha.heard("Yes.");
  const chat = await runCortex(system.journal, ["chat", "are you still there"]);
  expect([chat.code, chat.stdout]).toEqual([0, "Yes."]);
  held.resolve();
});
