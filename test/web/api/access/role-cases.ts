/**
 * The rights of each role: for each operation, what it is tried on, and how each kind of asker is answered. Written by
 * hand.
 */
import { approvalAsked } from "../../../../workspace/approvals/asked-approvals.ts";
import type { Agent } from "../../../../workspace/records/agent.ts";
import type { Approval } from "../../../../workspace/records/approval.ts";
import type { Task } from "../../../../workspace/records/task.ts";
import type { Fork, Message, Thread } from "../../../../workspace/records/thread.ts";
import type { ApiSystem, Caller } from "../api-system.ts";

/** A workspace with something of everything, all of it made anew for each cell of the table that may have changed it. */
export type Ground = { api: ApiSystem; workspaceId: string; admin: Caller };

export const askers = ["nobody", "stranger", "member", "admin", "other admin"] as const;

export type RoleCase = {
  /** The status for each of the askers. */
  expected: readonly [number, number, number, number, number];
  /** Makes what the path names, and returns its id. Default: the workspace. */
  subject?: (ground: Ground) => Promise<string>;
  /** Makes the file that the path names, and returns its id. */
  file?: (ground: Ground) => Promise<string>;
  body?: object | ((ground: Ground, id: string) => Promise<object>);
};

const anyUser = (status: number) => [401, status, status, status, status] as const;
const members = (status: number) => [401, 404, status, status, 404] as const;
const admins = (status: number) => [401, 404, 403, status, 404] as const;

const thread = async ({ admin, workspaceId }: Ground) =>
  (await admin.post<Thread>(`/workspaces/${workspaceId}/threads`, { title: "Seeds" })).id;

const say = async ({ admin }: Ground, threadId: string, text: string) =>
  admin.post<{ message: Message; tasks: Task[] }>(`/threads/${threadId}/messages`, { text });

const fork = async (ground: Ground) => {
  const threadId = await thread(ground);
  const { message } = await say(ground, threadId, "Beans or peas?");
  const begun = { message_id: message.id, description: "which" };
  return (await ground.admin.post<Fork>(`/threads/${threadId}/forks`, begun)).id;
};

const endedFork = async (ground: Ground) => {
  const id = await fork(ground);
  await ground.admin.post(`/forks/${id}/abandon`);
  return id;
};

const task = async (ground: Ground) => {
  const { tasks } = await say(ground, await thread(ground), "@coder?");
  return tasks[0]?.id ?? "";
};

const endedTask = async (ground: Ground) => {
  const id = await task(ground);
  await ground.admin.post(`/tasks/${id}/cancel`);
  return id;
};

/** A call that waits for any member. */
export const openApproval = async (ground: Ground): Promise<string> => {
  const { api, admin, workspaceId } = ground;
  const row = await api.store.database
    .selectFrom("tasks")
    .selectAll()
    .where("id", "=", await task(ground))
    .executeTakeFirstOrThrow();
  const question = { tool: "bash", args: { command: "ls" }, why: "a rule asks for it", action: "approve" } as const;
  await approvalAsked(api.store, row, { ...question, id: row.id, expires: Date.now() + 60_000 });
  const { items } = await admin.get<{ items: Approval[] }>(`/workspaces/${workspaceId}/approvals`);
  return items[0]?.id ?? "";
};

let made = 0;
const newAgent = () => ({ slug: `poet-${made++}`, name: "poet", display_name: "Poet", system_prompt: "You write." });

const agent = async ({ admin, workspaceId }: Ground) =>
  (await admin.post<Agent>(`/workspaces/${workspaceId}/agents`, newAgent())).id;

const binding = async (ground: Ground) => {
  const path = `/threads/${await thread(ground)}/bindings`;
  return (await ground.admin.post<{ binding: { id: string } }>(path, { type: "telegram" })).binding.id;
};

const file = async ({ admin, workspaceId }: Ground) =>
  (await admin.post<{ id: string }>(`/workspaces/${workspaceId}/attachments`, { beans: 12 })).id;

/** Somebody else than any of the askers. */
const otherMember = async ({ api, workspaceId }: Ground) => (await api.invite(workspaceId, "Cem")).member.id;

export const roleCases: Record<string, RoleCase> = {
  "me.get": { expected: anyUser(200) },
  "session.create": { expected: anyUser(201) },
  "session.get": { expected: anyUser(404) },
  "session.delete": { expected: anyUser(204) },
  "session.list": { expected: anyUser(200) },
  // The id is no session of theirs.
  "session.revoke": { expected: anyUser(404) },
  "session.link": { expected: anyUser(201) },
  "workspace.list": { expected: anyUser(200) },
  // For the owner, who is none of these.
  "workspace.create": { expected: anyUser(403), body: { name: "Garden" } },
  "workspace.get": { expected: members(200) },
  "workspace.update": { expected: admins(200), body: { name: "Field" } },
  "member.list": { expected: members(200) },
  "member.invite": { expected: admins(201), body: { name: "Dee", role: "member" } },
  "member.update": { expected: admins(200), subject: otherMember, body: { notifications: "all" } },
  "member.remove": { expected: admins(204), subject: otherMember },
  "agent.list": { expected: members(200) },
  "agent.create": { expected: admins(201), body: async () => newAgent() },
  "agent.get": { expected: members(200), subject: agent },
  "agent.update": { expected: admins(200), subject: agent, body: { system_prompt: "You sing." } },
  "agent.toggleActive": { expected: admins(200), subject: agent, body: { is_active: false } },
  "agent.versions": { expected: members(200), subject: agent },
  "agent.publish": { expected: admins(200), subject: agent, body: { version: 1 } },
  "agent.schema": { expected: members(200) },
  "agent.remove": { expected: admins(204), subject: agent },
  "thread.list": { expected: members(200) },
  "thread.rows": { expected: members(200) },
  "task.list": { expected: members(200), subject: thread },
  "thread.create": { expected: members(201), body: { title: "Weeds" } },
  "thread.get": { expected: members(200), subject: thread },
  "thread.update": { expected: members(200), subject: thread, body: { title: "Trees" } },
  "message.list": { expected: members(200), subject: thread },
  "message.send": { expected: members(201), subject: thread, body: { text: "hello" } },
  "message.get": {
    expected: members(200),
    subject: async (ground: Ground) => (await say(ground, await thread(ground), "hello")).message.id,
  },
  "message.list_in_fork": { expected: members(200), subject: fork },
  "message.send_in_fork": { expected: members(201), subject: fork, body: { text: "hello" } },
  "attachment.create": { expected: members(201), body: { beans: 12 } },
  "attachment.get": { expected: members(200), file },
  "fork.create": {
    expected: members(201),
    subject: thread,
    body: async (ground: Ground, id: string) => ({
      message_id: (await say(ground, id, "?")).message.id,
      description: "which",
    }),
  },
  "fork.list": { expected: members(200), subject: thread },
  "fork.get": { expected: members(200), subject: fork },
  "fork.resolve": { expected: members(202), subject: fork },
  "fork.post_resolution": { expected: members(201), subject: fork, body: { text: "Peas." } },
  "fork.reopen": { expected: members(200), subject: endedFork },
  "fork.abandon": { expected: members(200), subject: fork },
  "task.get": { expected: members(200), subject: task },
  "task.cancel": { expected: members(200), subject: task },
  "task.retry": { expected: members(201), subject: endedTask },
  "token.list": { expected: admins(200), subject: otherMember },
  "token.create": { expected: admins(201), subject: otherMember },
  "token.revoke": {
    expected: admins(204),
    subject: otherMember,
    body: async ({ admin }: Ground, id: string) => {
      const { items } = await admin.get<{ items: { id: string }[] }>(`/members/${id}/tokens`);
      return { token_id: items[0]?.id };
    },
  },
  "notification.list": { expected: members(200) },
  "notification.read": { expected: members(204), body: {} },
  "binding.list": { expected: members(200) },
  "binding.create": { expected: admins(201), subject: thread, body: { type: "telegram" } },
  "binding.remove": { expected: admins(204), subject: binding },
  "identity.list": { expected: members(200), subject: otherMember },
  "identity.set": { expected: admins(200), subject: otherMember, body: { identities: [] } },
  "approval.list": { expected: members(200) },
  "approval.decide": { expected: members(200), subject: openApproval, body: { decision: "deny" } },
  events: { expected: members(200) },
  // For the owner alone: the machine's.
  "run.list": { expected: anyUser(403) },
  "run.names": { expected: anyUser(403) },
  "run.get": { expected: anyUser(403) },
  "run.events": { expected: anyUser(403) },
  "run.live": { expected: anyUser(403) },
  "run.prompt": { expected: anyUser(403) },
  "run.raw": { expected: anyUser(403) },
  "run.share": { expected: anyUser(403) },
  "run.request": { expected: anyUser(403), body: { prompt: "hello" } },
  "run.cancel": { expected: anyUser(403) },
  "run.input": { expected: anyUser(403), body: { text: "hello" } },
  "run.continue": { expected: anyUser(403), body: { prompt: "hello" } },
  "run.again": { expected: anyUser(403), body: {} },
  "decision.list": { expected: anyUser(403) },
  "decision.decide": { expected: anyUser(403), body: { decision: "allow" } },
  "now.get": { expected: anyUser(403) },
  "now.dismiss": { expected: anyUser(403), body: { run: "1736380800000" } },
  "machine.events": { expected: anyUser(403) },
  "cost.get": { expected: anyUser(403) },
  "program.list": { expected: anyUser(403) },
  "health.get": { expected: anyUser(403) },
  "schedule.list": { expected: anyUser(403) },
  "schedule.history": { expected: anyUser(403) },
  "schedule.month": { expected: anyUser(403) },
  "schedule.explain": { expected: anyUser(403) },
  "schedule.set": { expected: anyUser(403), body: { on: false } },
  "schedule.run": { expected: anyUser(403), body: {} },
  "persona.list": { expected: anyUser(403) },
  "persona.create": { expected: anyUser(403), body: { name: "cook", instruction: "You cook." } },
  "persona.get": { expected: anyUser(403) },
  "persona.put": { expected: anyUser(403), body: { version: "0123456789abcdef" } },
  "persona.versions": { expected: anyUser(403) },
  "persona.diff": { expected: anyUser(403) },
  "persona.prompt": { expected: anyUser(403) },
  "persona.preview": { expected: anyUser(403), body: { instruction: "x", settings: {} } },
  "persona.try": { expected: anyUser(403), body: { prompt: "hello" } },
  "change.list": { expected: anyUser(403) },
  "change.diff": { expected: anyUser(403) },
  "change.apply": { expected: anyUser(403) },
  "change.drop": { expected: anyUser(403) },
  "change.comment": { expected: anyUser(403), body: { text: "hello" } },
  "setting.get": { expected: anyUser(403) },
  "setting.put": { expected: anyUser(403), body: { revision: "none", settings: {} } },
  "setting.check": { expected: anyUser(403), body: { settings: {} } },
  "setting.schema": { expected: anyUser(403) },
  "log.tail": { expected: anyUser(403) },
  "log.follow": { expected: anyUser(403) },
  "companion.list": { expected: anyUser(403) },
  "companion.get": { expected: anyUser(403) },
  "companion.conversations": { expected: anyUser(403) },
  "companion.history": { expected: anyUser(403) },
  "companion.queue": { expected: anyUser(403) },
  "companion.send": { expected: anyUser(403), body: { text: "hello" } },
  "companion.takeBack": { expected: anyUser(403), body: { message: "web:m1" } },
  "companion.sayNow": { expected: anyUser(403), body: { message: "web:m1" } },
  "companion.stop": { expected: anyUser(403) },
  "companion.reset": { expected: anyUser(403) },
  "companion.compact": { expected: anyUser(403) },
  "companion.tasks": { expected: anyUser(403) },
  "companion.task": { expected: anyUser(403) },
  "companion.resume": { expected: anyUser(403), body: { text: "hello" } },
  "memory.list": { expected: anyUser(403) },
  "memory.get": { expected: anyUser(403) },
  "memory.put": { expected: anyUser(403), body: { path: "a.md", text: "x", version: null } },
  "skill.list": { expected: anyUser(403) },
  "skill.get": { expected: anyUser(403) },
  "skill.put": { expected: anyUser(403), body: { text: "x", version: null } },
  "journal.days": { expected: anyUser(403) },
  "journal.day": { expected: anyUser(403) },
  "journal.facets": { expected: anyUser(403) },
  "journal.facet": { expected: anyUser(403) },
  "journal.reports": { expected: anyUser(403) },
  "journal.search": { expected: anyUser(403) },
  "journal.entry": { expected: anyUser(403) },
  "tool.list": { expected: anyUser(403) },
  "tool.call": { expected: anyUser(403), body: { name: "search_journal" } },
  "push.get": { expected: anyUser(403) },
  "push.subscribe": {
    expected: anyUser(403),
    body: {
      endpoint: "https://push.example.org/x",
      keys: { p256dh: "A".repeat(87), auth: "A".repeat(22) },
      kinds: ["night"],
    },
  },
  "push.try": { expected: anyUser(403), subject: async () => "0".repeat(32) },
  "push.remove": { expected: anyUser(403), subject: async () => "0".repeat(32) },
};
