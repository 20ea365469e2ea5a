/** Days, facets, results, memory, skills and the files of long-lived agents over HTTP, while nothing else runs. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeDescriptor } from "../../../journal/agents/agent-files.ts";
import { saveResult } from "../../../journal/saves/saved-results.ts";
import { matchesIn } from "../../../web/journal/tools/search.ts";
import { ExampleApi } from "./example-journal.ts";

let system: ExampleApi;
beforeAll(async () => {
  system = await ExampleApi.start();
});
afterAll(async () => {
  expect(system.api.errors).toEqual([]);
  await system[Symbol.asyncDispose]();
});

const entry = (path: string) => `/journal/entry?path=${encodeURIComponent(path)}`;
const status = async (path: string) => (await system.call("GET", path)).status;

describe("the journal", () => {
  test("is told by days, page by page, and by facets", async () => {
    type Days = { items: { day: string }[]; next: string | null };
    const first = await system.get<Days>("/journal/days?limit=5");
    expect(first.items.map(({ day }) => day)).toEqual(["20250119", "20250118", "20250117", "20250116", "20250115"]);
    const second = await system.get<Days>(`/journal/days?limit=100&cursor=${first.next}`);
    expect([second.items[0]?.day, second.items.at(-1)?.day, second.next]).toEqual(["20250114", "20250106", null]);
    expect(await system.get("/journal/days/20250109")).toMatchObject({
      files: [{ path: "20250109/notes.md" }],
      events: expect.arrayContaining([expect.objectContaining({ facet: "garden", occurred: expect.any(Boolean) })]),
    });
    expect((await system.get<{ items: { name: string }[] }>("/journal/facets")).items.map(({ name }) => name)).toEqual([
      "garden",
      "harbor",
      "music",
    ]);
    expect(await system.get("/journal/facets/garden")).toMatchObject({
      todos: ["facets/garden/todos/20250118.md", "facets/garden/todos/20250111.md"],
    });
  });

  test("has the results that runs have saved, each with its run as long as nobody changed it", async () => {
    const run = "1736380800000";
    const path = await saveResult(system.journal, "20250109", "digest.md", "# <b>Digest</b>", "fail", run);
    expect(await system.get("/journal/reports")).toMatchObject({ items: [{ path, day: "20250109", run }] });
    expect(await system.get(entry(path))).toMatchObject({
      text: "# <b>Digest</b>\n",
      cut: false,
      day: "20250109",
      run,
    });
    await saveResult(system.journal, "20250109", "digest.md", "# <b>Digest</b>", "fail", "1736380900001");
    expect(await system.get(entry(path))).toMatchObject({ run: "1736380900001" });
    writeFileSync(join(system.journal, path), "mine");
    expect(await system.get(entry(path))).toMatchObject({ text: "mine", run: null });
    expect(await system.get(entry("20250109/notes.md"))).toMatchObject({ run: null });
  });

  test("shows long, binary and hostile files within bounds, and nothing outside of days and facets", async () => {
    const folder = join(system.journal, "20250109");
    writeFileSync(join(folder, "long.md"), "x".repeat(3 * 1024 * 1024));
    writeFileSync(join(folder, "bytes.md"), Buffer.from([1, 0, 2]));
    writeFileSync(join(folder, "half.md"), Buffer.from([0xff, 0xfe, 0x41]));
    expect(await system.get(entry("20250109/long.md"))).toMatchObject({ bytes: 3 * 1024 * 1024, cut: true });
    expect(await system.get(entry("20250109/bytes.md"))).toMatchObject({ text: null });
    expect(await system.get(entry("20250109/half.md"))).toMatchObject({ text: "\uFFFD\uFFFDA" });
    const outside = mkdtempSync(join(tmpdir(), "outside-"));
    writeFileSync(join(outside, "secret.md"), "secret");
    symlinkSync(join(outside, "secret.md"), join(folder, "link.md"));
    symlinkSync(join(system.journal, "cortex.json"), join(folder, "settings.md"));
    const paths = ["link.md", "settings.md", "../cortex.json", "../.run/endpoints.json", "none.md", ""];
    for (const path of paths) expect([path, await status(entry(`20250109/${path}`))]).toEqual([path, 404]);
    for (const path of ["/etc/passwd", "cortex.json", "../x.md", "20250109\\notes.md"])
      expect([path, await status(entry(path))]).toEqual([path, 404]);
    for (const path of ["/journal/days/20250230", "/journal/facets/..", "/journal/facets/nothing"])
      expect([path, await status(path)]).toEqual([path, 404]);
    rmSync(outside, { recursive: true });
  });

  test("can't be searched while the tools are away", async () => {
    expect(await status("/journal/search?text=heater")).toBe(503);
    expect(await status("/tools")).toBe(503);
    expect((await system.call("POST", "/tools/call", { name: "search_journal" })).status).toBe(503);
  });
});

test("words of a query are marked in a snippet, also within longer ones", () => {
  const snippet = "The heaters: heat, <b>HEATER</b> and a he.";
  const marked = matchesIn(snippet, "heater he").map(([from, to]) => snippet.slice(from, to));
  expect(marked).toEqual(["heaters", "HEATER", "he"]);
});

describe("the memory", () => {
  test("is listed, read and written by who has read it", async () => {
    const path = "people/anna.md";
    const text = "# Anna\n\n> Summary: <i>likes</i> beans\n";
    const made = await system.call("PATCH", "/memory/file", { path, text, version: null });
    expect(made).toMatchObject({ status: 200, body: { path, text } });
    expect(await system.get("/memory")).toMatchObject({ items: [{ path, summary: "<i>likes</i> beans" }] });
    const again = await system.call("PATCH", "/memory/file", { path, text: "x", version: null });
    expect(again.status).toBe(409);
    const { version } = made.body as { version: string };
    expect(await system.call("PATCH", "/memory/file", { path, text: "# Anna\n", version })).toMatchObject({
      status: 200,
    });
    expect(await system.get(`/memory/file?path=${encodeURIComponent(path)}`)).toMatchObject({ text: "# Anna\n" });
    for (const wrong of ["../x.md", ".hidden.md", "a.txt", "/etc/x.md"])
      expect((await system.call("PATCH", "/memory/file", { path: wrong, text: "x", version: null })).status).toBe(400);
    expect(await status("/memory/file?path=none.md")).toBe(404);
  });
});

describe("a skill", () => {
  const text = "---\nname: bake\ndescription: How to bake.\n---\nBake.\n";
  test("is listed, made, and written by who has read it", async () => {
    expect((await system.get<{ items: object[] }>("/skills")).items).toContainEqual(
      expect.objectContaining({ name: "code-review", source: "package", for_models: true }),
    );
    const made = await system.call("PATCH", "/skills/bake", { text, version: null });
    expect(made).toMatchObject({ status: 200, body: { name: "bake", source: "journal", text } });
    expect((await system.call("PATCH", "/skills/bake", { text, version: null })).status).toBe(409);
    const { version } = await system.get<{ version: string }>("/skills/code-review");
    const own = "---\ndescription: Mine.\n---\nReview.\n";
    expect(await system.call("PATCH", "/skills/code-review", { text: own, version })).toMatchObject({
      body: { source: "journal", text: own },
    });
    expect(system.read("skills/code-review/SKILL.md")).toBe(own);
  });

  test.each([
    ["/skills/bake", { text: "no head", version: null }, 400],
    ["/skills/bake", { text: "---\nname: other\ndescription: x\n---\n", version: null }, 400],
    ["/skills/..%2F..%2Fx", { text, version: null }, 404],
  ])("PATCH %s %j: %i", async (path, body, expected) => {
    expect((await system.call("PATCH", path, body)).status).toBe(expected);
  });

  test("whose folder leads out of the journal is neither read nor written", async () => {
    const outside = mkdtempSync(join(tmpdir(), "outside-"));
    writeFileSync(join(outside, "SKILL.md"), text);
    symlinkSync(outside, join(system.journal, "skills/linked"));
    expect(await status("/skills/linked")).toBe(400);
    expect((await system.call("PATCH", "/skills/linked", { text, version: null })).status).toBe(400);
    rmSync(outside, { recursive: true });
  });
});

describe("a long-lived agent", () => {
  const id = "tz4a98xxat96iws9zmbrgj3a";
  beforeAll(async () => {
    await writeDescriptor(system.journal, { id, kind: "main", created: 1 });
    const folder = join(system.journal, "agents", id);
    const said = Array.from({ length: 10 }, (_, n) =>
      JSON.stringify({ type: "user", ts: n, id: `m${n}`, text: `say ${n}` }),
    );
    writeFileSync(join(folder, "history.jsonl"), `${said.join("\n")}\nnot JSON\n{"type":"user","ts":11,"id":"torn`);
    mkdirSync(join(folder, "archive"));
    const long = JSON.stringify({ type: "user", ts: 1, id: "long", text: "x".repeat(100_000) });
    writeFileSync(join(folder, "archive/2025-01-09-104500123-1.jsonl"), `${long}\n`);
    const item = (name: string) => JSON.stringify({ id: name, ts: 1, type: "user", text: `<b>${name}</b>` });
    writeFileSync(join(folder, "inbox.jsonl"), `${item("a")}\n${item("b")}\n{"done":["a"]}\nbroken\n`);
  });

  test("has its history page by page from the end, and what was put away", async () => {
    type Page = { items: { id: string; text: string }[]; next: number | null };
    const page = await system.get<Page>(`/companions/${id}/history?limit=4`);
    expect(page.items.map((one) => one.id)).toEqual(["m6", "m7", "m8", "m9"]);
    const before = await system.get<Page>(`/companions/${id}/history?limit=10&cursor=${page.next}`);
    expect(before.items.map((one) => one.id)).toEqual(["m0", "m1", "m2", "m3", "m4", "m5"]);
    expect(before.next).toBe(null);
    const { items } = await system.get<{ items: { id: string | null }[] }>(`/companions/${id}/conversations`);
    expect(items).toEqual([
      { id: null, ended_at: null },
      { id: "2025-01-09-104500123-1.jsonl", ended_at: "2025-01-09T10:45:00.123Z" },
    ]);
    const away = await system.get<Page>(`/companions/${id}/history?conversation=${items[1]?.id}`);
    expect(away.items[0]?.text).toMatch(/^x{16000}…$/);
  });

  test("has what waits, and refuses what isn't there", async () => {
    expect(await system.get(`/companions/${id}/queue`)).toMatchObject({
      items: [{ id: "b", text: "<b>b</b>", mode: null }],
    });
    const wrong = encodeURIComponent("../../../cortex.json");
    expect(await status(`/companions/${id}/history?conversation=${wrong}`)).toBe(404);
    expect(await status("/companions/..%2F..%2Fx/history")).toBe(404);
    expect(await status("/companions/aaaaaaaaaaaaaaaaaaaaaaaa/queue")).toBe(404);
    expect(await status("/companions")).toBe(503);
    expect((await system.call("POST", `/companions/${id}/messages`, { text: "hello" })).status).toBe(503);
  });
});
