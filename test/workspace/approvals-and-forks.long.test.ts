/** Calls of a workspace's agent that wait for its members, and forks that resolve, over HTTP to a whole `cortex up` that is killed meanwhile. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Approval } from "../../workspace/records/approval.ts";
import type { PageOf } from "../../workspace/records/page.ts";
import type { Task } from "../../workspace/records/task.ts";
import type { Fork, Message } from "../../workspace/records/thread.ts";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import { AgentsSystem } from "../agents/agents-system.ts";
import { EventReader } from "../channels/sse.ts";
import { type Answered, eventually, killWeb, ownerOf, TeamCaller } from "./team-caller.ts";
import { describeDatabases } from "./temporary-store.ts";

const facet = JSON.stringify({ title: "Garden" });

describeDatabases((newTarget) => {
  let system: AgentsSystem;
  let admin: TeamCaller;
  let workspace: string;
  beforeAll(async () => {
    const target = await newTarget();
    const env: Record<string, string> = "url" in target ? { DATABASE_URL: target.url } : {};
    system = await AgentsSystem.start(
      { channels: {}, max_concurrent: 1, workspace: { tasks_at_once: 1 } },
      { "facets/garden/facet.json": facet },
      env,
    );
    admin = ownerOf(system);
    workspace = (await admin.post<{ id: string }>("/workspaces", { name: "Garden" })).id;
    const agent = { slug: "gardener", name: "gardener", display_name: "Gardener", system_prompt: "You garden." };
    await admin.post(`/workspaces/${workspace}/agents`, { ...agent, tools: ["todo_add", "todo_list"] });
    for (const [slug, list] of Object.entries({ boss: "escalate", careful: "approve", free: "autonomous" })) {
      const trusted = { ...agent, slug, tools: ["todo_add"], trust: { [list]: ["todo_add"] } };
      await admin.post(`/workspaces/${workspace}/agents`, trusted);
    }
  });
  afterAll(() => system[Symbol.asyncDispose]());

  const todos = (text: string) => {
    const path = join(system.journal, "facets/garden/todos/20260101.md");
    const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
    return lines.filter((line) => line.includes(text)).length;
  };

  /** Asks an agent in a thread to plant something. It says what it was told. */
  async function plant(text: string, agent = "gardener"): Promise<Task> {
    const call = { tool: "todo_add", args: { facet: "garden", day: "20260101", text } };
    system.think(`plant ${text}.`, ({ results: [result] }) =>
      result ? { text: `I was told: ${result.text}` } : { calls: [call] },
    );
    const { id: thread } = await admin.post<{ id: string }>(`/workspaces/${workspace}/threads`, { title: text });
    const { tasks } = await admin.post<{ tasks: Task[] }>(`/threads/${thread}/messages`, {
      text: `@${agent} plant ${text}.`,
    });
    if (!tasks[0]) throw new Error("no task");
    return tasks[0];
  }

  const approvalOf = (task: Task, ...statuses: Approval["status"][]): Promise<Approval> =>
    eventually(
      async () => {
        const { items } = await admin.get<PageOf<Approval>>(`/workspaces/${workspace}/approvals`);
        return items.find(({ task_id, status }) => task_id === task.id && statuses.includes(status));
      },
      `an approval that is ${statuses.join(" or ")}`,
    );

  const answerTo = (task: Task): Promise<string> =>
    eventually(async () => {
      const { status, thread_id: thread } = await admin.get<Task>(`/tasks/${task.id}`);
      if (status !== "completed") return;
      const { items } = await admin.get<PageOf<Message>>(`/threads/${thread}/messages`);
      return items.find(({ metadata }) => metadata.taskId === task.id)?.text;
    }, "an answer");

  test("a call that waits is made once when a member allows it, whoever is killed meanwhile", async () => {
    const task = await plant("beet-1");
    const { id } = await approvalOf(task, "open");
    const { items } = await admin.get<PageOf<Approval>>(`/workspaces/${workspace}/approvals`);
    expect(items[0]).toMatchObject({
      tool: "todo_add",
      args: { text: "beet-1" },
      action: "approve",
      requires: "any_member",
      why: "it changes something; the workspace's trust level is 1",
    });
    await killWeb(system);
    expect(await approvalOf(task, "open")).toMatchObject({ id });
    expect(todos("beet-1")).toBe(0);
    const decided = await Promise.all(
      ["allow", "allow", "deny"].map((decision) => admin.call("POST", `/approvals/${id}`, { decision })),
    );
    const statuses = decided.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, 409, 409]);
    await killWeb(system);
    const isAllowed = (await approvalOf(task, "allowed", "denied")).status === "allowed";
    expect(await answerTo(task)).toContain(isAllowed ? "I was told: " : "denied by web:");
    expect(todos("beet-1")).toBe(isAllowed ? 1 : 0);
    const events = system.up.file(String(task.run_id ?? (await admin.get<Task>(`/tasks/${task.id}`)).run_id));
    expect(events.filter(({ event }) => event === "permission_decided")).toHaveLength(1);
  });

  test("what escalates is an admin's, and the agent reads who has denied it, and why", async () => {
    const invited = await admin.post<{ token: string }>(`/workspaces/${workspace}/members`, {
      name: "Bea",
      role: "member",
    });
    const bea = new TeamCaller(system, invited.token);
    const task = await plant("beet-2", "boss");
    const { id, requires, action } = await approvalOf(task, "open");
    expect({ requires, action }).toEqual({ requires: "admin", action: "escalate" });
    expect((await bea.call("POST", `/approvals/${id}`, { decision: "allow" })).status).toBe(403);
    const denial = { decision: "deny", reason: "the bed is full" };
    expect((await admin.call("POST", `/approvals/${id}`, denial)).status).toBe(200);
    expect(await answerTo(task)).toMatch(/denied by web:.*\("the bed is full"\)/);
    expect(todos("beet-2")).toBe(0);
  });

  test("at level 3 what doesn't escalate asks nobody, and what a cancelled task had asked expires", async () => {
    await admin.call("PATCH", `/workspaces/${workspace}`, { trust_level: 3 });
    expect(await answerTo(await plant("beet-3"))).toContain("I was told: ");
    expect(todos("beet-3")).toBe(1);
    const task = await plant("beet-4", "boss");
    await approvalOf(task, "open");
    await admin.post(`/tasks/${task.id}/cancel`);
    expect(await approvalOf(task, "expired")).toMatchObject({ decided_by: null });
    expect(todos("beet-4")).toBe(0);
  });

  test("a rule says who is asked and how long; then an admin is, and the feed tells of it", async () => {
    const invited = await admin.post<{ token: string; user: { id: string } }>(`/workspaces/${workspace}/members`, {
      name: "Cem",
    });
    const cem = new TeamCaller(system, invited.token);
    const rule = { action: "todo", requires: "specific_user", user_id: invited.user.id, timeout_seconds: 1 };
    await admin.call("PATCH", `/workspaces/${workspace}`, { trust_level: 0, settings: { approval_rules: [rule] } });
    const task = await plant("beet-5");
    const asked = await approvalOf(task, "open");
    const escalated = await eventually(async () => {
      const approval = await approvalOf(task, "open");
      return approval.requires === "admin" ? approval : undefined;
    }, "an approval that is an admin's");
    expect(escalated).toMatchObject({ id: asked.id, user_id: null, escalates_at: null, action: "approve" });
    expect(await cem.call("POST", `/approvals/${asked.id}`, { decision: "allow" })).toMatchObject({
      status: 403,
      body: { error: { code: "forbidden" } },
    });
    expect((await admin.call("POST", `/approvals/${asked.id}`, { decision: "allow" })).status).toBe(200);
    expect(await answerTo(task)).toContain("I was told: ");
    expect(todos("beet-5")).toBe(1);
    await admin.call("PATCH", `/workspaces/${workspace}`, { trust_level: 1, settings: { approval_rules: [] } });
  });

  test("at level 2 what the agent's own list names is asked about, and at level 1 what its list frees isn't", async () => {
    await admin.call("PATCH", `/workspaces/${workspace}`, { trust_level: 2 });
    expect(await answerTo(await plant("beet-7"))).toContain("I was told: ");
    expect(todos("beet-7")).toBe(1);
    const careful = await plant("beet-8", "careful");
    const { id, why } = await approvalOf(careful, "open");
    expect(why).toBe("the agent's list \"approve\" names it; the workspace's trust level is 2");
    expect(todos("beet-8")).toBe(0);
    await admin.post(`/approvals/${id}`, { decision: "allow" });
    expect(await answerTo(careful)).toContain("I was told: ");
    await admin.call("PATCH", `/workspaces/${workspace}`, { trust_level: 1 });
    const free = await plant("beet-9", "free");
    expect(await answerTo(free)).toContain("I was told: ");
    expect(todos("beet-9")).toBe(1);
    const { items } = await admin.get<PageOf<Approval>>(`/workspaces/${workspace}/approvals`);
    expect(items.filter(({ task_id }) => task_id === free.id)).toEqual([]);
  });

  test("what is asked and decided comes on the live feed, and a rule that names admins is theirs from the beginning", async () => {
    const { token } = await admin.post<{ token: string }>(`/workspaces/${workspace}/members`, { name: "Dee" });
    const dee = new TeamCaller(system, token);
    const rule = { action: "todo", requires: "admin" };
    await admin.call("PATCH", `/workspaces/${workspace}`, { settings: { approval_rules: [rule] } });
    const url = `${readEndpoints(system.journal)?.web_url}/api/v1/workspaces/${workspace}/events`;
    await using feed = await EventReader.open(url, token);
    const task = await plant("beet-10");
    const told = (event: string) =>
      feed.events.flatMap((one) =>
        one.event === event ? [(JSON.parse(one.data) as { approval: Approval }).approval] : [],
      );
    await system.until(() => told("approval.requested").length > 0, "the question is told");
    const [asked] = told("approval.requested");
    expect(asked).toEqual(await approvalOf(task, "open"));
    expect(asked).toMatchObject({ requires: "admin", action: "approve", escalates_at: null, status: "open" });
    expect(await dee.call("POST", `/approvals/${asked?.id}`, { decision: "allow" })).toMatchObject({ status: 403 });
    await admin.post(`/approvals/${asked?.id}`, { decision: "allow", reason: "there is room" });
    await system.until(() => told("approval.decided").length > 0, "the decision is told");
    expect(told("approval.decided")).toMatchObject([{ id: asked?.id, status: "allowed", reason: "there is room" }]);
    expect(await answerTo(task)).toContain("I was told: ");
    const numbers = feed.events.flatMap(({ id }) => (id === "" ? [] : [Number(id)]));
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
    await admin.call("PATCH", `/workspaces/${workspace}`, { settings: { approval_rules: [] } });
  });

  test("an answer that waits for a person holds up no other of its thread", async () => {
    system.think("what grows here?", () => ({ text: "Beets." }));
    const waiting = await plant("beet-6", "boss");
    const { id } = await approvalOf(waiting, "open");
    const path = `/threads/${waiting.thread_id}/messages`;
    const asked = await admin.post<{ tasks: Task[] }>(path, { text: "@gardener what grows here?" });
    expect(await answerTo(asked.tasks[0] as Task)).toBe("Beets.");
    expect(await admin.get<Task>(`/tasks/${waiting.id}`)).toMatchObject({ status: "running" });
    await admin.post(`/approvals/${id}`, { decision: "deny" });
    expect(await answerTo(waiting)).toContain("denied");
  });

  test("two who resolve a fork at once get one draft, two who post it one resolution, whoever is killed meanwhile", async () => {
    const { id: place } = await admin.post<{ id: string }>(`/workspaces/${workspace}/threads`, { title: "Peas" });
    const said = await admin.post<{ message: Message }>(`/threads/${place}/messages`, { text: "Which peas?" });
    const description = "hardy peas";
    const begun = { message_id: said.message.id, description };
    const { id: fork } = await admin.post<Fork>(`/threads/${place}/forks`, begun);
    await admin.post(`/forks/${fork}/messages`, { text: "Sugar peas." });
    const drafting = Promise.withResolvers<void>();
    system.think(`about "${description}"`, async () => {
      await drafting.promise;
      return { text: "CONCLUSION: sugar peas." };
    });
    const both = (path: string, body = {}) =>
      Promise.all([1, 2].map(() => admin.call("POST", `/forks/${fork}/${path}`, body)));
    const statusesOf = (answers: Answered[]) => answers.map(({ status }) => status).toSorted((a, b) => a - b);
    const asked = await both("resolve");
    expect(statusesOf(asked)).toEqual([202, 409]);
    expect(asked.find(({ status }) => status === 409)?.body).toMatchObject({
      error: { code: "conflict", message: "somebody has the fork's resolution drafted already" },
    });
    await killWeb(system);
    drafting.resolve();
    const drafted = () =>
      eventually(async () => (await admin.get<Fork>(`/forks/${fork}`)).draft ?? undefined, "a draft");
    expect(await drafted()).toBe("CONCLUSION: sugar peas.");
    const posted = await both("resolution", { text: "Sugar peas it is." });
    expect(statusesOf(posted)).toEqual([201, 409]);
    expect(posted.find(({ status }) => status === 409)?.body).toMatchObject({
      error: { code: "conflict", message: "the fork is resolved already" },
    });
    const { items } = await admin.get<PageOf<Message>>(`/threads/${place}/messages`);
    expect(items.filter(({ metadata }) => metadata.kind === "resolution")).toMatchObject([
      { text: "Sugar peas it is.", metadata: { forkId: fork } },
    ]);
  });
});
