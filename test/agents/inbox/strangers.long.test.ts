/** Strangers cost no more than they may: limits that hold over restarts, told once, on a whole system and by themselves. */
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  type StrangerMessage,
  type StrangerLimits,
  StrangerLimiter,
  usualStrangerLimits,
} from "../../../agents/inbox/stranger-limits.ts";
import { isStranger } from "../../../journal/channels/known-people.ts";
import { state } from "../../../journal/config/paths.ts";
import { runFile } from "../../../journal/runs/run-files.ts";
import { temporaryJournal } from "../../journal/temporary-journal.ts";
import { zoneAtNoon } from "../../support/zone-at-noon.ts";
import { AgentsSystem } from "../agents-system.ts";

const hour = 3_600_000;
const noon = Date.UTC(2026, 0, 10, 12);
const nobody = { own: 0, all: 0 };
const from = (identity: string, more: Partial<StrangerMessage> = {}) => ({
  identity,
  isNew: false,
  tokens: nobody,
  ...more,
});

/** A desk that is opened anew for each message, as after a restart. */
function desk(limits: Partial<StrangerLimits> = {}) {
  const journal = temporaryJournal();
  const admit = (approach: StrangerMessage, now: number) =>
    new StrangerLimiter(
      journal.path,
      () => ({ ...usualStrangerLimits, ...limits }),
      "UTC",
      () => now,
    ).admit(approach);
  return { admit, path: journal.path, [Symbol.dispose]: () => journal[Symbol.dispose]() };
}

test("a stranger's messages are read up to a number an hour; the first one beyond is told when it goes on, later ones are not", async () => {
  using open = desk({ messages_per_hour: 3 });
  for (let n = 0; n < 3; n++) expect(await open.admit(from("telegram:7"), noon + n)).toEqual({ isAdmitted: true });
  const told = await open.admit(from("telegram:7"), noon + 30 * 60_000);
  expect(told).toEqual({
    isAdmitted: false,
    notice: "I don't know you, and I read 3 messages an hour of each. I read what you write again in 30 minutes.",
  });
  for (let n = 0; n < 5; n++)
    expect(await open.admit(from("telegram:7"), noon + 40 * 60_000)).toEqual({ isAdmitted: false, notice: null });
  expect(await open.admit(from("telegram:8"), noon + 40 * 60_000)).toEqual({ isAdmitted: true });
  expect(await open.admit(from("telegram:7"), noon + hour)).toEqual({ isAdmitted: true });
});

test("a clock that goes back forgives nothing, and a damaged file keeps nobody out", async () => {
  using open = desk({ messages_per_hour: 1 });
  await open.admit(from("telegram:7"), noon);
  expect((await open.admit(from("telegram:7"), noon - 5 * hour)).isAdmitted).toBe(false);
  writeFileSync(state(open.path, "strangers.json"), "{");
  expect((await open.admit(from("telegram:7"), noon)).isAdmitted).toBe(true);
});

test("tokens of strangers count for a day, each and all together, and both have limits", async () => {
  using open = desk({ total_messages_per_hour: 4, new_per_day: 2 });
  const today = { own: usualStrangerLimits.tokens_per_day, all: 0 };
  const told = await open.admit(from("telegram:1", { tokens: today }), noon);
  expect(told).toMatchObject({ notice: expect.stringMatching(/as much today as I may\. .* again in 12 hours\.$/) });
  const all = { own: 0, all: usualStrangerLimits.total_tokens_per_day };
  expect((await open.admit(from("telegram:2", { tokens: all }), noon)).isAdmitted).toBe(false);
  const isNew = true;
  expect((await open.admit(from("telegram:3", { isNew }), noon)).isAdmitted).toBe(true);
  expect((await open.admit(from("telegram:4", { isNew }), noon)).isAdmitted).toBe(true);
  expect((await open.admit(from("telegram:5", { isNew }), noon)).isAdmitted).toBe(false);
  expect((await open.admit(from("telegram:3"), noon)).isAdmitted).toBe(true);
  expect((await open.admit(from("telegram:3"), noon)).isAdmitted).toBe(true);
  expect((await open.admit(from("telegram:4"), noon)).isAdmitted).toBe(false); // all have sent four
});

test("a flood of strangers makes no flood of notices, and no large file", async () => {
  using open = desk({ messages_per_hour: 0 });
  let notices = 0;
  for (let n = 0; n < 100; n++) {
    const admission = await open.admit(from(`telegram:${n}`), noon);
    if (!admission.isAdmitted && admission.notice !== null) notices++;
  }
  expect(notices).toBe(30);
  expect(readFileSync(state(open.path, "strangers.json"), "utf8").length).toBeLessThan(4000);
});

test("a stranger is whom nobody has let in", () => {
  const channels = { telegram: { allow: ["7"] }, sms: { external: true } };
  const owners = new Set(["telegram:8"]);
  const is = (type: string, userId?: string) => isStranger({ type, ...(userId && { userId }) }, owners, channels);
  expect([is("telegram", "7"), is("telegram", "8"), is("telegram", "9"), is("sms", "9"), is("sms")]).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
  expect([is("web", "token"), is("cli"), is("webhook", "shop")]).toEqual([false, false, false]);
});

test("a stranger is read so often and no more, is told once, and costs so many tokens a day, over restarts", async () => {
  const agents = {
    join_window_ms: 0,
    owners: ["alpha:owner"],
    binding: "perChannel",
    strangers: { messages_per_hour: 3, tokens_per_day: 1_000_000 },
  };
  await using system = await AgentsSystem.start({ agents }, {}, { CORTEX_TZ: zoneAtNoon() });
  const alpha = await system.channel("alpha");
  system.think("stranger", () => ({ text: "thought" }));
  const say = (n: number) => alpha.say(`stranger ${n}`, { userId: "17", id: `s-${n}` });
  for (const n of [1, 2]) await say(n);
  const agent = await system.agentOf({ type: "alpha", channelId: "room", userId: "17" });
  await system.turns(agent, 2);
  const { spent } = system.state(agent);
  expect(spent?.tokens).toBeGreaterThan(0);
  await system.killAgents();
  await say(2); // again: it counts once
  for (const n of [3, 4, 5, 6]) await say(n);
  await alpha.heard(/^I don't know you, and I read 3 messages an hour of each\. .* minutes\.$/);
  await alpha.say("stranger?", { id: "o-1" });
  await system.turns(await system.main("room"), 1);
  await system.until(() => system.state(agent).turn === null && system.askedOf("stranger 3").length > 0, "the third");
  expect(alpha.replies.filter(({ text }) => text.startsWith("I don't know you"))).toHaveLength(1);
  const said = system.history(agent).flatMap((record) => (record.type === "user" ? [record.text.slice(-10)] : []));
  expect(said).toEqual(["stranger 1", "stranger 2", "stranger 3"]);
  // What the day has left bounds the turn itself.
  const run = runFile(system.journal, system.state(agent).last_run ?? "");
  const [, limit] = /"max_total_tokens":(\d+)/.exec(readFileSync(run ?? "", "utf8")) ?? [];
  expect(Number(limit)).toBeLessThan(1_000_000);
  expect(Number(limit)).toBeGreaterThan(900_000);
});
