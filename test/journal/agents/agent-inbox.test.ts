import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { agentFolder, historyFile, inboxFile } from "../../../journal/agents/agent-files.ts";
import { AgentHistory } from "../../../journal/agents/agent-history.ts";
import { AgentInbox, waitingOf } from "../../../journal/agents/agent-inbox.ts";
import type { HistoryRecord, InboxItem } from "../../../protocol/agents/agent-files.ts";
import { temporaryJournal } from "../temporary-journal.ts";

const id = "tz4a98xxat96iws9zmbrgj3a";
const item = (name: string, text = name): InboxItem => ({ id: name, ts: 1, type: "user", text });

function openJournal() {
  const journal = temporaryJournal();
  mkdirSync(agentFolder(journal.path, id), { recursive: true });
  return journal;
}

test("an accepted item waits in its order until it is done, over every death of its writer", async () => {
  using journal = openJournal();
  {
    using inbox = new AgentInbox(journal.path, id);
    expect(await Promise.all(["a", "b", "c", "a"].map((name) => inbox.add(item(name))))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    await inbox.settleItems(["b", "unknown"]);
  }
  const whole = readFileSync(inboxFile(journal.path, id));
  for (let cut = whole.length; cut > 0; cut -= 7) {
    writeFileSync(inboxFile(journal.path, id), whole.subarray(0, cut));
    using inbox = new AgentInbox(journal.path, id);
    const names = inbox.waiting.map((one) => one.id).join("");
    expect(["", "a", "ab", "abc", "ac"]).toContain(names);
    await inbox.add(item("d"));
    using again = new AgentInbox(journal.path, id);
    expect(again.waiting.map((one) => one.id).join("")).toBe(`${names}d`);
  }
});

test("an item that is changed keeps its place, also for who reads the file; one that is done can't be", async () => {
  using journal = openJournal();
  {
    using inbox = new AgentInbox(journal.path, id);
    for (const name of ["a", "b", "c"]) await inbox.add(item(name));
    await inbox.settleItems(["c"]);
    expect(await inbox.change({ ...item("a"), mode: "steer" })).toBe(true);
    expect(await inbox.change({ ...item("c"), mode: "steer" })).toBe(false);
  }
  using again = new AgentInbox(journal.path, id);
  const modes = [again.waiting, waitingOf(journal.path, id)].map((all) =>
    all.map(({ id: name, mode }) => [name, mode]),
  );
  const expected = [
    ["a", "steer"],
    ["b", undefined],
  ];
  expect(modes).toEqual([expected, expected]);
});

test("the file stays small where something always waits", async () => {
  using journal = openJournal();
  using inbox = new AgentInbox(journal.path, id);
  await inbox.add(item("r0", "x".repeat(10_000)));
  for (let round = 1; round < 60; round++) {
    await inbox.add(item(`r${round}`, "x".repeat(10_000)));
    await inbox.settleItems([`r${round - 1}`]);
  }
  expect(statSync(inboxFile(journal.path, id)).size).toBeLessThan(300 * 1024);
  using again = new AgentInbox(journal.path, id);
  expect(again.waiting.map((one) => one.id)).toEqual(["r59"]);
  expect(await again.add(item("r3"))).toBe(false);
});

test("an item that is done isn't accepted again; the file stays small", async () => {
  using journal = openJournal();
  using inbox = new AgentInbox(journal.path, id);
  for (let round = 0; round < 40; round++) {
    await inbox.add(item(`r${round}`, "x".repeat(10_000)));
    const settled = inbox.settleItems([`r${round}`]);
    if (round === 30) await inbox.add(item("meanwhile"));
    await settled;
  }
  expect(await inbox.add(item("r3"))).toBe(false);
  await inbox.settleItems(["meanwhile"]);
  for (let round = 0; round < 40; round++) {
    await inbox.add(item(`s${round}`, "x".repeat(10_000)));
    await inbox.settleItems([`s${round}`]);
  }
  expect(statSync(inboxFile(journal.path, id)).size).toBeLessThan(300 * 1024);
  using again = new AgentInbox(journal.path, id);
  expect(again.waiting).toEqual([]);
  expect(await again.add(item("r3"))).toBe(false);
  expect(await again.add(item("meanwhile"))).toBe(false);
});

const user = (name: string, text = name): HistoryRecord => ({ type: "user", ts: 1, id: name, text });

test("a conversation begins at its last marker, however long the past is, and holds each record once", async () => {
  using journal = openJournal();
  {
    using history = new AgentHistory(journal.path, id);
    await history.append({ type: "start", ts: 1, id: "s" }, user("old"));
    for (let n = 0; n < 200; n++) await history.append(user(`long ${n}`, "é".repeat(5000)));
    await history.append({ type: "reset", ts: 2, id: "r" }, user("a"), user("a"));
    await history.append(user("b", "y".repeat(400_000)), user("c"));
    await history.append(user("c"));
  }
  appendFileSync(historyFile(journal.path, id), '{"type":"user","ts":3,"id":"torn');
  using history = new AgentHistory(journal.path, id);
  expect(history.records.map((record) => record.id)).toEqual(["r", "a", "b", "c"]);
  await history.append(user("d"));
  appendFileSync(historyFile(journal.path, id), '{"broken\n');
  using again = new AgentHistory(journal.path, id);
  expect(again.records.map((record) => record.id)).toEqual(["r", "a", "b", "c", "d"]);
});

test("an archive takes what was said, under a name of its own, and the history begins with the summary", async () => {
  using journal = openJournal();
  using history = new AgentHistory(journal.path, id);
  const now = new Date("2026-11-22T09:08:07.006Z");
  const compact = (round: string) => (archive: string) =>
    [{ type: "compact", ts: 1, id: round, archive, summary: `summary ${round}` }] as const;
  await history.append({ type: "start", ts: 1, id: "s" }, user("a"));
  await history.archive(compact("1"), now);
  await history.append(user("b"));
  await history.archive(compact("2"), now);
  expect(history.records).toEqual([
    { type: "compact", ts: 1, id: "2", archive: "2026-11-22-090807006-2.jsonl", summary: "summary 2" },
  ]);
  const archived = (n: number) =>
    readFileSync(`${agentFolder(journal.path, id)}/archive/2026-11-22-090807006-${n}.jsonl`, "utf8");
  expect(archived(1)).toMatch(/"id":"s".*\n.*"id":"a"/);
  expect(archived(2)).toMatch(/"id":"1".*\n.*"id":"b"/);
});

test("an edit of an item that waits counts at once, is taken once, and lasts over its writer's death", async () => {
  using journal = openJournal();
  {
    using inbox = new AgentInbox(journal.path, id);
    await inbox.add(item("a"));
    await inbox.add(item("b"));
    const [former] = inbox.waiting;
    const editing = inbox.edit({ ...item("a", "changed"), edited_by: ["e1"] });
    expect(inbox.waiting.map(({ text }) => text)).toEqual(["changed", "b"]);
    expect([former, ...inbox.waiting].map((one) => one && inbox.isCurrent(one))).toEqual([false, true, true]);
    await Promise.all([editing, inbox.editsLast()]);
    expect(await inbox.edit({ ...item("gone"), edited_by: ["e2"] })).toBe(false);
    expect([inbox.knows("e1"), inbox.knows("e2")]).toEqual([true, false]);
  }
  expect(waitingOf(journal.path, id).map(({ text }) => text)).toEqual(["changed", "b"]);
  using again = new AgentInbox(journal.path, id);
  expect([again.waiting.map(({ text }) => text), again.knows("e1")]).toEqual([["changed", "b"], true]);
  await again.settleItems(["a"]);
  await again.renew();
  using renewed = new AgentInbox(journal.path, id);
  expect([renewed.isWaiting("a"), renewed.knows("e1")]).toEqual([false, true]);
});
