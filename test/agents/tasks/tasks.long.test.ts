/** Agents send others off to work, hear of their ends, and let them go on. */
import { afterAll, expect, test } from "vitest";
import { identity, safety, taskRules } from "../../../agents/prompt/sections.ts";
import { loadPersonas } from "../../../personas/load.ts";
import { runCortex, runCortexJson } from "../../scripts/run-command.ts";
import { findSandbox } from "../../../sandbox/sandbox-level.ts";
import { AgentsSystem } from "../agents-system.ts";

const found = await findSandbox();

const scout = {
  description: "Looks at one thing.",
  task: true,
  tools: ["read", "ls"],
  model: "claude-opus-4-8",
};
const system = await AgentsSystem.start(
  { sandbox: "off" },
  {
    "personas/boxed.txt": "You run commands.",
    "personas/boxed.json": JSON.stringify({
      task: true,
      description: "Runs commands.",
      tools: "exec",
      sandbox: "required",
      max_turns: 2,
    }),
    "personas/scout.txt": "You are a scout.",
    "personas/scout.json": JSON.stringify(scout),
    "personas/asleep.txt": "You sleep.",
    "personas/asleep.json": JSON.stringify({ task: true, description: "Sleeps.", disabled: true }),
    // A copy of a built-in one, edited.
    "personas/plan.txt": "You plan my way.",
    "personas/plan.json": JSON.stringify({ task: true, description: "Plans my way.", tools: "files, memory, basics" }),
  },
);
afterAll(() => system[Symbol.asyncDispose]());
const alpha = await system.channel("alpha");

const send = (input: string, more: Record<string, unknown> = {}) => ({
  calls: [{ tool: "spawn_subagent", args: { description: "a look around", input, ...more } }],
});
const say = (text: string, channelId: string) => ({ calls: [{ tool: "reply", args: { text, channelId } }] });
function never(): never {
  throw new Error("nothing to send off");
}
const turnsBegun = (agent: string) =>
  system.news.filter(({ event, agent_id }) => event === "turn_started" && agent_id === agent).length;

test.concurrent("a task is sent off at once; its end is one system message, and starts a turn", async () => {
  const gate = Promise.withResolvers<void>();
  system.think("house-1", ({ last, results }) => {
    if (last.includes("completed]")) return say("it is done", "house-1");
    return results.length > 0 ? { text: "I have sent somebody." } : send("work-1: look");
  });
  system.think("work-1", async ({ results }) => {
    if (results.length > 0) return { text: "It is forty-two." };
    await gate.promise;
    return { text: "I look.", calls: [{ tool: "ls", args: {} }] };
  });
  await alpha.say("Look around", { channelId: "house-1" });
  const agent = await system.main("house-1");
  await system.turns(agent, 1);
  const [, second] = system.askedOf("house-1");
  expect(JSON.parse(second?.results[0]?.text ?? "")).toEqual({
    taskId: await system.task("house-1"),
    status: "running",
  });
  const task = await system.task("house-1");
  expect((await runCortexJson(system.journal, ["tasks", "list"])).document["tasks"]).toContainEqual(
    expect.objectContaining({ taskId: task, parent: agent, status: "running", description: "a look around" }),
  );
  gate.resolve();
  await alpha.heard("it is done");
  await system.turns(agent, 2);
  expect(system.systemMessages(agent)).toEqual([
    `<system_message origin="task:${task}">[Task ${task} completed] a look around\nasked on: channelId "house-1", channelType "alpha"\n\nIt is forty-two.</system_message>`,
  ]);
  const type = "general";
  expect(await system.told(agent, "task_started")).toMatchObject({ task_id: task, description: "a look around", type });
  expect(await system.told(agent, "task_ended")).toMatchObject({ task_id: task, outcome: "completed" });
  expect(await system.told(task, "created")).toMatchObject({ kind: "subagent" });
  // Its steps started none.
  expect(turnsBegun(agent)).toBe(2);
  expect(system.state(task).task).toMatchObject({ state: "completed", depth: 1, type: "general" });
  expect(system.model.refusals).toEqual([]);
});

test.concurrent("a task's prompt has the identity, the safety and its type's text, and its request nothing of its parent's", async () => {
  for (const type of ["general", "explore", "plan"] as const) {
    const [room, work] = [`house-2${type}`, `work-2${type}`];
    system.think(room, ({ said, results }) =>
      results.length > 0 || said.length > 1 ? { text: "." } : send(`${work}: go`, { type }),
    );
    system.think(work, () => ({ text: "Done." }));
    await alpha.say("a secret that the task needn't know", { channelId: room });
    await system.until(() => system.askedOf(work).length > 0, `${type} is asked`);
  }
  const { personas } = loadPersonas(system.journal);
  const main = personas.get("main");
  const self = identity(main?.settings["identity"] as never, main?.instruction ?? "");
  const prompts = (type: string) => [self, safety, taskRules, personas.get(type)?.instruction].join("\n\n");
  const asked = (type: string) => system.askedOf(`work-2${type}`)[0];
  for (const type of ["general", "explore", "plan"] as const) expect(asked(type)?.system).toBe(prompts(type));
  expect(asked("general")?.system).toMatch(/^You are Cortex, the assistant/);
  expect(asked("general")?.said).toEqual([
    `<system_message origin="agent:${await system.main("house-2general")}">work-2general: go</system_message>`,
  ]);
  const changing = ["write", "edit", "memory_write", "memory_append", "memory_patch", "todo_add", "request_permission"];
  const toolsOf = (type: string) => changing.filter((tool) => asked(type)?.tools.includes(tool));
  expect(toolsOf("general")).toEqual(changing);
  expect(toolsOf("explore")).toEqual([]);
  expect(toolsOf("plan")).toEqual(["write", "edit", "memory_write", "memory_append", "memory_patch"]);
  expect(asked("plan")?.system).toMatch(/You plan my way\.$/);
  for (const type of ["general", "explore"])
    expect(asked(type)?.tools).toEqual(expect.arrayContaining(["read", "grep", "glob", "ls", "web_fetch", "notify"]));
  for (const type of ["general", "explore", "plan"])
    for (const tool of ["reply", "spawn_subagent", "resume_task"]) expect(asked(type)?.tools).not.toContain(tool);
});

test.concurrent("a persona with task: true is listed, and sent off by its name with its text, tools and model; others are refused", async () => {
  const names = ["scout", "scot", "reviewer", "asleep", "explorer", "toString"];
  system.think("house-9", ({ said, results }) => {
    if (results.length > 0 || said.length > 1) return { text: "." };
    return { calls: names.map((type) => send("work-9: go", { type }).calls[0] ?? never()) };
  });
  system.think("work-9", () => ({ text: "Seen." }));
  await alpha.say("Look", { channelId: "house-9" });
  const agent = await system.main("house-9");
  await system.turns(agent, 2);
  const [first, second] = system.askedOf("house-9");
  const tools = first?.body["tools"] as { name: string; description: string }[];
  const { description = "" } = tools.find(({ name }) => name === "spawn_subagent") ?? {};
  expect(description.split("\n").filter((line) => line.startsWith("- "))).toEqual([
    "- boxed: Runs commands.",
    expect.stringMatching(/^- explore: \w/),
    expect.stringMatching(/^- general: \w/),
    "- plan: Plans my way.",
    "- scout: Looks at one thing.",
  ]);
  const known = "known are boxed, explore, general, plan, scout";
  expect(second?.results.map(({ isError }) => isError)).toEqual([false, true, true, true, true, true]);
  expect(second?.results.slice(1).map(({ text }) => text)).toEqual([
    `spawn_subagent: there is no sub-agent "scot": did you mean "scout"? ${known}`,
    `spawn_subagent: the persona "reviewer" isn't a sub-agent ("task": true is missing in its settings): ${known}`,
    `spawn_subagent: the sub-agent "asleep" is disabled (see its persona): ${known}`,
    `spawn_subagent: there is no sub-agent "explorer": did you mean "explore"? ${known}`,
    `spawn_subagent: there is no sub-agent "toString": ${known}`,
  ]);
  const task = await system.task("house-9");
  const [asked] = system.askedOf("work-9");
  expect(asked?.system).toMatch(/\n\nYou are a scout\.$/);
  expect(asked?.tools).toEqual(["read", "ls"]);
  expect(asked?.body["model"]).toBe(scout.model);
  await system.turns(task, 1);
  const events = system.up.file(system.state(task).last_run ?? "");
  const start = events.find(({ event }) => event === "start");
  expect(start).toMatchObject({ persona: "scout", model: scout.model });
  expect((await system.command("tasks show", { agent_id: task }))["task"]).toMatchObject({ type: "scout" });
});

test
  .skipIf(found.level === "none")
  .concurrent("a task's persona is stricter than the settings: its sandbox and its limits hold", async () => {
    system.think("boxes", ({ said, results }) =>
      results.length > 0 || said.length > 1 ? { text: "." } : send("packing: go", { type: "boxed" }),
    );
    const results: string[] = [];
    system.think("packing", ({ results: [result] }) => {
      if (result) results.push(result.text);
      return results.length > 1
        ? { text: "Done." }
        : { calls: [{ tool: "bash", args: { command: `echo run ${results.length}` } }] };
    });
    await alpha.say("Run", { channelId: "boxes" });
    await system.main("boxes");
    const task = await system.task("boxes");
    await system.turns(task, 1);
    const last = system.up.file(system.state(task).last_run ?? "").at(-1);
    expect(last).toMatchObject({ event: "finish", result: "Done." });
    // Outside of a sandbox somebody would have been asked.
    expect(results).toEqual([
      expect.stringContaining('"sandbox":true'),
      expect.stringMatching(/last of 2 model calls \(max_turns\)/),
    ]);
  });

test.concurrent("a tool that a task doesn't have is refused by the server, even when the task names it", async () => {
  system.think("house-3", ({ said, results }) =>
    results.length > 0 || said.length > 1 ? { text: "." } : send("work-3: go", { type: "explore" }),
  );
  const denied = [
    { tool: "write", args: { path: "x.txt", content: "x" } },
    { tool: "spawn_subagent", args: { description: "x", input: "x" } },
    { tool: "reply", args: { text: "x", channelId: "house-3" } },
    { tool: "memory_write", args: { path: "x.md", content: "x" } },
  ];
  const gate = Promise.withResolvers<void>();
  system.think("work-3", async ({ results }) => {
    if (results.length === 0) return { calls: [...denied, { tool: "ls", args: {} }] };
    await gate.promise;
    return { text: "Refused." };
  });
  await alpha.say("Look", { channelId: "house-3" });
  const agent = await system.main("house-3");
  const task = await system.task("house-3");
  const tried = await system.until(() => system.askedOf("work-3")[1], "it has tried");
  expect(tried.results.map(({ isError }) => isError)).toEqual([true, true, true, true, false]);
  expect(tried.results[4]?.text).toBe("(empty)");
  // Its own process knows no such tools. Asked past that, the server has none for it either.
  const run = system.state(task).turn?.run_id ?? "";
  for (const { tool, args } of denied)
    expect(await system.callAs(run, tool, args)).toMatchObject({
      isError: true,
      text: expect.stringContaining(`no tool "${tool}" here`),
    });
  expect(await system.callAs(run, "ls", {})).toEqual({ text: "(empty)", isError: false });
  gate.resolve();
  await system.turns(agent, 2);
  expect(alpha.replies.filter(({ channel }) => channel.channelId === "house-3")).toEqual([]);
  expect((await system.command("tasks list"))["tasks"]).not.toContainEqual(
    expect.objectContaining({ parent: await system.task("house-3") }),
  );
});

test.concurrent("a task says something while it goes on, and that starts a turn", async () => {
  const gate = Promise.withResolvers<void>();
  system.think("house-4", ({ last, results }) => {
    if (results.length > 0) return { text: "." };
    if (last.includes(" says]")) return say("half is done", "house-4");
    return last.includes("completed]") ? say("all is done", "house-4") : send("work-4: go");
  });
  system.think("work-4", async ({ results }) => {
    if (results.length === 0) return { calls: [{ tool: "notify", args: { text: "half of it" } }] };
    await gate.promise;
    return { text: "All of it." };
  });
  await alpha.say("Work", { channelId: "house-4" });
  await alpha.heard("half is done");
  gate.resolve();
  await alpha.heard("all is done");
  const agent = await system.main("house-4");
  const task = await system.task("house-4");
  expect(system.systemMessages(agent).map((text) => /\[Task .*?\]/.exec(text)?.[0])).toEqual([
    `[Task ${task} says]`,
    `[Task ${task} completed]`,
  ]);
});

test.concurrent("a task that asks waits; resumed by its agent it goes on in its conversation, and completes", async () => {
  system.think("house-5", ({ last, results }) => {
    if (results.length > 0) return { text: "." };
    const asks = /\[Task (\w+) needs clarification\]/.exec(last);
    if (asks) return { calls: [{ tool: "resume_task", args: { taskId: asks[1], input: "the red one" } }] };
    return last.includes("completed]") ? say("painted", "house-5") : send("work-5: paint");
  });
  system.think("work-5", ({ last, results }) => {
    if (last.includes("the red one")) return { text: "Red it is." };
    if (results.length > 0) return { text: "I wait." };
    return { calls: [{ tool: "notify", args: { text: "Which colour?", needs_answer: true } }] };
  });
  await alpha.say("Paint", { channelId: "house-5" });
  await alpha.heard("painted");
  const agent = await system.main("house-5");
  await system.turns(agent, 3);
  const task = await system.task("house-5");
  // The question came with its end: it started one turn, not two.
  expect(turnsBegun(agent)).toBe(3);
  expect(system.systemMessages(agent).map((text) => /\[Task .*?\]/.exec(text)?.[0])).toEqual([
    `[Task ${task} asks]`,
    `[Task ${task} needs clarification]`,
    `[Task ${task} completed]`,
  ]);
  expect(system.askedOf("work-5").at(-1)?.said).toHaveLength(2);
  expect(system.state(task).task).toMatchObject({ state: "completed", needs_answer: false });
});

test.concurrent("the user sees tasks, and lets one go on", async () => {
  system.think("house-6", ({ last, results }) => {
    if (results.length > 0 || last.includes("clarification]")) return { text: "." };
    return last.includes("completed]") ? say("found", "house-6") : send("work-6: seek");
  });
  system.think("work-6", ({ last, results }) => {
    if (last.includes("under the bed")) return { text: "There it was." };
    if (results.length > 0) return { text: "I wait." };
    return { calls: [{ tool: "notify", args: { text: "Where?", needs_answer: true } }] };
  });
  await alpha.say("Seek", { channelId: "house-6" });
  const task = await system.task("house-6");
  const status = () => system.state(task).task?.state;
  await system.until(() => status() === "waiting", "it waits");
  const shown = await runCortex(system.journal, ["tasks", "show", task]);
  expect(shown.stdout).toMatch(/waiting[\s\S]*work-6: seek[\s\S]*CALL notify[\s\S]*Where\?[\s\S]*ASSISTANT I wait\./);
  const resumed = await runCortex(system.journal, ["tasks", "resume", task, "look", "under the bed"]);
  expect(resumed).toMatchObject({ code: 0, stdout: `${task} goes on` });
  await alpha.heard("found");
  expect(status()).toBe("completed");
  const listed = await runCortex(system.journal, ["tasks", "list"]);
  expect(listed.stdout).toMatch(new RegExp(`${task} +general +completed`));
  expect(await runCortex(system.journal, ["tasks", "resume", "nobody", "x"])).toMatchObject({ code: 3 });
});

test.concurrent("an agent asks for its tasks, and for nobody else's", async () => {
  const other = Promise.withResolvers<string>();
  system.think("cabin-7", ({ said, results }) =>
    results.length > 0 || said.length > 1 ? { text: "." } : send("job-7: go"),
  );
  system.think("job-7", () => ({ text: "Other." }));
  system.think("house-7", async ({ last, results }) => {
    if (last.includes("completed]")) {
      const taskId = /Task (\w+) completed/.exec(last)?.[1];
      const theirs = await other.promise;
      return {
        calls: [
          { tool: "task_list", args: {} },
          { tool: "task_list", args: { date: "20200101" } },
          { tool: "task_status", args: { taskId } },
          { tool: "task_replay", args: { taskId } },
          { tool: "task_status", args: { taskId: theirs } },
          { tool: "resume_task", args: { taskId: theirs, input: "x" } },
        ],
      };
    }
    return results.length > 0 ? { text: "." } : send("work-7: go");
  });
  system.think("work-7", ({ results }) =>
    results.length > 0 ? { text: "Mine." } : { calls: [{ tool: "current_time", args: {} }] },
  );
  await alpha.say("Go", { channelId: "cabin-7" });
  other.resolve(await system.task("cabin-7"));
  await alpha.say("Go", { channelId: "house-7" });
  const agent = await system.main("house-7");
  await system.turns(agent, 2);
  const task = await system.task("house-7");
  const results = system.askedOf("house-7").at(-1)?.results ?? [];
  expect(results.map(({ isError }) => isError)).toEqual([false, false, false, false, true, true]);
  const [list, old, status, replay] = results.map(({ text, isError }) => (isError ? null : JSON.parse(text)));
  expect(list.tasks).toEqual([expect.objectContaining({ taskId: task, status: "completed" })]);
  expect(old.tasks).toEqual([]);
  expect(status).toMatchObject({ taskId: task, status: "completed", description: "a look around", said: "Mine." });
  expect(replay.conversation).toMatch(/work-7: go[\s\S]*CALL current_time {}[\s\S]*RESULT [\s\S]*ASSISTANT Mine\./);
});

test.concurrent("a task writes to its agent, and to no agent of a stranger", async () => {
  await alpha.say("I listen", { channelId: "house-8x", userId: "mallory" });
  const stranger = await system.agentOf({ type: "alpha", channelId: "house-8x", userId: "mallory" });
  await system.turns(stranger, 1);
  system.think("house-8", ({ last, results }) => {
    if (last.includes("just so you know")) return say("I know", "house-8");
    return results.length > 0 || last.includes("completed]") ? { text: "." } : send("work-8: go");
  });
  system.think("work-8", ({ results }) =>
    results.length > 0
      ? { text: "Done." }
      : {
          calls: [
            { tool: "send_agent_message", args: { text: "just so you know" } },
            { tool: "send_agent_message", args: { text: "a secret", agentId: stranger } },
            { tool: "send_agent_message", args: { text: "x", agentId: "abcdefghijklmnopqrstuvwx" } },
          ],
        },
  );
  await alpha.say("Go", { channelId: "house-8" });
  await alpha.heard("I know");
  const agent = await system.main("house-8");
  const task = await system.task("house-8");
  expect(system.systemMessages(agent)).toContain(
    `<system_message origin="agent:${task}">just so you know</system_message>`,
  );
  // The agent may be told, and answer, before the task's next call.
  const { results } = await system.until(() => system.askedOf("work-8")[1], "the task goes on");
  expect(results.map(({ isError }) => isError)).toEqual([false, true, true]);
  expect(results[1]?.text).toContain("isn't an owner");
  expect(JSON.stringify(system.history(stranger))).not.toContain("a secret");
});
