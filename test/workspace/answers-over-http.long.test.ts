/** Mentions and their tasks over HTTP to a whole `cortex up` whose model is played. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import type { PageOf } from "../../workspace/records/page.ts";
import type { Task } from "../../workspace/records/task.ts";
import type { Fork, Message, Thread } from "../../workspace/records/thread.ts";
import { AgentsSystem } from "../agents/agents-system.ts";
import { EventReader } from "../channels/sse.ts";
import { eventually, ownerOf, TeamCaller } from "./team-caller.ts";
import { describeDatabases } from "./temporary-store.ts";

type Sent = { message: Message; tasks: Task[] };

describeDatabases((newTarget) => {
  let system: AgentsSystem;
  let admin: TeamCaller;
  let bea: TeamCaller;
  let token: string;
  let workspace: string;
  beforeAll(async () => {
    const target = await newTarget();
    const env: Record<string, string> = "url" in target ? { DATABASE_URL: target.url } : {};
    system = await AgentsSystem.start({ channels: {}, max_concurrent: 16 }, {}, env);
    admin = ownerOf(system);
    workspace = (await admin.post<{ id: string }>("/workspaces", { name: "Garden" })).id;
    ({ token } = await admin.post<{ token: string }>(`/workspaces/${workspace}/members`, { name: "Bea" }));
    bea = new TeamCaller(system, token);
    for (const slug of ["poet", "critic", "editor"]) {
      const agent = { slug, name: slug, display_name: slug, system_prompt: `You are ${slug}.` };
      await admin.post(`/workspaces/${workspace}/agents`, agent);
    }
  });
  afterAll(() => system[Symbol.asyncDispose]());

  const newThread = async () => (await bea.post<Thread>(`/workspaces/${workspace}/threads`, { title: "Seeds" })).id;
  const say = (place: string, text: string, more = {}) => bea.post<Sent>(`${place}/messages`, { text, ...more });
  const messagesOf = async (thread: string) => (await bea.get<PageOf<Message>>(`/threads/${thread}/messages`)).items;
  const taskOf = (id: string) => bea.get<Task>(`/tasks/${id}`);
  const statusesOf = (tasks: Task[]) => Promise.all(tasks.map(async ({ id }) => (await taskOf(id)).status));
  const allEnded = (tasks: Task[]) => Promise.all(tasks.map(({ id }) => bea.ended(id)));

  test("a mention is stored and told at once; the answer grows on the live stream and is whole at the end", async () => {
    const thread = await newThread();
    const asked = Promise.withResolvers<void>();
    system.think("of tulips", async () => {
      await asked.promise;
      return { text: "Plant them in October." };
    });
    const url = `${readEndpoints(system.journal)?.web_url}/api/v1/workspaces/${workspace}/events`;
    await using feed = await EventReader.open(url, token);
    const { message, tasks } = await say(`/threads/${thread}`, "@Coder, what of tulips?");
    expect(tasks).toMatchObject([{ status: "queued", trigger_message_id: message.id, run_id: null, output: null }]);
    asked.resolve();
    const task = await bea.ended(tasks[0]?.id ?? "");
    const answer = (await messagesOf(thread)).at(-1);
    expect(answer).toMatchObject({
      parent_id: message.id,
      author_type: "agent",
      author_id: task.agent_id,
      author_name: "Coder",
      text: "Plant them in October.",
      metadata: { agentConfigId: task.agent_id, taskId: task.id },
    });
    expect(task).toMatchObject({
      status: "completed",
      agent_version: 1,
      task_type: "message_response",
      input: { prompt: message.text, contextMessageIds: [message.id] },
      output: { messageId: answer?.id },
      run_id: expect.stringMatching(/^\d{13}$/),
      token_usage: { input_tokens: 100, output_tokens: 30, model: expect.stringContaining("claude") },
      cost_usd: expect.any(Number),
      error: null,
    });
    const heard = () => feed.events.map(({ id, event, data }) => ({ id, event, data: JSON.parse(data) }));
    await system.until(() => heard().some(({ data }) => data.task?.status === "completed"), "the end is told");
    const told = heard().filter(({ event }) => event !== "message.delta");
    expect(told.map(({ event, data }) => [event, data.task?.status ?? data.message?.text ?? data.is_thinking])).toEqual(
      [
        ["message.created", message.text],
        ["task.status_changed", "queued"],
        ["task.status_changed", "running"],
        ["presence.thinking", true],
        ["message.created", ""],
        ["presence.thinking", false],
        ["message.updated", "Plant them in October."],
        ["task.status_changed", "completed"],
      ],
    );
    const deltas = heard().filter(({ event }) => event === "message.delta");
    expect(deltas.map(({ data }) => data.text).join("")).toBe("Plant them in October.");
    expect(deltas.every(({ id, data }) => id === "" && data.message_id === answer?.id)).toBe(true);
  });

  test("agents are mentioned by a word of its own in any case, not in code, links or addresses, and never by each other", async () => {
    const thread = await newThread();
    system.think("and @poet", () => ({ text: "Ask @coder, or @assistant." }));
    const agents = (await bea.get<PageOf<{ id: string; slug: string }>>(`/workspaces/${workspace}/agents`)).items;
    await admin.post(`/workspaces/${workspace}/agents`, {
      slug: "gone",
      name: "g",
      display_name: "G",
      system_prompt: "G",
    });
    const gone = (await bea.get<PageOf<{ id: string; slug: string }>>(`/workspaces/${workspace}/agents`)).items.find(
      ({ slug }) => slug === "gone",
    );
    await admin.post(`/agents/${gone?.id}/toggle-active`, { is_active: false });
    const mentioned = async (text: string) => {
      const { tasks } = await say(`/threads/${thread}`, text);
      await allEnded(tasks);
      return tasks.map(({ agent_id }) => agents.find(({ id }) => id === agent_id)?.slug);
    };
    expect(await mentioned("@POET, (@critic) and @poet")).toEqual(["poet", "critic"]);
    for (const text of [
      "x@poet poet@poet.org @poets @poet.org `@poet` @nobody @gone @_fork-resolver",
      "```\n@poet\n```",
      "[@poet](https://x.test) https://x.test/@poet",
    ])
      expect([text, await mentioned(text)]).toEqual([text, []]);
    expect((await messagesOf(thread)).filter(({ author_type }) => author_type === "agent")).toHaveLength(2);
  });

  test("several agents answer each for itself; one behind `then` begins on the result; after three in a row it waits for a person", async () => {
    const thread = await newThread();
    system.think("in turn", ({ system: prompt }) => ({ text: `By ${prompt.slice(8, 14)}` }));
    const { tasks } = await say(`/threads/${thread}`, "in turn: @coder, then @poet, then @critic, then @editor");
    const third = await bea.ended(tasks[2]?.id ?? "");
    expect(third.input.contextMessageIds).toContain((await taskOf(tasks[1]?.id ?? "")).output?.messageId);
    const limit = () =>
      eventually(async () => (await messagesOf(thread)).find(({ metadata }) => metadata.kind === "limit"), "a limit");
    expect(await limit()).toMatchObject({
      author_type: "system",
      text: expect.stringContaining("editor waits: 3 answers"),
    });
    expect((await taskOf(tasks[3]?.id ?? "")).status).toBe("queued");
    await say(`/threads/${thread}`, "Go ahead.");
    expect((await bea.ended(tasks[3]?.id ?? "")).status).toBe("completed");
    const all = await say(`/threads/${thread}`, "in turn: @assistant @coder @poet @critic @editor");
    expect((await allEnded(all.tasks)).map(({ status }) => status)).toEqual(Array(5).fill("completed"));
  });

  test("four of a thread with its forks run at once, another thread goes on; what is cancelled ends, and is asked again", async () => {
    const thread = await newThread();
    const held: (() => void)[] = [];
    system.think("hold on", async () => {
      await new Promise<void>((resolve) => held.push(resolve));
      return { text: "Held." };
    });
    const { message } = await say(`/threads/${thread}`, "Hello.");
    const fork = await bea.post<Fork>(`/threads/${thread}/forks`, { message_id: message.id, description: "aside" });
    const tasks: Task[] = [];
    for (const place of [`/threads/${thread}`, `/forks/${fork.id}`])
      for (let count = 0; count < 3; count++) tasks.push(...(await say(place, `@coder hold on ${count}`)).tasks);
    await system.until(() => held.length === 4, "four are asked");
    const elsewhere = await say(`/threads/${await newThread()}`, "@coder in turn");
    expect((await allEnded(elsewhere.tasks))[0]?.status).toBe("completed");
    expect(await statusesOf(tasks)).toEqual(["running", "running", "running", "running", "queued", "queued"]);
    for (const at of [0, 5]) await bea.post(`/tasks/${tasks[at]?.id}/cancel`);
    await system.until(() => held.length === 5, "the next one is asked");
    const { run_id } = await taskOf(tasks[0]?.id ?? "");
    await system.until(() => system.up.file(run_id ?? "").at(-1)?.["reason"] === "cancelled", "its run has ended");
    for (const let_ of held) let_();
    const ends = (await allEnded(tasks)).map(({ status }) => status);
    expect(ends).toEqual(["cancelled", "completed", "completed", "completed", "completed", "cancelled"]);
    expect(await bea.call("POST", `/tasks/${tasks[1]?.id}/cancel`)).toMatchObject({ status: 409 });
    const again = await bea.post<Task>(`/tasks/${tasks[0]?.id}/retry`);
    await system.until(() => held.length === 6, "it is asked again");
    held[5]?.();
    const answered = await bea.ended(again.id);
    expect(answered).toMatchObject({ status: "completed", trigger_message_id: tasks[0]?.trigger_message_id });
    const more = await say(`/threads/${thread}`, "Go on.", { parent: answered.output?.messageId });
    expect(more.tasks).toMatchObject([{ agent_id: answered.agent_id }]);
    await bea.post(`/tasks/${more.tasks[0]?.id}/cancel`);
  });

  test("a cap of money is said in the thread when it is reached", async () => {
    const { id } = await admin.post<{ id: string }>("/workspaces", { name: "Poor" });
    const { id: thread } = await admin.post<Thread>(`/workspaces/${id}/threads`, { title: "Money" });
    for (const [budget, whose] of [
      [{ max_cost_usd: 0 }, "this workspace's agents"],
      [{ max_cost_usd_per_agent: 0 }, "Coder"],
    ] as const) {
      await admin.call("PATCH", `/workspaces/${id}`, { budget });
      const { tasks } = await admin.post<Sent>(`/threads/${thread}/messages`, { text: "@coder hello" });
      const words = `The budget of ${whose} for today ($0) is used up. Ask again tomorrow, or have an admin raise it.`;
      expect(await admin.ended(tasks[0]?.id ?? "")).toMatchObject({ status: "failed", error: words });
      const { items } = await admin.get<PageOf<Message>>(`/threads/${thread}/messages`);
      expect(items.at(-1)).toMatchObject({ author_name: "System", text: words, metadata: { kind: "limit" } });
    }
  });
});
