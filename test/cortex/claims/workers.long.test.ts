/** More than one worker on a bus: each request is one's, and what a lost one had goes on elsewhere, once. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readLiveStatus } from "../../../journal/programs/live-status.ts";
import { runtime } from "../../../journal/config/paths.ts";
import { isTerminal } from "../../../protocol/runs/event.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { Worker } from "../../support/workers/worker.ts";

// Long enough for a worker that is only slow: one that is taken for lost costs an attempt.
const settings = { ...fixtureAgents("scripted", "forever"), lease_seconds: 10 };
// Who is lost is missed for as long as its runs may live without it.
const brief = { ...settings, lease_seconds: 2, orphan_grace_seconds: 1 };
const finish = { ev: { event: "finish", result: "done" } };
const say = (text: string) => ({ ev: { event: "text", text } });

test.concurrent("sixty requests, two workers: each becomes one run, and both have some", async () => {
  await using system = await CortexSystem.start({ settings: { ...settings, max_concurrent: 2 } });
  await using worker = await Worker.start(system, { ...settings, max_concurrent: 2 });
  const births = join(system.journal, "births");
  const go = join(system.journal, "go");
  const ids = Array.from({ length: 60 }, () => system.steps([{ touch: births }, { await: go }, finish]));
  // Whoever is quicker has only two places.
  const born = () => (existsSync(births) ? readFileSync(births, "utf8").trim().split("\n") : []);
  await system.until(() => born().length === 4, "both are at work");
  writeFileSync(go, "");
  const ends = () => system.events.filter(isTerminal);
  await system.until(() => ends().length >= ids.length, "all have ended");
  expect(
    ends()
      .map(({ agent_id }) => agent_id)
      .toSorted(),
  ).toEqual(ids);
  for (const id of ids) await system.closed(id); // also what runs elsewhere, here
  expect(ends().every(({ event }) => event === "finish")).toBe(true);
  expect(born()).toHaveLength(ids.length);
  const here = ids.filter((id) => worker.file(id).length === 0); // what runs elsewhere is copied to the first
  const there = ids.filter((id) => worker.file(id).length > 0);
  expect(here.length).toBeGreaterThanOrEqual(2);
  expect(there.length).toBeGreaterThanOrEqual(2);
  expect([...here, ...there].toSorted()).toEqual(ids);
});

test.concurrent("a run of a worker that is lost goes on as the next attempt of another, in a file that begins alike", async () => {
  await using system = await CortexSystem.start({ settings: { ...brief, labels: ["here"] } });
  await using worker = await Worker.start(system, { ...brief, labels: ["here", "there"] });
  const go = join(system.journal, "go");
  const id = system.steps([say("one"), { await: go }, finish], { labels: ["there"], handoff: { prompt: "child" } });
  await system.heard(id, "text");
  writeFileSync(join(system.journal, "cortex.json"), JSON.stringify({ ...brief, labels: ["here", "there"] }));
  await system.until(() => system.log.includes("was read again"), "the settings are read");
  const before = worker.file(id);
  await worker.end("SIGKILL");
  await system.until(() => system.file(id).some(({ attempt }) => attempt === 2), "the second attempt");
  writeFileSync(go, "");
  const file = await system.settled(id);
  expect(file.slice(0, before.length)).toEqual(before);
  expect(file.filter(({ event }) => event === "start").map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(file.filter(isTerminal)).toMatchObject([{ event: "finish" }]);
  expect(file.map(({ seq }) => seq)).toEqual(file.map((_, index) => index + 1));
  expect(await system.stored(id)).toEqual(file);
  const child = String(file.at(-1)?.["to"]);
  expect((await system.settled(child)).at(-1)).toMatchObject({ event: "finish" });
});

test.concurrent("a worker that was cut off finds its run taken over: its process is killed, its words are dropped", async () => {
  await using system = await CortexSystem.start({ settings: brief });
  await using worker = await Worker.start(system, { ...brief, labels: ["there"] });
  const [go, old] = [join(system.journal, "go"), join(system.journal, "old")];
  // Heartbeats of its own are no sign to others: the run lives on beside its worker, which is only stopped.
  const id = system.steps([say("one"), { await: go }, say("two"), { touch: old }, finish], { labels: ["there"] });
  await system.heard(id, "text");
  writeFileSync(join(system.journal, "cortex.json"), JSON.stringify({ ...brief, labels: ["there"] }));
  worker.signal("SIGSTOP");
  await system.until(() => system.file(id).some(({ attempt }) => attempt === 2), "the second attempt");
  worker.signal("SIGCONT");
  await system.until(() => worker.log.includes("quarantined"), "the first worker knows");
  writeFileSync(go, "");
  const file = await system.settled(id);
  expect(file.filter(({ event }) => event === "start").map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(file.filter(isTerminal)).toHaveLength(1);
  // What it had put on its way before it knew is taken out again.
  await system.until(async () => (await system.stored(id)).length === file.length, "no more is in the stream");
  expect(await system.stored(id)).toEqual(file);
  await system.until(() => !existsSync(runtime(worker.journal, "runs", id)), "nothing of it is left there");
  expect(worker.files).toEqual([]);
  expect(readdirSync(runtime(worker.journal, "fenced"))).toHaveLength(1);
  expect(readdirSync(runtime(worker.journal, "tokens"))).toEqual([]);
});

test.concurrent("a request waits for a worker that has its labels, and can be cancelled meanwhile", async () => {
  await using system = await CortexSystem.start({ settings });
  const one = system.steps([finish], { labels: ["gpu"] });
  const two = system.steps([finish], { labels: ["gpu"] });
  const behind = system.nextId();
  await system.answerTo({ ts: Number(behind), prompt: "no labels" });
  expect(system.file(one)).toEqual([]);
  await system.settled(behind);
  const waiting = () => readLiveStatus(system.journal)?.waiting.map(({ agent_id }) => agent_id);
  await system.until(() => waiting()?.length === 2, "both stand in the status");
  expect(waiting()).toEqual([one, two]);
  system.cancel(one);
  expect(await system.settled(one)).toMatchObject([{ event: "request" }, { event: "error", reason: "cancelled" }]);
  await using worker = await Worker.start(system, { ...settings, labels: ["gpu", "big"] });
  await system.heard(two, "finish");
  expect(worker.file(two).at(-1)).toMatchObject({ event: "finish" });
  await system.until(() => waiting()?.length === 0, "nobody waits");
  await system.closed(two); // its copy here, too
});

test.concurrent("a request that another worker took first doesn't wait here", async () => {
  await using system = await CortexSystem.start({ settings });
  await using worker = await Worker.start(system, { ...settings, labels: ["gpu"] });
  const go = join(system.journal, "go");
  system.signal("SIGSTOP");
  const taken = system.steps([say("here"), { await: go }, finish], { labels: ["gpu"] });
  await system.until(() => worker.file(taken).some(({ event }) => event === "text"), "the other runs it");
  system.signal("SIGCONT");
  const waiting = system.steps([finish], { labels: ["nobody"] });
  const listed = () => readLiveStatus(system.journal)?.waiting.map(({ agent_id }) => agent_id) ?? [];
  // Learned of one after the other.
  await system.until(() => listed().includes(waiting), "the second is listed");
  expect(listed()).toEqual([waiting]);
  writeFileSync(go, "");
  await system.settled(taken);
  system.cancel(waiting);
  expect((await system.settled(waiting)).at(-1)).toMatchObject({ event: "error", reason: "cancelled" });
});

test.concurrent("never more at once than all workers together may", async () => {
  const limited = { ...settings, max_concurrent: 4, max_concurrent_total: 3 };
  await using system = await CortexSystem.start({ settings: limited });
  await using _worker = await Worker.start(system, limited);
  const go = join(system.journal, "go");
  const ids = Array.from({ length: 24 }, () => system.steps([say("here"), { await: go }, finish]));
  await system.until(() => system.events.filter(({ event }) => event === "text").length >= 3, "three run");
  writeFileSync(go, "");
  await system.until(() => system.events.filter(isTerminal).length >= ids.length, "all have ended");
  let now = 0;
  let most = 0;
  const changes = system.events
    .filter((event) => event.event === "start" || isTerminal(event))
    .map((event) => ({ ts: event.ts, change: isTerminal(event) ? -1 : 1 }))
    .toSorted((a, b) => a.ts - b.ts || a.change - b.change);
  for (const { change } of changes) most = Math.max(most, (now += change));
  expect(most).toBe(3);
  for (const id of ids) await system.closed(id); // also what ran elsewhere, here
});

test.concurrent("a request whose labels a worker gets later runs there then", async () => {
  await using system = await CortexSystem.start({ settings });
  const id = system.steps([finish], { labels: ["gpu"] });
  const behind = system.nextId();
  await system.answerTo({ ts: Number(behind), prompt: "no labels" });
  expect(system.file(id)).toEqual([]);
  await system.settled(behind);
  writeFileSync(join(system.journal, "cortex.json"), JSON.stringify({ ...settings, labels: ["gpu"] }));
  expect((await system.settled(id)).at(-1)).toMatchObject({ event: "finish" });
});

test.concurrent("alone on a bus that isn't its own, a worker says of a run that isn't there that it can't be continued", async () => {
  await using system = await CortexSystem.start({ settings });
  await using worker = await Worker.start(system, settings);
  await system.stopCortex();
  for (const source of ["1736380800000", "../evil"]) {
    const id = system.request({ prompt: "go on", backend: "scripted", continue_from: source });
    await system.heard(id, "error");
    expect(worker.file(id).at(-1)).toMatchObject({ reason: "config", error: expect.stringContaining("not found") });
  }
});
