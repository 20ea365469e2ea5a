/** The replies that wait for their receipt, and those that have it. */
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OutstandingReplies } from "../../journal/agents/outstanding-replies.ts";
import { state } from "../../journal/config/paths.ts";

let journal = "";
beforeEach(() => {
  journal = mkdtempSync(join(tmpdir(), "outstanding-"));
  mkdirSync(state(journal));
});
afterEach(() => rmSync(journal, { recursive: true, force: true }));

const reply = (id: string, text = id) => ({
  id,
  ts: 1,
  channel: { type: "sms", channelId: "+1" },
  text,
  agent_id: "a",
});

test("a reply waits until it is settled, and one that arrived is remembered, whoever opens them", async () => {
  {
    using replies = new OutstandingReplies(journal);
    for (const id of ["waits", "failed", "arrived"]) await replies.add(reply(id));
    await replies.settleReply("failed");
    await replies.settleReply("arrived", true);
  }
  using again = new OutstandingReplies(journal);
  expect(again.all.map(({ id }) => id)).toEqual(["waits"]);
  expect([again.delivered("failed"), again.delivered("arrived")?.text]).toEqual([undefined, "arrived"]);
  await again.settleReply("arrived");
  expect(again.delivered("arrived")).toBeUndefined();
});

test("the latest that arrived are remembered, and the file that is written anew has them", async () => {
  const text = "x".repeat(2000);
  {
    using replies = new OutstandingReplies(journal);
    await replies.add(reply("waits"));
    for (let n = 0; n < 150; n++) {
      await replies.add(reply(`r${n}`, text));
      await replies.settleReply(`r${n}`, true);
    }
  }
  expect(statSync(state(journal, "outstanding-replies.jsonl")).size).toBeLessThan(300_000);
  using again = new OutstandingReplies(journal);
  expect(again.all.map(({ id }) => id)).toEqual(["waits"]);
  expect([again.delivered("r49"), again.delivered("r50")?.id, again.delivered("r149")?.id]).toEqual([
    undefined,
    "r50",
    "r149",
  ]);
});
