/** Brakes on agents over HTTP to a whole `cortex up` whose model is played: money, places, and what an agent's run may use. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Agent } from "../../workspace/records/agent.ts";
import type { PageOf } from "../../workspace/records/page.ts";
import type { Task } from "../../workspace/records/task.ts";
import type { Message, Thread } from "../../workspace/records/thread.ts";
import { AgentsSystem } from "../agents/agents-system.ts";
import { ownerOf, type TeamCaller } from "./team-caller.ts";
import { describeDatabases } from "./temporary-store.ts";

const atOnce = 3;

describeDatabases((newTarget) => {
  let system: AgentsSystem;
  let admin: TeamCaller;
  beforeAll(async () => {
    const target = await newTarget();
    const env: Record<string, string> = "url" in target ? { DATABASE_URL: target.url } : {};
    const workspace = { tasks_at_once: 2, tasks_at_once_in_workspace: atOnce };
    const files = { "personas/clerk.txt": "You file.", "personas/clerk.json": '{"backend": "claude"}' };
    system = await AgentsSystem.start({ channels: {}, max_concurrent: 16, workspace }, files, env);
    admin = ownerOf(system);
  });
  afterAll(() => system[Symbol.asyncDispose]());

  const newWorkspace = async (name: string) => (await admin.post<{ id: string }>("/workspaces", { name })).id;
  const newThread = async (workspace: string) =>
    (await admin.post<Thread>(`/workspaces/${workspace}/threads`, { title: "Beds" })).id;
  const newAgent = (workspace: string, slug: string, more = {}) =>
    admin.post<Agent>(`/workspaces/${workspace}/agents`, {
      slug,
      name: slug,
      display_name: slug,
      system_prompt: `You are ${slug}.`,
      ...more,
    });
  const say = async (thread: string, text: string) =>
    (await admin.post<{ tasks: Task[] }>(`/threads/${thread}/messages`, { text })).tasks;
  const ask = async (thread: string, text: string) => admin.ended((await say(thread, text))[0]?.id ?? "");
  const taskOf = ({ id }: Task) => admin.get<Task>(`/tasks/${id}`);

  test("what answers have cost counts for the budgets of the day: of an agent, then of the workspace", async () => {
    const workspace = await newWorkspace("Poor");
    const thread = await newThread(workspace);
    system.think("what does it cost", () => ({ text: "Some." }));
    const question = (slug: string) => `@${slug} what does it cost?`;
    for (const slug of ["one", "two"]) await newAgent(workspace, slug, { limits: { max_cost_usd: 1 } });
    const [first, second] = [await ask(thread, question("one")), await ask(thread, question("one"))];
    expect([first.error, second.error]).toEqual([null, null]);
    const cost = first.cost_usd ?? 0;
    expect([cost > 0, second.cost_usd]).toEqual([true, cost]);
    const budget = async (of: object) =>
      expect((await admin.call("PATCH", `/workspaces/${workspace}`, { budget: of })).status).toBe(200);
    const refusalOf = async (slug: string, whose: string, usd: number) => {
      const task = await ask(thread, question(slug));
      const error = `The budget of ${whose} for today ($${usd}) is used up. Ask again tomorrow, or have an admin raise it.`;
      expect(task).toMatchObject({ status: "failed", error, run_id: null, cost_usd: null });
      const { items } = await admin.get<PageOf<Message>>(`/threads/${thread}/messages`);
      expect(items.at(-1)).toMatchObject({ author_type: "system", text: error, metadata: { kind: "limit" } });
    };
    const ofAgent = 1.9 * cost;
    await budget({ max_cost_usd_per_agent: ofAgent });
    await refusalOf("one", "one", ofAgent);
    expect(await ask(thread, question("two"))).toMatchObject({ status: "completed", cost_usd: cost });
    const ofAll = 2.9 * cost;
    await budget({ max_cost_usd: ofAll });
    await refusalOf("two", "this workspace's agents", ofAll);
    await budget({ max_cost_usd: 3.9 * cost });
    const granted = await ask(thread, question("two"));
    // It may cost what is left, whatever its own limit says.
    const [request] = system.up.file(granted.run_id ?? "");
    expect(Number(request?.["max_cost_usd"])).toBeCloseTo(0.9 * cost, 9);
  });

  test("a workspace gives so many answers at once in all its threads, the others wait in order, and another workspace goes on", async () => {
    const workspace = await newWorkspace("Busy");
    const threads = [await newThread(workspace), await newThread(workspace), await newThread(workspace)];
    const held: (() => void)[] = [];
    system.think("hold on", async () => {
      await new Promise<void>((resolve) => held.push(resolve));
      return { text: "Held." };
    });
    system.think("at once", () => ({ text: "Here." }));
    const tasks: Task[] = [];
    for (const round of [1, 2])
      for (const thread of threads) tasks.push(...(await say(thread, `@coder hold on ${round}`)));
    await system.until(() => held.length === atOnce, "the first are asked");
    const elsewhere = await newThread(await newWorkspace("Idle"));
    expect(await ask(elsewhere, "@coder at once")).toMatchObject({ status: "completed" });
    const statuses = async () => (await Promise.all(tasks.map(taskOf))).map(({ status }) => status);
    expect(await statuses()).toEqual(["running", "running", "running", "queued", "queued", "queued"]);
    held[0]?.();
    await system.until(() => held.length === atOnce + 1, "the next is asked");
    const after = await statuses();
    // Any of the three that began together was the first that the model was asked for.
    expect(after.slice(0, atOnce).toSorted()).toEqual(["completed", "running", "running"]);
    expect(after.slice(atOnce)).toEqual(["running", "queued", "queued"]);
    for (let index = 1; index < tasks.length; index++) {
      await system.until(() => held.length > index, "one more is asked");
      held[index]?.();
    }
    const ended = await Promise.all(tasks.map(({ id }) => admin.ended(id)));
    expect(ended.map(({ status }) => status)).toEqual(tasks.map(() => "completed"));
  });

  test("an agent's sandbox, limits, model, tools and trust are those of its runs", async () => {
    const workspace = await newWorkspace("Set up");
    await admin.call("PATCH", `/workspaces/${workspace}`, { trust_level: 2 });
    await newAgent(workspace, "walled", {
      sandbox: "off",
      limits: { max_cost_usd: 0.5, max_turns: 7 },
      max_tokens: 777,
      model: "claude-haiku-4-5",
      backend: "anthropic",
      tools: ["todo_list"],
      trust: { escalate: ["todo_add"] },
    });
    system.think("how are you set up", () => ({ text: "Well." }));
    const task = await ask(await newThread(workspace), "@walled how are you set up?");
    expect(task).toMatchObject({ status: "completed", error: null, token_usage: { model: "claude-haiku-4-5" } });
    const [request] = system.up.file(task.run_id ?? "");
    expect(request).toMatchObject({
      sandbox: "off",
      max_cost_usd: 0.5,
      max_turns: 7,
      max_tokens: 777,
      model: "claude-haiku-4-5",
      backend: "anthropic",
      tools: ["todo_list"],
      trust: { level: 2, escalate: ["todo_add"], approve: [], autonomous: [] },
    });
    expect(system.askedOf("how are you set up").at(-1)?.body).toMatchObject({ max_tokens: 777 });
  });

  test("an agent whose backend works by tools that no approval sees is refused, however it would come by it", async () => {
    const workspace = await newWorkspace("Seen");
    const agent = { slug: "typist", name: "t", display_name: "Typist", system_prompt: "You type." };
    const path = `/workspaces/${workspace}/agents`;
    const refusal = {
      status: 400,
      body: {
        error: {
          code: "invalid",
          message: expect.stringContaining('backend "claude" can\'t answer in a workspace'),
          hint: expect.stringContaining("anthropic"),
        },
      },
    };
    expect(await admin.call("POST", path, { ...agent, backend: "claude" })).toMatchObject(refusal);
    const { id } = await admin.post<Agent>(path, agent);
    expect(await admin.call("PATCH", `/agents/${id}`, { backend: "claude" })).toMatchObject(refusal);
    expect(await admin.get(`/agents/${id}`)).toMatchObject({ version: 1, backend: null });
    // One that a persona's file names is told in the thread.
    await admin.call("PATCH", `/workspaces/${workspace}`, { settings: { personas: true } });
    const thread = await newThread(workspace);
    const task = await ask(thread, "@clerk file this");
    expect(task).toMatchObject({ status: "failed", run_id: null });
    const { items } = await admin.get<PageOf<Message>>(`/threads/${thread}/messages`);
    expect(items.at(-1)).toMatchObject({
      text: 'clerk couldn\'t respond. It would answer with the backend "claude", whose own tools no approval sees. An admin can give it another backend; then ask again.',
      metadata: { kind: "error", taskId: task.id },
    });
  });
});
