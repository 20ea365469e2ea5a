/** Resolutions of forks over HTTP to a whole `cortex up` whose model is played: drafted, failed, posted, reopened. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import type { PageOf } from "../../workspace/records/page.ts";
import type { Task } from "../../workspace/records/task.ts";
import type { Fork, Message, Thread } from "../../workspace/records/thread.ts";
import { AgentsSystem } from "../agents/agents-system.ts";
import { EventReader } from "../channels/sse.ts";
import { errorBody } from "../support/providers/anthropic.ts";
import { eventually, ownerOf, TeamCaller } from "./team-caller.ts";
import { describeDatabases } from "./temporary-store.ts";

describeDatabases((newTarget) => {
  let system: AgentsSystem;
  let admin: TeamCaller;
  let bea: TeamCaller;
  let token: string;
  let workspace: string;
  beforeAll(async () => {
    const target = await newTarget();
    const env: Record<string, string> = "url" in target ? { DATABASE_URL: target.url } : {};
    system = await AgentsSystem.start({ channels: {} }, {}, env);
    admin = ownerOf(system);
    workspace = (await admin.post<{ id: string }>("/workspaces", { name: "Garden" })).id;
    ({ token } = await admin.post<{ token: string }>(`/workspaces/${workspace}/members`, { name: "Bea" }));
    bea = new TeamCaller(system, token);
  });
  afterAll(() => system[Symbol.asyncDispose]());

  /** A fork about something, in which something was said. */
  async function newFork(description: string): Promise<Fork> {
    const { id: thread } = await bea.post<Thread>(`/workspaces/${workspace}/threads`, { title: description });
    const { message } = await bea.post<{ message: Message }>(`/threads/${thread}/messages`, { text: "Which bed?" });
    const fork = await bea.post<Fork>(`/threads/${thread}/forks`, { message_id: message.id, description });
    await bea.post(`/forks/${fork.id}/messages`, { text: "The south bed has more sun." });
    return fork;
  }
  const forkOf = ({ id }: Fork) => bea.get<Fork>(`/forks/${id}`);
  const draftOf = (fork: Fork) => eventually(async () => (await forkOf(fork)).draft ?? undefined, "a draft");
  const resolve = async ({ id }: Fork, body = {}) =>
    (await bea.post<{ task: Task }>(`/forks/${id}/resolve`, body)).task;

  test("a draft comes on the live feed, and a resolution whose fork is reopened stays, marked, for all who listen", async () => {
    const fork = await newFork("sunny beds");
    system.think('about "sunny beds"', () => ({ text: "CONCLUSION: the south bed." }));
    const url = `${readEndpoints(system.journal)?.web_url}/api/v1/workspaces/${workspace}/events`;
    await using feed = await EventReader.open(url, token);
    const told = (event: string) =>
      feed.events.flatMap((one) =>
        one.event === event ? [JSON.parse(one.data) as { fork?: Fork; message?: Message }] : [],
      );
    const task = await resolve(fork);
    expect(task).toMatchObject({ task_type: "fork_resolution", fork_id: fork.id, status: "queued" });
    await system.until(() => told("fork.draft").length > 0, "the draft is told");
    expect(told("fork.draft")).toMatchObject([
      { fork: { id: fork.id, status: "resolving", draft: "CONCLUSION: the south bed." } },
    ]);
    const { message } = await bea.post<{ message: Message }>(`/forks/${fork.id}/resolution`, { text: "South it is." });
    expect(await bea.post(`/forks/${fork.id}/reopen`)).toMatchObject({ status: "open", draft: null });
    const { items } = await bea.get<PageOf<Message>>(`/threads/${fork.thread_id}/messages`);
    const marked = { kind: "resolution", forkId: fork.id, isReopened: true };
    expect(items.find(({ id }) => id === message.id)).toMatchObject({ text: "South it is.", metadata: marked });
    await system.until(() => told("fork.status_changed").length === 2, "the reopening is told, and before it the mark");
    expect(told("message.updated")).toMatchObject([{ message: { id: message.id, metadata: marked } }]);
    expect(told("fork.status_changed").map((one) => one.fork?.status)).toEqual(["resolving", "open"]);
    // Resolved again, it has a resolution of its own.
    const again = await bea.post<{ message: Message }>(`/forks/${fork.id}/resolution`, { text: "North, after all." });
    expect(again.message.metadata).toEqual({ kind: "resolution", forkId: fork.id });
  });

  test("a draft that fails leaves its fork open and says so there, and another one can be asked for", async () => {
    const fork = await newFork("dark beds");
    let isBroken = true;
    system.think('about "dark beds"', () =>
      isBroken
        ? { status: 400, body: errorBody("invalid_request_error", "no") }
        : { text: "No clear conclusion reached." },
    );
    const failed = await bea.ended((await resolve(fork)).id);
    expect(failed).toMatchObject({ status: "failed", output: null });
    expect(await forkOf(fork)).toMatchObject({ status: "open", draft: null, resolution_id: null });
    const { items } = await bea.get<PageOf<Message>>(`/forks/${fork.id}/messages`);
    expect(items.at(-1)).toMatchObject({
      author_type: "system",
      text: expect.stringMatching(/^No resolution was drafted\. Fork Resolver .* The fork is still open: resolve it/),
      metadata: { kind: "error", taskId: failed.id },
    });
    isBroken = false;
    await resolve(fork);
    expect(await draftOf(fork)).toBe("No clear conclusion reached.");
  });

  test("the agent that the workspace's setting names drafts, with its own prompt, and another one where somebody asks for it", async () => {
    const scribe = { slug: "scribe", name: "scribe", display_name: "Scribe", system_prompt: "You are the scribe." };
    const { id } = await admin.post<{ id: string }>(`/workspaces/${workspace}/agents`, scribe);
    const settings = { settings: { resolver: "scribe" } };
    expect((await bea.call("PATCH", `/workspaces/${workspace}`, settings)).status).toBe(403);
    expect((await admin.call("PATCH", `/workspaces/${workspace}`, settings)).status).toBe(200);
    system.think("wet beds", ({ system: prompt }) => ({ text: prompt.split("\n")[0] ?? "" }));
    const fork = await newFork("wet beds");
    expect(await resolve(fork)).toMatchObject({ agent_id: id });
    expect(await draftOf(fork)).toBe("You are the scribe.");
    await bea.post(`/forks/${fork.id}/reopen`);
    await resolve(fork, { resolver: "_fork-resolver" });
    expect(await draftOf(fork)).toMatch(/^You sum up a discussion/);
    await bea.post(`/forks/${fork.id}/abandon`);
    await admin.post(`/agents/${id}/toggle-active`, { is_active: false });
    const other = await newFork("wet beds again");
    expect(await bea.call("POST", `/forks/${other.id}/resolve`, {})).toMatchObject({
      status: 409,
      body: { error: { message: 'there is no active agent "scribe" that could draft the resolution' } },
    });
  });
});
