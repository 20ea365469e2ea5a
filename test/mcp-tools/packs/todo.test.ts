import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test, vi } from "vitest";
import { issueToken } from "../../../journal/access/tokens.ts";
import { dayOf } from "../../../protocol/names/day.ts";
import { packs } from "../../../protocol/settings/packs.ts";
import { exampleTools } from "../example-tools.ts";
import { connect } from "../tools-server.ts";
import { patienceMs } from "../../support/patience.ts";

// Half the world is at another day than this zone: "today" must be the user's.
const timeZone = "Pacific/Kiritimati";
const tools = exampleTools({ CORTEX_TZ: timeZone });
const { journal, call } = tools;
const listOf = (facet: string, day: string) => join(journal, "facets", facet, "todos", `${day}.md`);

test("every tool of ours shows a title, both schemas and what it may do", async () => {
  const { tools: listed } = await tools.client.listTools();
  // The web is searched where the settings name a server: here none is.
  const ours = new Set(
    Object.values(packs)
      .flat()
      .filter((name) => name !== "web_search"),
  );
  const described = listed.filter(({ name }) => ours.has(name));
  expect(described).toHaveLength(ours.size);
  for (const { title, description = "", inputSchema, outputSchema, annotations } of described) {
    expect(title).toMatch(/^[A-Z][\w ]+$/);
    // Behind it stand those that may be sent off, however many there are.
    expect(description.split("\n\nTypes:\n")[0]?.length).toBeLessThan(400);
    expect([inputSchema.type, outputSchema?.type]).toEqual(["object", "object"]);
    for (const hint of ["readOnlyHint", "destructiveHint", "idempotentHint"] as const)
      expect(annotations?.[hint]).toBeTypeOf("boolean");
  }
  const names = (hint: "readOnlyHint" | "destructiveHint") =>
    described.filter(({ annotations }) => annotations?.[hint] === true).map(({ name }) => name);
  expect(described.filter(({ name }) => !names("readOnlyHint").includes(name)).map(({ name }) => name)).toEqual([
    "todo_add",
    "todo_done",
    "todo_cancel",
    "facet_news",
    "entity_detect",
    "entity_attach",
    "entity_update",
    "entity_add_aka",
    "reply",
    "memory_write",
    "memory_patch",
    "memory_append",
    "spawn_subagent",
    "resume_task",
    "send_agent_message",
    "request_permission",
    "write",
    "edit",
    "save",
    "bash",
    "process_input",
    "process_stop",
  ]);
  const destroying = ["memory_write", "memory_patch", "memory_append", "write", "edit", "bash"];
  expect(names("destructiveHint")).toEqual([
    "facet_news",
    "entity_update",
    ...destroying,
    "process_input",
    "process_stop",
  ]);
});

test("todo_list gives a day's todos with their lines, and says when there are none", async () => {
  const { text } = await call("todo_list", { facet: "garden", day: "20250118" });
  expect(text.split("\n").slice(0, 2)).toEqual([
    "facets/garden/todos/20250118.md:1: - [x] tape the two panes on the west side",
    "facets/garden/todos/20250118.md:2: - [ ] wash the lemon tree with soft soap again (25 January)",
  ]);
  expect(await call("todo_list", { facet: "garden", day: "20250119" })).toEqual({
    text: 'no todos of 20250119 in facet "garden"',
    isError: false,
  });
});

describe("a todo", () => {
  test("is added, done and cancelled; by line, by text or by both", async () => {
    const added = await call("todo_add", { facet: "music", day: "20250301", text: " rosin " });
    expect(added.text).toBe("facets/music/todos/20250301.md:1: - [ ] rosin");
    await call("todo_add", { facet: "music", day: "20250301", text: "spare strings" });
    expect((await call("todo_done", { facet: "music", day: "20250301", line: 1 })).text).toContain(":1: - [x] rosin");
    expect((await call("todo_cancel", { facet: "music", day: "20250301", text: "strings", line: 2 })).text).toContain(
      ":2: - [-] spare strings",
    );
    expect((await call("todo_cancel", { facet: "music", day: "20250301", text: "strings" })).text).toContain(
      "(it was so already)",
    );
    expect(readFileSync(listOf("music", "20250301"), "utf8")).toBe("- [x] rosin\n- [-] spare strings\n");
  });

  test("without a day is today's, as the user's time zone has it", async () => {
    const before = dayOf(Date.now(), timeZone);
    const { text } = await call("todo_add", { facet: "music", text: "tune" });
    expect([before, dayOf(Date.now(), timeZone)]).toContain(/todos\/(\d{8})\.md:1: - \[ \] tune$/.exec(text)?.[1]);
    expect((await call("todo_list", { facet: "music" })).text).toContain("tune");
    expect((await call("todo_upcoming", { facet: "music" })).text).toContain("tune");
  });

  test("that was added a moment ago is found by search", async () => {
    await call("todo_add", { facet: "music", day: "20250303", text: "borrow a metronome" });
    await vi.waitFor(
      async () =>
        expect((await call("search_journal", { query: "metronome" })).text).toContain(
          "facets/music/todos/20250303.md:1: ",
        ),
      patienceMs,
    );
  });

  test("is lost by none of twenty calls at once, and the file keeps its ends of lines", async () => {
    const file = listOf("music", "20250304");
    writeFileSync(file, "# Lists\r\n- [ ] first\r\n");
    const adding = Array.from({ length: 20 }, (_, index) =>
      call("todo_add", { facet: "music", day: "20250304", text: `item ${index}` }),
    );
    await Promise.all(adding);
    const lines = readFileSync(file, "utf8").split("\r\n");
    expect(lines.toSorted()).toEqual(
      ["", "# Lists", "- [ ] first", ...adding.map((_, index) => `- [ ] item ${index}`)].toSorted(),
    );
  });
});

describe("todo_upcoming", () => {
  test("gives what is open from a day on, of one facet or of all, and counts what is older", async () => {
    const all = await tools.client.callTool({ name: "todo_upcoming", arguments: { day: "20250118" } });
    expect(all.structuredContent).toMatchObject({
      day: "20250118",
      is_cut: false,
      earlier: { count: 4, from: "20250114" },
    });
    const { text } = await call("todo_upcoming", { facet: "harbor", day: "20250117" });
    expect(text.split("\n")).toEqual([
      "facets/harbor/todos/20250117.md:3: - [ ] ask Lukas about the spare bracket and the long drill",
      "facets/harbor/todos/20250117.md:4: - [ ] print the installation plan, two copies",
    ]);
    expect((await call("todo_upcoming", { facet: "harbor", day: "20250118" })).text).toBe(
      'no open todos from 20250118 on in facet "harbor"\n[2 of earlier days still open: ask with day: 20250117]',
    );
  });
});

test.each<[string, Record<string, unknown>, string]>([
  ["todo_add", { facet: "gardn", text: "x" }, 'no facet "gardn": the facets are garden, harbor, music'],
  ["todo_add", { facet: "../garden", text: "x" }, "facet: expected a facet's name"],
  ["todo_add", { facet: "garden", text: "a\nb" }, "text: expected one line, without control characters"],
  ["todo_add", { facet: "garden", text: "a\u202eb" }, "text: expected one line"],
  ["todo_add", { facet: "garden", text: "- [x] a" }, 'without "- [ ]"'],
  ["todo_add", { facet: "garden", text: "" }, "text: expected text, not blank"],
  ["todo_add", { facet: "garden" }, "Its arguments are facet, day, text."],
  ["todo_list", { facet: "garden", day: "20250230" }, "day: expected a day, YYYYMMDD"],
  [
    "todo_done",
    { facet: "garden", day: "20250118" },
    "which todo? Give its line, its text or both. Choose by line: 1: - [x] tape",
  ],
  ["todo_done", { facet: "garden", day: "20250118", text: "the" }, "3 todos of facets/garden/todos/20250118.md say"],
  [
    "todo_done",
    { facet: "garden", day: "20250118", line: 3, text: "wash" },
    "line 3 of facets/garden/todos/20250118.md was changed meanwhile",
  ],
  ["todo_done", { facet: "garden", day: "20250118", line: 0 }, "line: expected a line number, from 1"],
])("%s %j is an error that says what to do", async (name, args, message) => {
  const before = readFileSync(listOf("garden", "20250118"), "utf8");
  const { text, isError } = await call(name, args);
  expect([isError, text]).toEqual([true, expect.stringContaining(message)]);
  expect(text).not.toContain(journal);
  expect(readFileSync(listOf("garden", "20250118"), "utf8")).toBe(before);
});

test("a call that is repeated with its id changes nothing more; one with another id, of another run or of other arguments does", async () => {
  const first = await addAs(tools.client, "call-1", "bow");
  expect(await addAs(tools.client, "call-1", "bow")).toBe(first);
  expect(await addAs(tools.client, "call-2", "bow")).not.toBe(first);
  await addAs(tools.client, "call-1", "chin rest");
  await using other = await connect(tools.url, await issueToken(journal, "1736380800000", ["todo_add"]));
  await addAs(other, "call-1", "bow");
  await addAs(other, "call-1", "bow");
  expect(readFileSync(listOf("music", "20250305"), "utf8")).toBe("- [ ] bow\n- [ ] bow\n- [ ] chin rest\n- [ ] bow\n");
});

/** Adds a todo as the call of an id; its answer. */
async function addAs(caller: Client, id: string, text: string): Promise<string> {
  const result = await caller.callTool({
    name: "todo_add",
    arguments: { facet: "music", day: "20250305", text },
    _meta: { "cortex/call_id": id },
  });
  const [first] = CallToolResultSchema.parse(result).content;
  return first?.type === "text" ? first.text : "";
}
