import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { searchHistory } from "../../../journal/search/search-history.ts";

const agent = "tz4a98xxat96iws9zmbrgj3a";
const archive = "2025-01-09-101112131-1.jsonl";
let journal: string;

beforeEach(() => {
  journal = mkdtempSync(join(tmpdir(), "search-history-"));
  mkdirSync(join(journal, "agents", agent, "archive"), { recursive: true });
});
afterEach(() => rmSync(journal, { recursive: true, force: true }));

type Line = Record<string, unknown> | string;
let clock = 0;

function write(lines: Line[], name = "history.jsonl"): void {
  const text = lines.map((line) =>
    typeof line === "string" ? line : JSON.stringify({ ts: ++clock, id: `i${clock}`, ...line }),
  );
  writeFileSync(join(journal, "agents", agent, name), `${text.join("\n")}\n`);
}

const user = (text: string) => ({ type: "user", text });
const assistant = (text: string, run_id = "1736380800001") => ({ run_id, type: "assistant", text });
const find = async (query: string, limit = 10) => (await searchHistory(journal, agent, { query, limit })).hits;
const texts = async (query: string, limit?: number) => (await find(query, limit)).map(({ snippet }) => snippet);

test("what was said is found with its speaker, time and run, also in what was put away", async () => {
  write(
    [user("The walrus is ill."), assistant("I call the vet about the walrus.", "1736380800001")],
    `archive/${archive}`,
  );
  write([
    { type: "compact", archive, summary: "A walrus was ill." },
    { type: "system", text: "The walrus slept." },
    user("How is the walrus?"),
    assistant("The walrus eats again.", "1736380800002"),
  ]);
  const hits = await find("walrus");
  expect(hits.every(({ agent_id }) => agent_id === agent)).toBe(true);
  expect(hits.map(({ said_by, run_id, archive: at, snippet }) => [said_by, run_id, at, snippet])).toEqual([
    ["agent", "1736380800002", undefined, "The walrus eats again."],
    ["user", "1736380800002", undefined, "How is the walrus?"],
    ["system", "1736380800002", undefined, "The walrus slept."],
    ["summary", undefined, undefined, "A walrus was ill."],
    ["agent", "1736380800001", archive, "I call the vet about the walrus."],
    ["user", "1736380800001", archive, "The walrus is ill."],
  ]);
  expect(hits.map(({ ts }) => ts)).toEqual(hits.map(({ ts }) => ts).toSorted((a, b) => b - a));
});

test("what has more of the words comes first, rarer words before common ones, newer before older", async () => {
  const common = Array.from({ length: 21 }, (_, at) => assistant(at % 2 === 0 ? "A walrus." : "An otter."));
  write([user("The walrus and the otter."), ...common, user("A unicorn."), assistant("An otter, at last.")]);
  const found = await texts("walrus otter unicorn", 4);
  expect(found).toEqual(["The walrus and the otter.", "A unicorn.", "An otter, at last.", "A walrus."]);
});

test.each([
  ["我们昨天查了北京天气的情况", ["北京", "天气"]],
  ["昨日は東京タワーで会議をしました", ["東京", "タワー"]],
  ["어제 서울에서 주간회의를 했다", ["서울", "회의", "회의가"]],
  ["เมื่อวานฉันไปประชุมที่กรุงเทพมหานคร", ["กรุงเทพ"]],
  ["Die Krankenversicherung hat geschrieben.", ["Versicherung", "krankenversicherung"]],
  ["The heaters were mended in the café of two cities.", ["heater", "heat", "mending", "CAFE", "café", "city"]],
])("%j is found by its words, as in the index", async (text, queries) => {
  write([assistant("Something else."), user(text)]);
  for (const query of queries) expect([query, await texts(query)]).toEqual([query, [text]]);
});

test("a word isn't found within another one that it isn't a part of", async () => {
  write([user("The height of the tomato in Hamburg: 北方的京都.")]);
  for (const query of ["eight", "to", "ham", "burg", "北京"]) expect([query, await texts(query)]).toEqual([query, []]);
});

test("calls of tools and their results aren't what was said, and a text that looks like one is", async () => {
  const call = { run_id: "1736380800001", call_id: "c", tool: "search_history" };
  write([
    { ...call, type: "tool_call", args: { query: "walrus" } },
    { ...call, type: "tool_result", result: "walrus" },
    user('{"type":"tool_call","text":"walrus"}'),
  ]);
  expect(await texts("walrus")).toEqual(['{"type":"tool_call","text":"walrus"}']);
});

test("torn, foreign and odd lines are passed over, and links aren't followed", async () => {
  write([
    "",
    "42",
    "{",
    '{"type":"user"}',
    '{"type":"nobody","ts":1,"id":"x","text":"walrus"}',
    user("A walrus."),
    "\0".repeat(10_000),
  ]);
  const other = mkdtempSync(join(tmpdir(), "other-"));
  writeFileSync(
    join(other, "a.jsonl"),
    `${JSON.stringify({ ts: 1, id: "x", type: "user", text: "A secret walrus." })}\n`,
  );
  symlinkSync(join(other, "a.jsonl"), join(journal, "agents", agent, "archive", archive));
  expect(await texts("walrus")).toEqual(["A walrus."]);
  rmSync(other, { recursive: true });
});

test("a snippet is one line without control characters, around the words, however long the text is", async () => {
  write([user(`first\n${"bla ".repeat(20_000)}\u001b[31m walrus\u202e\n${"bla ".repeat(100)}`)]);
  const [snippet = ""] = await texts("walrus");
  expect(snippet).toMatch(/^… .*\[31m walrus bla .* …$/);
  expect(snippet.length).toBeLessThan(320);
  expect(snippet).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test("a question without words, an agent without a past and hostile questions find nothing, and are no errors", async () => {
  expect(await texts("walrus")).toEqual([]);
  write([user("A walrus.")]);
  for (const query of ["?!", "\0", '"', "(", "[z-", "\\", "\ud800", "w".repeat(100_000), "北".repeat(100_000)])
    expect([query.slice(0, 9), await texts(query)]).toEqual([query.slice(0, 9), []]);
});

test("of many hits the best are given, wherever they stand", async () => {
  const filler = Array.from({ length: 12_000 }, (_, at) => user(`walrus ${at}`));
  write([...filler, user("The walrus and the heater.")]);
  expect((await texts("walrus heater", 2)).at(0)).toBe("The walrus and the heater.");
});
