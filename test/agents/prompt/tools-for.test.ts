import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toolsFor } from "../../../agents/prompt/tools-for.ts";
import { loadPersonas } from "../../../personas/load.ts";
import type { AgentKind } from "../../../protocol/agents/agent-files.ts";
import { expandTools, externalPacks, readOnlyTools } from "../../../protocol/settings/packs.ts";

const external = externalPacks([
  { name: "mail", kind: "server", tools: ["mail.read", "mail.send"], read_only: ["mail.read"] },
]);
const { personas } = loadPersonas(join(tmpdir(), "no-such-journal"));
type Tools = string | string[] | undefined;

const task = (depth: number) => ({ task: { type: "x", depth, description: "x", state: "running" as const } });
const withTools = (tools: Tools, depth = 1, maxDepth = 1) =>
  toolsFor({ kind: "subagent" }, task(depth), { tools, maxDepth, external });
const ofTask = (type: string, depth = 1, maxDepth = 1) =>
  withTools(personas.get(type)?.settings.tools, depth, maxDepth);
const ofMain = (tools: Tools, kind: AgentKind = "main", maxDepth = 1) =>
  toolsFor({ kind }, {}, { tools, maxDepth, external });

test("an exploring task has read-only tools, external ones included; a planning one may also write to the memory", () => {
  const explore = ofTask("explore");
  expect(explore.filter((name) => !readOnlyTools.has(name))).toEqual(["mail.read"]);
  const reading = ofTask("general").filter((name) => readOnlyTools.has(name));
  expect(explore.toSorted()).toEqual([...reading, "mail.read"].toSorted());
  expect(ofTask("plan").filter((name) => !explore.includes(name))).toEqual(["memory_write", "memory_append"]);
  expect(ofTask("general")).toEqual(expect.arrayContaining(["write", "edit", "request_permission", "mail.send"]));
});

test("a task may send others off above the lowest level, and never speaks to people", () => {
  const { names: spawning } = expandTools("tasks");
  for (const [depth, maxDepth, may] of [
    [1, 1, false],
    [1, 2, true],
    [2, 2, false],
    [2, 3, true],
  ] as const)
    for (const name of spawning) expect([name, ofTask("general", depth, maxDepth).includes(name)]).toEqual([name, may]);
  for (const type of ["explore", "plan"] as const)
    for (const name of spawning) expect(ofTask(type, 1, 8)).not.toContain(name);
  expect(ofTask("general", 1, 8)).not.toContain("reply");
  expect(withTools("voice, tasks")).toEqual(["current_time", "session_archive_read", "search_history", "use_skill"]);
});

test("a task has exactly the tools of its persona; one whose persona names none reads the journal, and reports", () => {
  expect(withTools(["read", "mail.send"])).toEqual(["read", "mail.send"]);
  expect(withTools([])).toEqual([]);
  expect(withTools("mail")).toEqual(["mail.read", "mail.send"]);
  expect(withTools(undefined)).toEqual([...expandTools("journal, basics").names, "notify"]);
});

test("the main agent speaks, remembers and sends off; it does no work itself. A stranger's only answers", () => {
  const main = ofMain(undefined);
  expect(main).toEqual(expandTools("voice, memory, tasks").names);
  expect(
    main.filter((name) => ["write", "web_fetch", "notify", "request_permission", "mail.read"].includes(name)),
  ).toEqual([]);
  expect(ofMain(undefined, "main", 0)).not.toContain("spawn_subagent");
  for (const tools of [undefined, "files, tasks, external"])
    expect(ofMain(tools, "user", 8)).toEqual(["reply", "current_time"]);
});

test("an agent whose persona names tools has those, and its voice, and no others", () => {
  const voice = expandTools("voice").names;
  expect(ofMain("journal")).toEqual([...voice, ...expandTools("journal").names]);
  expect(ofMain(["web_fetch", "mail.read"])).toEqual([...voice, "web_fetch", "mail.read"]);
  expect(ofMain([])).toEqual(voice);
  expect(ofMain("tasks", "main", 0)).toEqual(voice);
  expect(ofMain(["web_fetch"], "heartbeat")).toEqual([...voice, "web_fetch", "send_agent_message"]);
});
