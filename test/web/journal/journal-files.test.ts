/** The journal's files as the page reads and changes them, over HTTP, while nothing else runs. */
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeWorktree } from "../../../cortex/worktrees/make-worktree.ts";
import { takeChanges } from "../../../cortex/worktrees/take-changes.ts";
import { logFile } from "../../../journal/logs/program-logs.ts";
import { EventReader } from "../../channels/sse.ts";
import { makeRepository, putFiles } from "../../support/git-repository.ts";
import { ownerToken } from "../api/api-system.ts";
import { patienceMs } from "../../support/patience.ts";
import { askUntil } from "../../support/ask-until.ts";
import { ExampleApi } from "./example-journal.ts";

let system: ExampleApi;
beforeAll(async () => {
  system = await ExampleApi.start();
});
afterAll(async () => {
  expect(system.api.errors).toEqual([]);
  await system[Symbol.asyncDispose]();
});

const failure = (status: number, code: string, message: RegExp | string) => ({
  status,
  body: { error: expect.objectContaining({ code, message: expect.stringMatching(message) }) },
});

describe("the schedule", () => {
  test("is set in words, paused, listed with what it means, and shown in its month", async () => {
    const set = await system.call("PATCH", "/schedules/reviewer", { words: "every weekday at 7" });
    const expected = { persona: "reviewer", schedule: "0 7 * * 1-5", words: "Every weekday at 07:00" };
    expect(set).toMatchObject({ status: 200, body: { ...expected, on: true } });
    const listed = () => system.get<{ time_zone: string; items: Record<string, unknown>[] }>("/schedules");
    expect((await listed()).items).toContainEqual(
      expect.objectContaining({ ...expected, on: true, missed: null, last: null, next: expect.any(String) }),
    );
    const month = await system.get<{ days: { day: string; cells: { persona: string }[] }[] }>(
      "/schedule/month?month=209901",
    );
    const days = month.days.filter(({ cells }) => cells.some(({ persona }) => persona === "reviewer"));
    expect(days).toHaveLength(22);
    expect(await system.call("PATCH", "/schedules/reviewer", { on: false })).toMatchObject({ body: { on: false } });
    expect((await listed()).items).toContainEqual(expect.objectContaining({ ...expected, on: false, next: null }));
    expect(await system.call("PATCH", "/schedules/reviewer", { words: null })).toMatchObject({
      body: { schedule: null, words: null, on: false },
    });
  });

  test("words are explained, or refused with what isn't understood", async () => {
    const words = encodeURIComponent("mondays at 18:30");
    expect(await system.get(`/schedule/explained?words=${words}`)).toMatchObject({ schedule: "30 18 * * 1" });
    const wrong = encodeURIComponent("<img src=x onerror=alert(1)>");
    expect(await system.call("GET", `/schedule/explained?words=${wrong}`)).toMatchObject(
      failure(400, "invalid", "isn't understood"),
    );
  });

  test.each([
    ["PATCH", "/schedules/nobody", { words: "every day at 7" }, 400, "no persona"],
    ["PATCH", "/schedules/reviewer", { words: "every day at 25" }, 400, "not a time of day"],
    ["PATCH", "/schedules/..%2f..%2fx", { on: true }, 404, "nothing of this name"],
    ["POST", "/schedules/nobody/runs", {}, 400, "no persona"],
    ["POST", "/schedules/daily-digest/runs", { day: "20250230" }, 400, "a date"],
    ["POST", "/schedules/daily-digest/runs", { day: "20990101" }, 400, "hasn't come"],
    ["POST", "/schedules/daily-digest/runs", { day: "20250108" }, 503, "bus is away"],
    ["GET", "/schedule/history", undefined, 503, "bus is away"],
    ["GET", "/schedule/month?month=209913", undefined, 400, "not a month"],
  ])("%s %s %j is refused with %i: %s", async (method, path, body, status, message) => {
    expect(await system.call(method, path, body)).toMatchObject({
      status,
      body: { error: { message: expect.stringContaining(message) } },
    });
  });
});

describe("a persona", () => {
  type Got = { version: string; instruction: string; settings: object };
  test("is made, read, changed by who has read it, and compared with what it was", async () => {
    const made = await system.call("POST", "/personas", {
      name: "cook",
      instruction: "You cook.",
      settings: { title: "Cook", tools: "journal" },
    });
    expect(made.status).toBe(201);
    const { version } = made.body as Got;
    const instruction = 'You bake. <script>alert("x")</script> \u202Eabc';
    const put = await system.call("PATCH", "/personas/cook", { version, instruction });
    expect(put).toMatchObject({ status: 200, body: { source: "journal", problem: null, can_be_changed: true } });
    expect(await system.call("PATCH", "/personas/cook", { version, instruction: "x" })).toMatchObject(
      failure(409, "conflict", "changed since"),
    );
    expect(await system.call("POST", "/personas", { name: "cook", instruction: "x" })).toMatchObject({ status: 409 });
    expect(system.read("personas/cook.txt")).toBe(`${instruction}\n`);
    const { items } = await system.get<{ items: { version: string; at: string }[] }>("/personas/cook/versions");
    expect(items.map((one) => one.version)).toEqual([(put.body as Got).version, version]);
    expect(await system.get(`/personas/cook/diff?from=${version}`)).toMatchObject({
      from: { instruction: "You cook.\n" },
      to: { instruction: `${instruction}\n`, settings_text: expect.stringContaining("Cook") },
    });
    expect(await system.get("/personas/cook/prompt")).toMatchObject({
      instruction,
      tools: expect.arrayContaining(["search_journal"]),
      companion: null,
    });
    expect((await system.get<{ items: object[] }>("/personas")).items).toContainEqual(
      expect.objectContaining({ name: "cook", title: "Cook", source: "journal" }),
    );
  });

  test("that can't be used is listed with the reason, and can be put right", async () => {
    mkdirSync(join(system.journal, "personas"), { recursive: true });
    writeFileSync(join(system.journal, "personas/torn.txt"), "You are torn.\n");
    writeFileSync(join(system.journal, "personas/torn.json"), '{"title": ');
    expect((await system.get<{ items: object[] }>("/personas")).items).toContainEqual(
      expect.objectContaining({ name: "torn", problem: expect.stringContaining("not JSON") }),
    );
    const torn = await system.get<Got>("/personas/torn");
    expect(torn).toMatchObject({ settings: null, settings_text: '{"title": ', problem: expect.any(String) });
    const put = await system.call("PATCH", "/personas/torn", { version: torn.version, settings: { title: "Torn" } });
    expect(put).toMatchObject({ status: 200, body: { problem: null, settings: { title: "Torn" } } });
  });

  test.each([
    ["GET", "/personas/nobody", undefined, 404],
    ["GET", "/personas/..%2Fcortex", undefined, 404],
    ["GET", "/personas/reviewer/diff?from=0123456789abcdef", undefined, 404],
    ["POST", "/personas", { name: "../x", instruction: "x" }, 400],
    ["POST", "/personas", { name: "y", instruction: "x", settings: { schedule: "sometimes" } }, 400],
    ["POST", "/personas/reviewer/try", { prompt: "hello" }, 503],
  ])("%s %s %j: %i", async (method, path, body, status) => {
    expect((await system.call(method, path, body)).status).toBe(status);
  });
});

describe("the settings", () => {
  test("are replaced by who has read them, and refused where they couldn't be used", async () => {
    type Got = { revision: string; settings: Record<string, unknown> };
    const { revision, settings } = await system.get<Got>("/settings");
    const wrong = await system.call("PATCH", "/settings", { revision, settings: { ...settings, max_concurent: 2 } });
    expect(wrong).toMatchObject(failure(400, "invalid", "max_concurent"));
    const put = await system.call("PATCH", "/settings", { revision, settings: { ...settings, max_concurrent: 2 } });
    expect(put).toMatchObject({ status: 200, body: { settings: { max_concurrent: 2 }, problems: [] } });
    expect(await system.call("PATCH", "/settings", { revision, settings })).toMatchObject(
      failure(409, "conflict", "changed since"),
    );
    expect(JSON.parse(system.read("cortex.json"))).toMatchObject({ max_concurrent: 2 });
    expect(await system.get("/settings/schema")).toMatchObject({ schema: { properties: { max_concurrent: {} } } });
  });
});

describe("the logs", () => {
  const line = (level: number, msg: string, more: object = {}) =>
    `${JSON.stringify({ level, time: Date.now(), name: "cortex", msg, ...more })}\n`;

  test("are read by program and level, hostile lines as text, and followed", async () => {
    const file = logFile(system.journal, "cortex");
    mkdirSync(join(file, ".."), { recursive: true });
    const long = "x".repeat(1024 * 1024);
    writeFileSync(file, `${line(30, "ready")}${line(50, "\u001b[31mred <b>", { err: long })}not JSON <script>\n`);
    type Lines = { items: { level: string | null; text: string; fields: { err?: string } }[] };
    const { items } = await system.get<Lines>("/logs?program=cortex");
    expect(items.map(({ level, text }) => [level, text])).toEqual([
      ["info", "ready"],
      ["error", "\u001b[31mred <b>"],
      [null, "not JSON <script>"],
    ]);
    expect(items[1]).toMatchObject({ cut: true, fields: { err: expect.stringMatching(/^x{4000}…$/) } });
    expect((await system.get<Lines>("/logs?level=warn")).items).toHaveLength(1);
    expect((await system.call("GET", "/logs?program=../../x")).status).toBe(400);
    await using reader = await EventReader.open(`${system.api.url}/api/v1/logs/live?level=error`, ownerToken, {});
    await askUntil(
      () => {
        writeFileSync(file, line(50, "worse"), { flag: "a" });
        return reader.events.length > 0;
      },
      () => "the line",
      patienceMs,
    );
    expect(JSON.parse(reader.events[0]?.data ?? "{}")).toMatchObject({ level: "error", text: "worse" });
  });
});

describe("changes", () => {
  const [first, second] = ["1736380800000", "1736380900001"];
  let repository: string;
  beforeAll(async () => {
    const base = realpathSync(system.journal);
    repository = join(base, "..", `app-${Date.now()}`);
    makeRepository(repository, { "a.txt": "one\n" });
    for (const id of [first, second]) {
      const files = await makeWorktree(base, { id, agentId: id, folder: repository, folders: [repository] });
      putFiles(files, { "a.txt": `<b>by</b> ${id}\n` });
      await takeChanges(base, id, id);
    }
  });

  test("are listed, shown with their patch, applied, refused after a change, and dropped", async () => {
    const { items } = await system.get<{ items: object[] }>("/changes?state=open");
    expect(items).toMatchObject([{ id: second }, { id: first, companion: null, files: [{ path: "a.txt", added: 1 }] }]);
    expect(await system.get(`/changes/${first}`)).toMatchObject({
      patch: expect.stringContaining(`+<b>by</b> ${first}`),
      cut: false,
      change: { state: "open", folder: repository },
    });
    expect(await system.call("POST", `/changes/${first}/apply`)).toMatchObject({
      status: 200,
      body: { state: "applied" },
    });
    expect(readFileSync(join(repository, "a.txt"), "utf8")).toBe(`<b>by</b> ${first}\n`);
    expect(await system.call("POST", `/changes/${second}/apply`)).toMatchObject(
      failure(409, "conflict", "a.txt .it was changed meanwhile"),
    );
    expect(await system.call("POST", `/changes/${second}/drop`)).toMatchObject({ body: { state: "dropped" } });
    expect(await system.get(`/changes/${second}`)).toMatchObject({ patch: null });
    expect(await system.call("POST", `/changes/${second}/drop`)).toMatchObject({ status: 409 });
  });

  test.each([
    ["POST", `/changes/${first}/comments`, { text: "x", path: "../../etc/passwd" }, 400],
    ["POST", `/changes/${first}/comments`, { text: "x" }, 503],
    ["GET", "/changes/1736380999999", undefined, 404],
    ["GET", "/changes/..%2F..%2Fcortex", undefined, 404],
  ])("%s %s %j: %i", async (method, path, body, status) => {
    expect((await system.call(method, path, body)).status).toBe(status);
  });

  test("a patch that is a link isn't read", async () => {
    const id = "1736380700000";
    const base = realpathSync(system.journal);
    const files = await makeWorktree(base, { id, agentId: id, folder: repository, folders: [repository] });
    putFiles(files, { "b.txt": "new\n" });
    await takeChanges(base, id, id);
    const patch = join(base, "worktrees", id, "changes.patch");
    rmSync(patch);
    symlinkSync(join(base, "cortex.json"), patch);
    expect(existsSync(patch)).toBe(true);
    expect(await system.get(`/changes/${id}`)).toMatchObject({ patch: null });
    rmSync(repository, { recursive: true });
  });
});
