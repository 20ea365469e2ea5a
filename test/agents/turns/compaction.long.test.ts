/** The compaction of an agent's conversation that has grown too large, whoever does it. */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { userMessage } from "../../../conversation/marks/system-message.ts";
import { estimateTokens } from "../../../conversation/size/tokens.ts";
import { fixtureAgent } from "../../support/cortex-system.ts";
import { StopPoint } from "../../chaos/stop-point.ts";
import { AgentsSystem } from "../agents-system.ts";

// The prompt and the tools of an agent take a part of it.
const window = 12_000;
const stop = new StopPoint();
afterAll(() => stop[Symbol.dispose]());
const system = await AgentsSystem.start(
  {
    agents: {
      join_window_ms: 0,
      owners: ["alpha:owner", "beta:owner"],
      binding: "perChannel",
      context_window: window,
    },
  },
  {},
  stop.env,
);
afterAll(() => system[Symbol.asyncDispose]());
const alpha = await system.channel("alpha");
const long = (word: string, tokens: number) => `${word} ${"lorem ipsum ".repeat(tokens / 2)}`;

const isSummary = ({ last }: { last: string }) => last.includes("Write the summary now");
const refused = { status: 400, body: { type: "error", error: { type: "invalid_request_error", message: "no" } } };
const archivesOf = (agent: string, here = system) => {
  const folder = join(here.journal, "agents", agent, "archive");
  return existsSync(folder) ? readdirSync(folder).toSorted() : [];
};
const archived = (agent: string, name: string) =>
  readFileSync(join(system.journal, "agents", agent, "archive", name), "utf8");

test("a large conversation goes on from a summary, before the call; all of it is in the archive", async () => {
  system.think("grow-1", (asked) => ({ text: isSummary(asked) ? "Summary: grow-1, they spoke of bees." : "Yes." }));
  await alpha.say(long("grow-1 one", 2000), { channelId: "grow-1" });
  const agent = await system.main("grow-1");
  await system.turns(agent, 1);
  await alpha.say(long("two", 2000), { channelId: "grow-1" });
  await system.turns(agent, 2);
  // The model says how large it is: as small as ever. That can't be, so the estimate counts.
  expect(archivesOf(agent)).toEqual([]);
  expect(system.askedOf("grow-1").filter(isSummary)).toEqual([]);
  await alpha.say(long("three", 6000), { channelId: "grow-1" });
  await system.turns(agent, 3);
  const [archive = ""] = archivesOf(agent);
  expect(archivesOf(agent)).toHaveLength(1);
  expect(archive).toMatch(/^\d{4}-\d{2}-\d{2}-\d{9}-1\.jsonl$/);
  const [first, ...rest] = system.history(agent);
  expect(first).toMatchObject({ type: "compact", archive, summary: "Summary: grow-1, they spoke of bees." });
  const kept = first?.type === "compact" ? (first.kept ?? []) : [];
  expect(kept.at(-1)?.text).toContain("three lorem");
  expect(JSON.stringify(kept)).not.toContain("grow-1 one");
  expect(rest.map(({ type }) => type)).toEqual(["assistant"]);
  for (const word of ["grow-1 one", "two lorem", "three lorem"]) expect(archived(agent, archive)).toContain(word);
  const asked = system.askedOf("grow-1");
  const summary = asked.find(isSummary);
  expect(summary?.tools).toEqual([]);
  // What is asked isn't larger than what the model takes, and leaves room for the answer.
  expect(estimateTokens([{ role: "user", text: `${summary?.system}${summary?.last}` }])).toBeLessThan(0.9 * window);
  const after = asked.find(({ last }) => last.includes("three lorem") && !isSummary({ last }));
  expect(after?.said[0]).toMatch(/^<system_message origin="history">[\s\S]*Summary: grow-1, they spoke of bees/);
  expect(await system.told(agent, "compacted")).toMatchObject({ ok: true, tokens_after: expect.any(Number) });
  // The next turn begins at the same summary, which says where all of it stands.
  await alpha.say("four", { channelId: "grow-1" });
  await system.turns(agent, 4);
  const next = system.askedOf("grow-1").at(-1);
  expect(next?.said[0]).toMatch(new RegExp(`they spoke of bees[\\s\\S]*session_archive_read\\("${archive}"\\)`));
  expect(next?.said.join()).toContain("three lorem");
  expect(next?.last).toMatch(/four$/);
  expect(archivesOf(agent)).toHaveLength(1);
});

test("all files of an agent's runs are deleted between two turns, and its model is told the same", async () => {
  const calls = [{ tool: "current_time", args: {} }];
  system.think("gone-1", ({ last }) =>
    last.includes("again") || last.includes("<result") || last === ""
      ? { text: "Yes, gone-1." }
      : { text: "Hm.", calls },
  );
  await alpha.say("gone-1 first", { channelId: "gone-1" });
  const agent = await system.main("gone-1");
  await system.turns(agent, 1);
  await alpha.say("again", { channelId: "gone-1" });
  await system.turns(agent, 2);
  const before = system.askedOf("gone-1").at(-1)?.messages ?? [];
  expect(before.flatMap(({ content }) => content.map(({ type }) => type))).toContain("tool_result");
  await rmRuns();
  await alpha.say("again, and again", { channelId: "gone-1" });
  await system.turns(agent, 3);
  const after = system.askedOf("gone-1").at(-1)?.messages ?? [];
  const bare = (messages: typeof after) =>
    JSON.parse(JSON.stringify(messages, (key, value) => (key === "cache_control" ? undefined : value)));
  expect(bare(after).slice(0, before.length)).toEqual(bare(before));
  expect(after.length).toBe(before.length + 2);
  expect(system.askedOf("gone-1").at(-1)?.last).not.toContain("system_message");
  expect(system.news.filter(({ agent_id, event }) => agent_id === agent && event === "turn_ended")).toMatchObject(
    Array.from({ length: 3 }, () => ({ ok: true })),
  );
});

/** The files of all runs, as texts. */
const runFilesOf = ({ journal }: AgentsSystem): string[] =>
  readdirSync(join(journal, "runs"), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /^\d+.*\.jsonl$/.test(entry.name))
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));

test("the agents' service is killed between archiving and its state: nothing is lost, and nothing is doubled", async () => {
  system.think("cut-1", (asked) => {
    if (isSummary(asked)) return { text: "Summary: cut-1, of bees." };
    const isDone = asked.results.length > 0 || !asked.last.includes("two");
    return isDone ? { text: "Yes." } : { text: "Hm.", calls: [{ tool: "current_time", args: {} }] };
  });
  await alpha.say(long("cut-1 one", 4000), { channelId: "cut-1" });
  const agent = await system.main("cut-1");
  await system.turns(agent, 1);
  expect(system.state(agent).has_memory_index).toBe(true);
  stop.set("history-archived", 1);
  await alpha.say(long("two", 6000), { channelId: "cut-1" });
  await system.until(() => stop.isReached(), "it has archived");
  expect(system.state(agent)).toMatchObject({ has_memory_index: true, turn: { run_id: expect.any(String) } });
  stop.clear();
  await system.killAgents();
  await system.turns(agent, 2);
  expect(archivesOf(agent)).toHaveLength(1);
  const [archive = ""] = archivesOf(agent);
  const types = ["compact", "assistant", "tool_call", "tool_result", "assistant"];
  expect(system.history(agent).map(({ type }) => type)).toEqual(types);
  const lines = archived(agent, archive).trim().split("\n");
  const ids = [...lines, ...system.history(agent).map((record) => JSON.stringify(record))].map(
    (line) => JSON.parse(line).id,
  );
  expect(new Set(ids).size).toBe(ids.length);
  for (const word of ["cut-1 one", "two lorem"]) expect(lines.filter((line) => line.includes(word))).toHaveLength(1);
  expect(system.state(agent).has_memory_index).toBe(false);
  await alpha.say("three", { channelId: "cut-1" });
  await system.turns(agent, 3);
  const said = system.askedOf("cut-1").at(-1)?.said ?? [];
  const times = (word: string) => said.join("\n").split(word).length - 1;
  expect(["cut-1, of bees", "two lorem", "\nthree"].map(times)).toEqual([1, 1, 1]);
});

/** Deletes all files of runs that have ended. */
async function rmRuns(): Promise<void> {
  const folder = join(system.journal, "runs");
  const names = () => readdirSync(folder, { recursive: true, encoding: "utf8" });
  await system.until(() => names().every((name) => !name.includes("_active")), "all runs have ended");
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
}

test("a summary that can't be had is made of excerpts, and nothing is lost", async () => {
  system.think("stuck-1", (asked) => (isSummary(asked) ? refused : { text: "Yes." }));
  await alpha.say(`stuck-1 begins. ${long("one", 4000)}`, { channelId: "stuck-1" });
  const agent = await system.main("stuck-1");
  await system.turns(agent, 1);
  await alpha.say(long("two", 6000), { channelId: "stuck-1" });
  await system.turns(agent, 2);
  const asked = system.askedOf("stuck-1");
  expect(asked.filter(isSummary).length).toBeGreaterThan(0);
  expect(asked.at(-1)?.said[0]).toMatch(/^<system_message origin="history">[\s\S]*stuck-1 begins/);
  expect(asked.at(-1)?.said.join()).toContain("two lorem");
  expect(system.history(agent).map(({ type }) => type)).toEqual(["compact", "assistant"]);
  const [archive = ""] = archivesOf(agent);
  for (const word of ["stuck-1 begins", "two lorem"]) expect(archived(agent, archive)).toContain(word);
  await alpha.say("three", { channelId: "stuck-1" });
  await system.turns(agent, 3);
  expect(system.askedOf("stuck-1").at(-1)?.said[0]).toContain("stuck-1 begins");
  expect(system.news.filter(({ agent_id, event }) => agent_id === agent && event === "reset")).toEqual([]);
});

/** Programs of the user's keep conversations in their own way. This one repeats what it is told, also where a summary is wanted. */
const programs = await AgentsSystem.start({
  default_backend: "scripted",
  backends: { scripted: fixtureAgent("scripted") },
  agents: {
    join_window_ms: 0,
    owners: ["alpha:owner"],
    binding: "perChannel",
    context_window: 3000,
    emergency_context_limit: 4000,
  },
});
afterAll(() => programs[Symbol.asyncDispose]());
const rowdy = await programs.channel("alpha");
/** The files of the runs by which a program was asked for a summary. */
const summariesOf = (agent: string) =>
  runFilesOf(programs).filter((text) => text.includes(agent) && text.includes("Write the summary now"));

test("a summary between two turns of a program's conversation that doesn't shrink it is tried twice, and loses nothing", async () => {
  await rowdy.say("stuck-2", { channelId: "stuck-2" });
  const agent = await programs.main("stuck-2");
  await programs.turns(agent, 1);
  await rowdy.say(long("two", 3200), { channelId: "stuck-2" });
  await programs.turns(agent, 2);
  expect(summariesOf(agent)).toHaveLength(2);
  const types = ["start", "user", "assistant", "system", "user", "assistant"];
  expect(programs.history(agent).map(({ type }) => type)).toEqual(types);
  expect(programs.systemMessages(agent).join()).toContain("couldn't be summarised");
});

test("a program's conversation one token below the emergency limit loses nothing; at the limit it begins anew, and that is said", async () => {
  const limit = 4000;
  for (const [room, tokens] of [
    ["edge-below", limit - 1],
    ["edge-at", limit],
  ] as const) {
    await rowdy.say(room, { channelId: room });
    const agent = await programs.main(room);
    await programs.turns(agent, 1);
    const { context_tokens: after } = programs.state(agent);
    const sizeOf = (text: string) =>
      estimateTokens([{ role: "user", text: userMessage({ type: "alpha", channelId: room }, text) }]);
    let text = "x".repeat(4 * (tokens - after - sizeOf("")));
    while (sizeOf(text) < tokens - after) text += "x";
    expect(after + sizeOf(text)).toBe(tokens);
    await rowdy.say(text, { channelId: room });
    await programs.turns(agent, 2);
    expect(summariesOf(agent)).toHaveLength(2);
    expect(await programs.told(agent, "compacted")).toMatchObject({ ok: false });
    const isReset = programs.history(agent).some(({ type }) => type === "reset");
    expect([room, isReset]).toEqual([room, tokens >= limit]);
    if (isReset) expect(await programs.told(agent, "reset")).toMatchObject({ reason: "emergency" });
  }
  await rowdy.heard(/begins anew/);
  expect(rowdy.replies.filter(({ text }) => /begins anew/.test(text))).toHaveLength(1);
});

test("a summary that is being made when the agents' service is killed goes on, is paid for once, and counts", async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  system.think("kept-1", async ({ last }) => {
    if (!last.includes("Write the summary now")) return { text: "Yes, ".repeat(300) };
    asked.resolve();
    await answer.promise;
    return { text: "Short." };
  });
  await alpha.say("kept-1", { channelId: "kept-1" });
  const agent = await system.main("kept-1");
  await system.turns(agent, 1);
  const interrupted = system.command("agents compact", { agent_id: agent }).catch(() => {});
  await asked.promise;
  await system.killAgents();
  await interrupted;
  const again = system.command("agents compact", { agent_id: agent });
  answer.resolve();
  await again;
  expect(system.history(agent)).toMatchObject([{ type: "compact", summary: "Short." }]);
  expect(system.askedOf("kept-1").filter(isSummary)).toHaveLength(1);
  const events = runFilesOf(system)
    .filter((text) => text.includes(agent))
    .flatMap(usagesIn);
  const sum = (field: "input_tokens" | "output_tokens") => events.reduce((all, usage) => all + usage[field], 0);
  const { accounts, spent, summing } = system.state(agent);
  expect(accounts).toMatchObject({ input_tokens: sum("input_tokens"), output_tokens: sum("output_tokens") });
  expect(spent?.tokens).toBe(sum("input_tokens") + sum("output_tokens"));
  expect(summing).toBeUndefined();
});

/** The usage of each model call of a run. */
const usagesIn = (text: string): { input_tokens: number; output_tokens: number }[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === "usage");

test("a conversation is summarised or begun anew by command, and keeps its id", async () => {
  system.think("by-hand", ({ last }) =>
    last.includes("Write the summary now") ? { text: "Short." } : { text: "Yes, ".repeat(300) },
  );
  await alpha.say("by-hand", { channelId: "by-hand" });
  const agent = await system.main("by-hand");
  await system.turns(agent, 1);
  await system.command("agents compact", { agent_id: agent.slice(0, 10) });
  expect(system.history(agent).map(({ type }) => type)).toEqual(["compact"]);
  expect(await system.told(agent, "compacted")).toMatchObject({ ok: true, tokens_after: expect.any(Number) });
  await system.command("agents reset", { agent_id: agent });
  expect(await system.told(agent, "reset")).toMatchObject({ reason: "asked" });
  await alpha.say("by-hand again", { channelId: "by-hand" });
  await system.turns(agent, 2);
  expect(system.askedOf("by-hand again").at(-1)?.said).toHaveLength(1);
  expect(await system.main("by-hand")).toBe(agent);
  const types = system.history(agent).map(({ type }) => type);
  // An index of the memory, where there is one, is given anew.
  expect(types.filter((type) => type !== "system")).toEqual(["compact", "reset", "user", "assistant"]);
});
