/** Each operation over HTTP, on both databases. */
import { expect, test } from "vitest";
import type { Agent, AgentVersion } from "../../../workspace/records/agent.ts";
import type { Member } from "../../../workspace/records/people.ts";
import type { Task } from "../../../workspace/records/task.ts";
import type { Fork, Message, Thread } from "../../../workspace/records/thread.ts";
import { describeDatabases } from "../../workspace/temporary-store.ts";
import { ApiSystem } from "./api-system.ts";

type List<T> = { items: T[]; next: string | null };

describeDatabases((newTarget) => {
  test("the owner's token finds a first workspace with its agents, and makes others", async () => {
    await using api = await ApiSystem.start(await newTarget());
    const { owner } = api;
    const [me, again] = await Promise.all([
      owner.get<{ id: string; memberships: Member[] }>("/me"),
      owner.get<{ id: string; memberships: Member[] }>("/me"),
    ]);
    expect(again).toEqual(me);
    expect(me.memberships).toMatchObject([{ role: "admin", user_id: me.id }]);
    const first = await api.workspace();
    const { items } = await owner.get<List<Agent>>(`/workspaces/${first.id}/agents`);
    expect(items.map(({ slug }) => slug).toSorted()).toEqual(["_fork-resolver", "assistant", "coder"]);
    const made = await owner.call("POST", "/workspaces", { name: "Garden" });
    expect(made).toMatchObject({ status: 201, body: { name: "Garden", page: "", budget: null } });
    const { items: all } = await owner.get<List<{ name: string }>>("/workspaces");
    expect(all.map(({ name }) => name)).toEqual([first.name, "Garden"]);
  });

  test("a workspace is read and edited", async () => {
    await using api = await ApiSystem.start(await newTarget());
    const { id } = await api.workspace();
    const edited = await api.owner.call("PATCH", `/workspaces/${id}`, {
      name: "Field",
      page: "Beans.",
      trust_level: 2,
    });
    expect(edited).toMatchObject({ status: 200, body: { name: "Field", page: "Beans.", trust_level: 2 } });
    expect(await api.owner.get(`/workspaces/${id}`)).toEqual(edited.body);
    const wrong = await api.owner.call("PATCH", `/workspaces/${id}`, { trust_level: 4 });
    expect(wrong).toMatchObject({
      status: 400,
      body: { error: { code: "invalid", message: expect.stringContaining("trust_level") } },
    });
  });

  test("members are invited with a token that is told once, listed, edited and removed", async () => {
    await using api = await ApiSystem.start(await newTarget());
    const { id } = await api.workspace();
    const bea = await api.invite(id, "Bea");
    expect(await bea.get("/me")).toMatchObject({ name: "Bea", memberships: [{ workspace_id: id, role: "member" }] });
    const { items } = await bea.get<List<Member>>(`/workspaces/${id}/members`);
    expect(items.map(({ name, role }) => [name, role])).toEqual([
      ["Owner", "admin"],
      ["Bea", "member"],
    ]);
    expect(JSON.stringify(items)).not.toContain(bea.token);
    const path = `/members/${bea.member.id}`;
    expect(await bea.call("PATCH", path, { notifications: "none" })).toMatchObject({
      status: 200,
      body: { notifications: "none" },
    });
    expect(await api.owner.call("PATCH", path, { role: "admin" })).toMatchObject({
      status: 200,
      body: { role: "admin" },
    });
    expect(await api.owner.call("DELETE", path)).toMatchObject({ status: 204, body: undefined });
    expect(await bea.call("GET", `/workspaces/${id}`)).toMatchObject({ status: 404 });
    const [owner] = items;
    expect(await api.owner.call("DELETE", `/members/${owner?.id}`)).toMatchObject({ status: 409 });
  });

  test("an agent is made, edited version by version, published and made inactive", async () => {
    await using api = await ApiSystem.start(await newTarget());
    const { id } = await api.workspace();
    const poet = { slug: "poet", name: "poet", display_name: "Poet", system_prompt: "You write." };
    const made = await api.owner.call("POST", `/workspaces/${id}/agents`, poet);
    expect(made).toMatchObject({ status: 201, body: { ...poet, version: 1, max_tokens: 4096, is_active: true } });
    const path = `/agents/${(made.body as Agent).id}`;
    expect(await api.owner.call("POST", `/workspaces/${id}/agents`, poet)).toMatchObject({ status: 409 });
    expect(await api.owner.call("PATCH", path, { max_tokens: 10 })).toMatchObject({
      status: 200,
      body: { max_tokens: 10, version: 2, system_prompt: "You write." },
    });
    for (const same of [{ max_tokens: 10 }, {}])
      expect(await api.owner.call("PATCH", path, same)).toMatchObject({ status: 200, body: { version: 2 } });
    const { items } = await api.owner.get<List<AgentVersion>>(`${path}/versions`);
    expect(items.map(({ version, config }) => [version, config.max_tokens])).toEqual([
      [2, 10],
      [1, 4096],
    ]);
    expect(await api.owner.call("POST", `${path}/publish`, { version: 1 })).toMatchObject({
      status: 200,
      body: { max_tokens: 4096 },
    });
    expect(await api.owner.call("POST", `${path}/publish`, { version: 9 })).toMatchObject({ status: 404 });
    expect(await api.owner.call("POST", `${path}/toggle-active`, { is_active: false })).toMatchObject({
      status: 200,
      body: { is_active: false },
    });
    expect(await api.owner.get(path)).toMatchObject({ is_active: false, version: 1, system_prompt: "You write." });
  });

  test("a thread has messages, forks and tasks", async () => {
    await using api = await ApiSystem.start(await newTarget());
    const { owner } = api;
    const { id } = await api.workspace();
    const made = await owner.call("POST", `/workspaces/${id}/threads`, { title: "Seeds" });
    expect(made).toMatchObject({ status: 201, body: { title: "Seeds", is_brief: false } });
    const thread = made.body as Thread;
    expect(await owner.call("PATCH", `/threads/${thread.id}`, { is_brief: true })).toMatchObject({ status: 200 });
    expect(await owner.get(`/threads/${thread.id}`)).toMatchObject({ title: "Seeds", is_brief: true });
    expect(await owner.get(`/workspaces/${id}/threads`)).toMatchObject({ items: [{ id: thread.id }], next: null });

    const sent = await owner.call("POST", `/threads/${thread.id}/messages`, { text: "@coder: beans or peas?" });
    expect(sent).toMatchObject({
      status: 201,
      body: { message: { author_type: "human", author_name: "Owner" }, tasks: [{ status: "queued" }] },
    });
    const { message, tasks } = sent.body as { message: Message; tasks: [Task] };
    const reply = await owner.post<{ message: Message }>(`/threads/${thread.id}/messages`, {
      text: "Well?",
      parent: message.id,
    });
    expect(reply.message.parent_id).toBe(message.id);
    expect(await owner.get(`/threads/${thread.id}/messages`)).toEqual({ items: [message, reply.message], next: null });
    const older = await owner.get<List<Message>>(`/threads/${thread.id}/messages?limit=1`);
    expect(older.items).toEqual([reply.message]);
    expect(await owner.get(`/threads/${thread.id}/messages?limit=1&cursor=${older.next}`)).toEqual({
      items: [message],
      next: null,
    });

    expect(await owner.get(`/tasks/${tasks[0].id}`)).toEqual(tasks[0]);
    expect(await owner.call("POST", `/tasks/${tasks[0].id}/retry`)).toMatchObject({ status: 409 });
    expect(await owner.call("POST", `/tasks/${tasks[0].id}/cancel`)).toMatchObject({
      status: 200,
      body: { status: "cancelled" },
    });
    expect(await owner.call("POST", `/tasks/${tasks[0].id}/retry`)).toMatchObject({
      status: 201,
      body: { status: "queued", trigger_message_id: message.id },
    });

    const begun = await owner.call("POST", `/threads/${thread.id}/forks`, {
      message_id: message.id,
      description: "hardier",
    });
    expect(begun).toMatchObject({ status: 201, body: { status: "open", message_id: message.id } });
    const fork = begun.body as Fork;
    expect(await owner.get(`/threads/${thread.id}/forks`)).toEqual({ items: [fork], next: null });
    expect(await owner.call("POST", `/forks/${fork.id}/messages`, { text: "Peas." })).toMatchObject({
      status: 201,
      body: { message: { fork_id: fork.id } },
    });
    expect(await owner.get(`/forks/${fork.id}/messages`)).toMatchObject({ items: [{ text: "Peas." }] });
    expect(await owner.call("POST", `/forks/${fork.id}/resolve`)).toMatchObject({
      status: 202,
      body: { task: { task_type: "fork_resolution", status: "queued" } },
    });
    expect(await owner.get(`/forks/${fork.id}`)).toMatchObject({ status: "resolving", draft: null });
    expect(await owner.call("POST", `/forks/${fork.id}/resolve`)).toMatchObject({ status: 409 });
    const resolved = await owner.call("POST", `/forks/${fork.id}/resolution`, { text: "Peas it is." });
    expect(resolved).toMatchObject({
      status: 201,
      body: { message: { text: "Peas it is.", metadata: { kind: "resolution" } } },
    });
    expect(await owner.call("POST", `/forks/${fork.id}/resolution`, { text: "Beans." })).toMatchObject({ status: 409 });
    expect(await owner.call("POST", `/forks/${fork.id}/reopen`)).toMatchObject({
      status: 200,
      body: { status: "open" },
    });
    expect(await owner.call("POST", `/forks/${fork.id}/abandon`)).toMatchObject({
      status: 200,
      body: { status: "abandoned" },
    });
  });
});
