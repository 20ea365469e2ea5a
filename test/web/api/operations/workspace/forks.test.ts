/** Forks as a stranger tries them: what isn't there, what isn't allowed now, and what each event tells. */
import { expect, test } from "vitest";
import type { Fork, Message, Thread } from "../../../../../workspace/records/thread.ts";
import { describeDatabases } from "../../../../workspace/temporary-store.ts";
import { EventReader } from "../../../../channels/sse.ts";
import { ApiSystem, ownerToken } from "../../api-system.ts";

const nowhere = "0199b1f0-0000-7000-8000-000000000000";

describeDatabases((newTarget) => {
  async function newFork() {
    const api = await ApiSystem.start(await newTarget());
    const { owner } = api;
    const { id: workspace } = await api.workspace();
    const newThread = async () => (await owner.post<Thread>(`/workspaces/${workspace}/threads`, { title: "Seeds" })).id;
    const say = async (path: string) =>
      (await owner.post<{ message: Message }>(`${path}/messages`, { text: "?" })).message.id;
    const thread = await newThread();
    const message = await say(`/threads/${thread}`);
    const fork = await owner.post<Fork>(`/threads/${thread}/forks`, { message_id: message, description: "which" });
    const statusOf = async (path: string, body?: unknown) => (await owner.call("POST", path, body)).status;
    return {
      api,
      owner,
      workspace,
      newThread,
      say,
      thread,
      message,
      fork: fork.id,
      statusOf,
      [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
    };
  }

  test("a fork begins at a message of its own thread, and nowhere else", async () => {
    await using team = await newFork();
    const { thread, message, statusOf } = team;
    const begin = (message_id: unknown, description: unknown = "which", at = thread) =>
      statusOf(`/threads/${at}/forks`, { message_id, description });
    expect(await begin(message)).toBe(201);
    expect(await begin(nowhere)).toBe(404);
    expect(await begin(message, "which", nowhere)).toBe(404);
    expect(await begin(await team.say(`/threads/${await team.newThread()}`))).toBe(404);
    expect(await begin(await team.say(`/forks/${team.fork}`))).toBe(409);
    for (const description of ["", " \n", 7, null, "x".repeat(2001)])
      expect(await begin(message, description)).toBe(400);
    for (const id of ["", "1", 7, null, undefined]) expect(await begin(id)).toBe(400);
    expect(await statusOf(`/threads/${thread}/forks`)).toBe(400);
  });

  test("what can be done with a fork follows from how it stands, and each refusal says what to do", async () => {
    await using team = await newFork();
    const { owner, fork, statusOf } = team;
    const state = async () => (await owner.get<Fork>(`/forks/${fork}`)).status;
    const at = (what: string, body?: unknown) => statusOf(`/forks/${fork}/${what}`, body);
    expect(await at("reopen")).toBe(409);
    expect(await at("resolve", { resolver: "nobody" })).toBe(409);
    for (const resolver of ["", 7, null, "x".repeat(65)]) expect(await at("resolve", { resolver })).toBe(400);
    expect(await state()).toBe("open");
    expect(await at("resolve", { resolver: "assistant" })).toBe(202);
    expect(await at("resolve", {})).toBe(409);
    expect(await at("messages", { text: "while it is being resolved" })).toBe(201);
    expect(await at("reopen")).toBe(200);
    expect(await at("resolve")).toBe(202);
    for (const text of ["", " \n", 7, null, undefined, "x".repeat(100_001)])
      expect(await at("resolution", { text })).toBe(400);
    expect(await at("resolution", { text: "Peas." })).toBe(201);
    for (const what of ["resolve", "resolution", "abandon", "messages"]) {
      const { status, body } = await owner.call(
        "POST",
        `/forks/${fork}/${what}`,
        what === "resolve" ? {} : { text: "?" },
      );
      expect([what, status]).toEqual([what, 409]);
      expect(body).toMatchObject({ error: { code: "conflict", hint: expect.stringContaining("reopen") as string } });
    }
    expect(await state()).toBe("resolved");
    expect(await at("reopen")).toBe(200);
    expect(await at("abandon")).toBe(200);
    expect([await at("abandon"), await at("resolve"), await at("reopen")]).toEqual([409, 409, 200]);
    for (const what of ["resolve", "resolution", "reopen", "abandon", "messages"])
      expect(await statusOf(`/forks/${nowhere}/${what}`, { text: "?" })).toBe(404);
  });

  test("the feed tells of all that becomes of a fork, in order", async () => {
    await using team = await newFork();
    const { api, owner, fork, workspace } = team;
    const { task } = await owner.post<{ task: { id: string } }>(`/forks/${fork}/resolve`);
    await owner.post(`/forks/${fork}/resolution`, { text: "Peas." });
    await owner.post(`/forks/${fork}/reopen`);
    await owner.post(`/forks/${fork}/abandon`);
    const url = `${api.url}/api/v1/workspaces/${workspace}/events`;
    await using feed = await EventReader.open(url, ownerToken, { "Last-Event-ID": "0" });
    const told = (await feed.next(11)).map(({ event, data }) => {
      const {
        fork: of,
        task: asked,
        message,
      } = JSON.parse(data) as Record<string, { id: string; status: string } & Message>;
      return [event, of?.status ?? asked?.status ?? message?.metadata.kind ?? null];
    });
    expect(told).toEqual([
      ["thread.updated", null],
      ["message.created", null],
      ["fork.created", "open"],
      ["fork.status_changed", "resolving"],
      ["task.status_changed", "queued"],
      ["task.status_changed", "cancelled"],
      ["message.created", "resolution"],
      ["fork.resolved", "resolved"],
      ["message.updated", "resolution"],
      ["fork.status_changed", "open"],
      ["fork.status_changed", "abandoned"],
    ]);
    expect(await owner.get(`/tasks/${task.id}`)).toMatchObject({ status: "cancelled" });
  });
});
