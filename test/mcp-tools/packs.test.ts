import { describe, expect, test } from "vitest";
import { toolPacks, tools } from "../../mcp-tools/catalog/packs.ts";
import {
  allTools,
  expandTools,
  ownersPacks,
  ownersTools,
  packs,
  readOnlyTools,
} from "../../protocol/settings/packs.ts";

test("the server has exactly the packs and tools that the protocol names", () => {
  const names = Object.entries(toolPacks).map(([pack, tools]) => [pack, tools.map(({ name }) => name)]);
  expect(Object.fromEntries(names)).toEqual({ ...packs, ...ownersPacks });
  expect([...tools.keys()]).toEqual([...allTools, ...ownersTools]);
});

test("tools that the protocol calls read-only are annotated so", () => {
  const readOnly = [...tools.values()].filter(({ annotations }) => annotations.readOnlyHint).map(({ name }) => name);
  expect(readOnly.filter((name) => !ownersTools.includes(name)).toSorted()).toEqual([...readOnlyTools].toSorted());
});

test("each tool of the agents' packs is annotated with what it may do", () => {
  const marks = {
    readOnlyHint: "reads",
    destructiveHint: "destructive",
    idempotentHint: "idempotent",
    openWorldHint: "open",
  };
  const agents = ["voice", "memory", "tasks", "background", "files", "web"].flatMap((pack) => toolPacks[pack] ?? []);
  const said = agents.map(({ name, annotations }) => {
    const hints = Object.entries(marks).filter(([hint]) => annotations[hint as keyof typeof marks]);
    return `${name}: ${hints.map(([, mark]) => mark).join(" ")}`.trimEnd();
  });
  expect(said).toEqual([
    "reply: open",
    "current_time: reads idempotent",
    "session_archive_read: reads idempotent",
    "search_history: reads idempotent",
    "use_skill: reads idempotent",
    "memory_list: reads idempotent",
    "memory_read: reads idempotent",
    "memory_search: reads idempotent",
    "memory_write: destructive idempotent",
    "memory_patch: destructive",
    "memory_append: destructive",
    "spawn_subagent:",
    "resume_task:",
    "task_list: reads idempotent",
    "task_status: reads idempotent",
    "task_wait: reads idempotent",
    "task_replay: reads idempotent",
    "notify: reads",
    "send_agent_message:",
    "request_permission: open",
    "read: reads idempotent",
    "write: destructive idempotent",
    "edit: destructive",
    "grep: reads idempotent",
    "glob: reads idempotent",
    "ls: reads idempotent",
    "save: idempotent",
    "web_fetch: reads idempotent open",
    "web_search: reads idempotent open",
  ]);
});

describe("what a request's tools stand for", () => {
  const journal = ["search_journal", "get_events", "get_facet", "get_resource"];

  test.each([undefined, "", "  ", " , ", "default", "journal", " journal , journal,default"])(
    "%j is the journal pack, once",
    (tools) => {
      expect(expandTools(tools)).toEqual({ names: journal, unknown: [] });
    },
  );

  test("an unknown pack is named, and stands for nothing", () => {
    expect(expandTools("jurnal, jurnal, toString")).toEqual({ names: [], unknown: ["jurnal", "toString"] });
  });

  test("an array is exactly those names, and those that no tool has are named", () => {
    expect(expandTools(["get_facet", "other"])).toEqual({ names: ["get_facet", "other"], unknown: ["other"] });
    expect(expandTools([])).toEqual({ names: [], unknown: [] });
  });
});
