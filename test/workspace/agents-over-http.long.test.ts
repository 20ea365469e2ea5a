/** Agents, their versions and personas over HTTP to a whole `cortex up` whose model is played. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Agent, AgentVersion } from "../../workspace/records/agent.ts";
import type { PageOf } from "../../workspace/records/page.ts";
import type { Task } from "../../workspace/records/task.ts";
import type { Message, Thread } from "../../workspace/records/thread.ts";
import { AgentsSystem } from "../agents/agents-system.ts";
import { eventually, killWeb, ownerOf, TeamCaller } from "./team-caller.ts";
import { describeDatabases } from "./temporary-store.ts";

describeDatabases((newTarget) => {
  let system: AgentsSystem;
  let admin: TeamCaller;
  let bea: TeamCaller;
  let workspace: string;
  let thread: string;
  beforeAll(async () => {
    const target = await newTarget();
    const env: Record<string, string> = "url" in target ? { DATABASE_URL: target.url } : {};
    const settings = { channels: {}, workspace: { tasks_at_once: 1 } };
    const files = { "personas/plan.txt": "You plan gardens.", "personas/plan.json": '{"title": "Planner"}' };
    system = await AgentsSystem.start(settings, files, env);
    admin = ownerOf(system);
    workspace = (await admin.post<{ id: string }>("/workspaces", { name: "Garden" })).id;
    const { token } = await admin.post<{ token: string }>(`/workspaces/${workspace}/members`, { name: "Bea" });
    bea = new TeamCaller(system, token);
    thread = (await bea.post<Thread>(`/workspaces/${workspace}/threads`, { title: "Seeds" })).id;
    system.think("who are you", ({ system: prompt }) => ({ text: prompt.split("\n")[0] ?? "" }));
  });
  afterAll(() => system[Symbol.asyncDispose]());

  const agents = async () => (await bea.get<PageOf<Agent>>(`/workspaces/${workspace}/agents`)).items;
  const say = async (text: string) =>
    (await bea.post<{ tasks: Task[] }>(`/threads/${thread}/messages`, { text })).tasks;
  const answerTo = async (task: Task | undefined) => {
    const { status, output } = await bea.ended(task?.id ?? "");
    const { items } = await bea.get<PageOf<Message>>(`/threads/${thread}/messages`);
    return [status, items.find(({ id }) => id === output?.messageId)?.text];
  };

  test("a workspace begins with its agents; a member reads their prompts, an admin edits them, version by version", async () => {
    const seeded = (await agents()).map(({ slug, max_tokens, is_system, avatar }) => [
      slug,
      max_tokens,
      is_system,
      avatar,
    ]);
    expect(seeded).toEqual([
      ["_fork-resolver", 1024, true, null],
      ["assistant", 4096, false, null],
      ["coder", 8192, false, null],
    ]);
    const poet = { slug: "poet", name: "poet", display_name: "Poet", system_prompt: "You rhyme." };
    expect(await bea.call("POST", `/workspaces/${workspace}/agents`, poet)).toMatchObject({ status: 403 });
    const { id } = await admin.post<Agent>(`/workspaces/${workspace}/agents`, poet);
    expect(await admin.call("POST", `/workspaces/${workspace}/agents`, poet)).toMatchObject({ status: 409 });
    expect((await bea.get<Agent>(`/agents/${id}`)).system_prompt).toBe("You rhyme.");
    const edit = (system_prompt: string) => admin.call("PATCH", `/agents/${id}`, { system_prompt });
    expect(await bea.call("PATCH", `/agents/${id}`, {})).toMatchObject({ status: 403 });

    // What is asked before an edit is answered by the version of then, also over a kill.
    const held = Promise.withResolvers<void>();
    system.think("hold on", async () => {
      await held.promise;
      return { text: "Held." };
    });
    await say("@coder hold on");
    const [queued] = await say("@poet who are you");
    expect(await edit("You rhyme well.")).toMatchObject({ status: 200, body: { version: 2 } });
    await killWeb(system);
    held.resolve();
    expect(await answerTo(queued)).toEqual(["completed", "You rhyme."]);
    expect(await answerTo((await say("@poet who are you"))[0])).toEqual(["completed", "You rhyme well."]);

    const back = await admin.post<Agent>(`/agents/${id}/publish`, { version: 1 });
    expect(back).toMatchObject({ version: 1, system_prompt: "You rhyme." });
    expect(await answerTo((await say("@poet who are you"))[0])).toEqual(["completed", "You rhyme."]);
    expect(await edit("You rhyme again.")).toMatchObject({ body: { version: 3 } });
    const versions = (await bea.get<PageOf<AgentVersion>>(`/agents/${id}/versions`)).items;
    expect(versions.map(({ version, config }) => [version, config.system_prompt])).toEqual([
      [3, "You rhyme again."],
      [2, "You rhyme well."],
      [1, "You rhyme."],
    ]);
    expect(await admin.call("POST", `/agents/${id}/publish`, { version: 4 })).toMatchObject({ status: 404 });
    await admin.post(`/agents/${id}/toggle-active`, { is_active: false });
    expect(await say("@poet who are you")).toEqual([]);
  });

  test("a persona file is mentioned where the workspace allows it, and its agent follows it", async () => {
    expect(await say("@plan who are you")).toEqual([]);
    expect(await bea.call("PATCH", `/workspaces/${workspace}`, { settings: { personas: true } })).toMatchObject({
      status: 403,
    });
    await admin.call("PATCH", `/workspaces/${workspace}`, { settings: { personas: true } });
    const [task] = await say("@Plan who are you");
    expect(await answerTo(task)).toEqual(["completed", "You plan gardens."]);
    const plan = (await agents()).find(({ slug }) => slug === "plan");
    expect(plan).toMatchObject({ id: task?.agent_id, display_name: "Planner", persona: "plan", version: 1 });
    writeFileSync(join(system.journal, "personas/plan.txt"), "You plan parks.");
    const renewed = await eventually(async () => {
      const [next] = await say("@plan who are you");
      return next?.agent_version === 2 ? next : undefined;
    }, "a version of the file as it is now");
    expect(await answerTo(renewed)).toEqual(["completed", "You plan parks."]);
    await admin.post(`/agents/${plan?.id}/toggle-active`, { is_active: false });
    expect(await say("@plan who are you")).toEqual([]);
  });
});
