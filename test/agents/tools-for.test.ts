import { expect, test } from "vitest";
import { type ExternalToolNames, toolsFor } from "../../agents/prompt/tools-for.ts";
import { expandTools, readOnlyTools } from "../../protocol/settings/packs.ts";
import type { TaskType } from "../../protocol/agents/agent-files.ts";

const external: ExternalToolNames = { all: ["mail.read", "mail.send"], readOnly: ["mail.read"] };
const task = (type: TaskType, depth = 1) => ({ task: { type, depth, description: "x", state: "running" as const } });
const ofTask = (type: TaskType, depth = 1, maxDepth = 1) =>
  toolsFor({ kind: "subagent" }, task(type, depth), { maxDepth, external });

test("an exploring task has read-only tools, external ones included; a planning one may also write to the memory", () => {
  const explore = ofTask("explore");
  expect(explore.filter((name) => !readOnlyTools.has(name))).toEqual(["mail.read"]);
  expect(explore).toEqual(expect.arrayContaining(["read", "grep", "web_fetch", "memory_read", "search_journal"]));
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
});

test("the main agent speaks, remembers and sends off; it does no work itself. A stranger's only answers", () => {
  const main = toolsFor({ kind: "main" }, {}, { maxDepth: 1, external });
  expect(main).toEqual(expandTools("voice, memory, tasks").names);
  expect(
    main.filter((name) => ["write", "web_fetch", "notify", "request_permission", "mail.read"].includes(name)),
  ).toEqual([]);
  expect(toolsFor({ kind: "main" }, {}, { maxDepth: 0, external })).not.toContain("spawn_subagent");
  expect(toolsFor({ kind: "user" }, {}, { maxDepth: 8, external })).toEqual(["reply", "current_time"]);
});
