/** Signal out of its order, in halves, and without its account. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeOwners } from "../../../journal/agents/owners.ts";
import { keepQuestion } from "../../../journal/permissions/questions.ts";
import { ada, messageEvent, ownNumber } from "./played-signal-cli.ts";
import { startAccount, toAda } from "./signal-account.ts";

test("a receipt and a reaction that come before the daemon's answer to the send count once that is there", async () => {
  await using account = await startAccount();
  const { daemon, system } = account;
  await writeOwners(system.journal, [`signal:${ada.uuid}`]);
  const answered = Promise.withResolvers<void>();
  daemon.answered = answered.promise;
  const [token, channel] = ["1".repeat(32), { type: "signal", channelId: ada.uuid, userId: ada.uuid }];
  const [ts, expires] = [Date.now(), Date.now() + 3_600_000];
  const asked = { tool: "bash", args: {}, why: "asked", rules: [], run: "1736380800000" };
  await keepQuestion(system.journal, { id: token, ...asked, ts, expires, channel });
  const text = "May I call bash?\nAnswer: allow or deny";
  const permission = { token, text, always: false };
  await system.say({ ...toAda(`permission-${token}`, text), metadata: { permission } });
  const { timestamp } = await system.until(() => daemon.sent[0], "the question is sent");
  const receipt = { when: daemon.tick(), isDelivery: true, isRead: false, isViewed: false, timestamps: [timestamp] };
  daemon.happen(ada, { timestamp: daemon.tick(), receiptMessage: receipt });
  daemon.react("👍", timestamp);
  const kept = join(system.journal, ".state/channels/signal-events.jsonl");
  await system.until(() => readFileSync(kept, "utf8").includes("👍"), "the reaction has come");
  daemon.write("behind it");
  answered.resolve();
  await system.until(() => system.messages.length === 1, "what comes behind it");
  // Messages and decisions have streams of their own.
  await system.until(() => system.decisions.length > 0, "the decision");
  expect(system.decisions).toMatchObject([{ token, decision: { decision: "allow", userId: ada.uuid } }]);
  expect(await system.receipt(`permission-${token}`)).toEqual({ ok: true, external_id: String(timestamp) });
  expect(daemon.sent).toHaveLength(1);
});

test("half an event is none: the connection is made anew, and the message comes once when it is told whole", async () => {
  await using account = await startAccount();
  const { daemon, system } = account;
  const event = messageEvent("whole", daemon.tick());
  await daemon.tearEvent(event);
  daemon.write("next");
  await system.until(() => system.messages.length === 1, "what is told on the next connection");
  daemon.tell(event);
  daemon.tell(event);
  daemon.write("last");
  await system.until(() => system.messages.at(-1)?.text === "last", "all");
  expect(system.messages.map(({ text }) => text)).toEqual(["next", "whole", "last"]);
});

test("an account that the daemon has no more is named in the log and to who wrote, and heard again once it is back", async () => {
  await using account = await startAccount();
  const { daemon, system } = account;
  daemon.account = "+491700000002";
  daemon.drop();
  await system.until(() => account.first.log.includes("it doesn't know that number"), "the log says it");
  await system.say(toAda("gone"));
  const gone = await system.receipt("gone");
  expect(gone).toEqual({ ok: false, error: "Signal: Specified account does not exist" });
  daemon.account = ownNumber;
  daemon.write("meanwhile");
  await system.until(() => system.messages.length === 1, "what was written meanwhile");
  await system.say(toAda("back"));
  expect(await system.receipt("back")).toMatchObject({ ok: true });
  expect(daemon.texts).toEqual(["text of back"]);
});
