/** The journal's API of a whole `cortex up` on the example journal: what its programs do for it. */
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeWorktree } from "../../../cortex/worktrees/make-worktree.ts";
import { takeChanges } from "../../../cortex/worktrees/take-changes.ts";
import { readEndpoints } from "../../../journal/access/endpoints.ts";
import { AgentsSystem } from "../../agents/agents-system.ts";
import { makeRepository, putFiles } from "../../support/git-repository.ts";
import { runCortexJson } from "../../scripts/run-command.ts";
import { WebCaller } from "../web-caller.ts";
import { exampleJournal } from "./example-journal.ts";

let system: AgentsSystem;
let web: WebCaller;
beforeAll(async () => {
  const files = Object.fromEntries(
    readdirSync(exampleJournal, { recursive: true, encoding: "utf8" })
      .filter((path) => /\.(?:md|txt|json|jsonl)$/.test(path) && path !== "cortex.json")
      .map((path) => [path, readFileSync(join(exampleJournal, path), "utf8")]),
  );
  system = await AgentsSystem.start({ channels: { web: {} }, agents: { join_window_ms: 0 } }, files);
  web = new WebCaller(system.up.path, readEndpoints(system.up.path)?.web_token ?? "");
});
afterAll(() => system[Symbol.asyncDispose]());

const get = <T>(path: string) => web.call<T>("GET", path);
const post = <T>(path: string, body?: unknown) => web.call<T>("POST", path, body);
const ended = (run: string) => system.up.until(() => system.up.hasEnded(run), `the end of ${run}`);

test("a search finds passages with their words marked, and a tool is called by its name", async () => {
  type Hits = { items: { path: string; snippet: string; matches: [number, number][] }[] };
  const { items } = await get<Hits>("/journal/search?text=greenhouse%20heater&limit=5");
  const [best] = items;
  const marked = (best?.matches ?? []).map(([from, to]) => best?.snippet.slice(from, to).toLowerCase());
  expect(marked).toEqual(expect.arrayContaining(["heater"]));
  const { items: tools } = await get<{ items: { name: string; pack: string }[] }>("/tools");
  expect(tools).toContainEqual(
    expect.objectContaining({ name: "search_journal", pack: "journal", reads_only: true, schema: expect.any(Object) }),
  );
  const called = await post("/tools/call", { name: "get_events", arguments: { day: "20250109" } });
  expect(called).toMatchObject({
    is_error: false,
    text: expect.stringContaining("facets/garden/events/20250109.jsonl"),
  });
  expect(await post("/tools/call", { name: "get_events", arguments: { day: "x" } })).toMatchObject({ is_error: true });
  expect(await post("/tools/call", { name: "no_such_tool" })).toMatchObject({ is_error: true });
});

test("a scheduled persona runs now, its result leads to its run, and what was done isn't done twice", async () => {
  system.think("for the day 20250109", () => ({ text: "# Words of the day" }));
  await post("/personas", {
    name: "wordsmith",
    instruction: "You write weekly words.",
    settings: { schedule: "daily", save: "words.md" },
  });
  const started = await post<{ run: string; day: string }>("/schedules/wordsmith/runs", { day: "20250109" });
  await ended(started.run);
  await system.up.until(() => existsSync(join(system.up.path, "20250109/words.md")), "it is saved");
  const entry = "/journal/entry?path=20250109%2Fwords.md";
  const patience = { timeout: 60_000 };
  await expect.poll(() => get(entry), patience).toMatchObject({ text: "# Words of the day\n", run: started.run });
  expect(await get("/journal/reports")).toMatchObject({ items: [{ path: "20250109/words.md", run: started.run }] });
  await expect(post("/schedules/wordsmith/runs", { day: "20250109" })).rejects.toThrow(/409 .*it was done before/);
  await expect
    .poll(() => get("/schedule/history?persona=wordsmith"), patience)
    .toMatchObject({
      items: [{ day: "20250109", state: "done", agent_id: started.run }],
    });
  expect(await get("/schedule/month?month=202501")).toMatchObject({
    days: expect.arrayContaining([
      { day: "20250109", cells: [expect.objectContaining({ persona: "wordsmith", done: 1 })] },
    ]),
  });
  const again = await post<{ run: string }>("/schedules/wordsmith/runs", { day: "20250109", force: true });
  expect(Number(again.run)).toBeGreaterThan(Number(started.run));
  await ended(again.run);
  await expect.poll(() => get(entry), patience).toMatchObject({ run: again.run });
});

test("a persona is tried, and tells what its agents are told", async () => {
  system.think("try the baker", () => ({ text: "Bread." }));
  await post("/personas", { name: "baker", instruction: "You bake." });
  const asked = await system.up.until(async () => {
    // Cortex sees a new file a moment later.
    const { run } = await post<{ run: string }>("/personas/baker/try", { prompt: "try the baker" });
    await ended(run);
    return system.askedOf("try the baker")[0];
  }, "an answer of the baker");
  expect(asked?.system).toContain("You bake.");
  expect(await runCortexJson(system.up.path, ["persona", "versions", "baker"])).toMatchObject({
    code: 0,
    document: { versions: [{ version: expect.stringMatching(/^[0-9a-f]{16}$/) }] },
  });
  expect(await get("/personas/main/prompt")).toMatchObject({
    companion: { owner: expect.stringContaining("Safety"), tools: expect.arrayContaining(["reply"]) },
  });
});

test("a long-lived agent hears what is said to it, and shows what was said", async () => {
  system.think("good morning", ({ last, results }) => {
    if (last.includes("second word")) return { text: "Thought." };
    return results.length > 0 ? { text: "Said." } : { calls: [{ tool: "reply", args: { text: "Morning!" } }] };
  });
  const response = await fetch(`${(await web.url()).replace("/api/v1", "")}/v1/messages`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${readEndpoints(system.up.path)?.web_token}`,
      "Content-Type": "application/json",
    },
    body: '{"text": "good morning"}',
  });
  expect(response.status).toBe(202);
  type List = { items: { agent_id: string; state: string }[] };
  const idle = () =>
    system.up.until(async () => {
      const { items } = await get<List>("/companions");
      return items.find(({ state }) => state === "idle");
    }, "the agent, at rest");
  const { agent_id: id = "" } = (await idle()) ?? {};
  const sent = await post<{ id: string }>(`/companions/${id}/messages`, {
    text: "second word",
    id: "once",
    mode: "followup",
  });
  expect(sent).toEqual({ id: "once" });
  await post(`/companions/${id}/messages`, { text: "second word", id: "once" });
  type History = { items: { type: string; text?: string }[] };
  const said = await system.up.until(async () => {
    const { items } = await get<History>(`/companions/${id}/history`);
    return items.some(({ type, text }) => type === "assistant" && text?.includes("Thought.")) ? items : undefined;
  }, "the second answer");
  expect(said?.filter(({ type, text }) => type === "user" && text?.includes("second word"))).toHaveLength(1);
  expect(await idle()).toMatchObject({ agent_id: id });
  expect(await get(`/companions/${id}`)).toMatchObject({ companion: { agent_id: id, kind: "main" } });
  expect(await get(`/companions/${id}/tasks`)).toEqual({ items: [], next: null });
  expect(await post(`/companions/${id}/stop`)).toEqual({ stopped: false });
  expect(await post(`/companions/${id}/reset`)).toEqual({ agent_id: id });
});

test("a comment on a run's changes is what that run goes on with", async () => {
  const journal = realpathSync(system.up.path);
  const repository = `${journal}-app`;
  try {
    system.think("add a line", () => ({ text: "Done." }));
    const { run } = await post<{ run: string }>("/personas/baker/try", { prompt: "add a line" });
    await ended(run);
    makeRepository(repository, { "a.txt": "one\n" });
    const files = await makeWorktree(journal, { id: run, agentId: run, folder: repository, folders: [repository] });
    putFiles(files, { "a.txt": "one\ntwo\n" });
    await takeChanges(journal, run, run);
    const sent = await runCortexJson(journal, ["changes", "comment", run, "a.txt:2", "three, please"]);
    expect(sent).toMatchObject({ code: 0, document: { run: expect.stringMatching(/^\d{13}$/), companion: null } });
    await ended(String(sent.document["run"]));
    const asked = system.asked.at(-1)?.said.join("\n") ?? "";
    expect(asked).toContain("A comment on your changes at a.txt, line 2:\n\n> two\n\nthree, please");
    expect(asked).toContain("add a line");
  } finally {
    rmSync(repository, { recursive: true, force: true });
  }
});
