import { expect, test } from "vitest";
import { listAgents, setAgentActive } from "../../../workspace/agents/agents.ts";
import type { TaskTable } from "../../../workspace/database/tables/tables.ts";
import { abandonFork, postResolution, reopenFork } from "../../../workspace/forks/end-fork.ts";
import { forkDrafted, forkDraftFailed, requestResolution } from "../../../workspace/forks/resolve-fork.ts";
import { createFork, listForks, readFork } from "../../../workspace/threads/forks.ts";
import { listMessages, sendMessage } from "../../../workspace/threads/messages.ts";
import { createThread } from "../../../workspace/threads/threads.ts";
import { updateWorkspace } from "../../../workspace/workspaces.ts";
import { describeDatabases, newTeam } from "../temporary-store.ts";

const page = { limit: 50, cursor: null };

describeDatabases((newTarget) => {
  async function newFork() {
    const team = await newTeam(await newTarget());
    const { store, admin, workspaceId } = team;
    const { id: threadId } = await createThread(store, "Seeds", admin);
    const place = { threadId, forkId: null };
    const { message } = await sendMessage(store, place, { text: "Beans or peas?" }, admin);
    const fork = await createFork(store, threadId, { messageId: message.id, description: "which is hardier" }, admin);
    const inFork = { threadId, forkId: fork.id };
    const taskRow = (id: string): Promise<TaskTable> =>
      store.database.selectFrom("tasks").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    return {
      ...team,
      place,
      inFork,
      fork: fork.id,
      message,
      taskRow,
      bea: await team.invite("Bea"),
      drafted: async (id: string, text: string) => {
        const task = await taskRow(id);
        await store.changes.make(workspaceId, (change) => forkDrafted(change, task, text));
      },
      failed: async (id: string, why: string) => {
        const task = await taskRow(id);
        await store.changes.make(workspaceId, (change) => forkDraftFailed(change, task, why));
      },
      read: () => readFork(store, fork.id, admin),
      events: async () => (await store.changes.eventsAfter(workspaceId, 0, 1000)).map(({ event }) => event),
    };
  }

  test("a resolution is drafted by the resolver, by the rules, once", async () => {
    await using team = await newFork();
    const { store, fork, admin, bea } = team;
    const asked = await Promise.allSettled([admin, bea].map((one) => requestResolution(store, fork, one)));
    expect(asked.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(asked.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: "conflict", message: "somebody has the fork's resolution drafted already" },
    });
    const rows = await store.database.selectFrom("tasks").selectAll().execute();
    const resolver = (await listAgents(store, team.workspaceId)).find(({ slug }) => slug === "_fork-resolver");
    expect(rows).toMatchObject([
      { task_type: "fork_resolution", status: "queued", agent_id: resolver?.id, fork_id: fork },
    ]);
    const { prompt } = JSON.parse(rows[0]?.input_json ?? "") as { prompt: string };
    for (const rule of ['"which is hardier"', "one or two sentences", "two to four", "200 words", "both sides"])
      expect(prompt).toContain(rule);
    expect(prompt).toContain('"No clear conclusion reached."');
    expect(await team.read()).toMatchObject({ status: "resolving", draft: null });

    await team.drafted(rows[0]?.id ?? "", " Peas are hardier.\n");
    expect(await team.read()).toMatchObject({ status: "resolving", draft: "Peas are hardier." });
    expect(await team.events()).toContain("fork.draft");
    await expect(requestResolution(store, fork, bea)).rejects.toMatchObject({ code: "conflict" });
    const { message } = await postResolution(store, fork, "Peas.", bea);
    expect(message).toMatchObject({ author_name: "Bea", text: "Peas.", parent_id: team.message.id, fork_id: null });
    expect(message.metadata).toEqual({ kind: "resolution", forkId: fork, mentions: [admin.userId] });
    expect(await team.read()).toMatchObject({ status: "resolved", resolution_id: message.id });
    await expect(requestResolution(store, fork, bea)).rejects.toMatchObject({ code: "conflict" });
  });

  test("a draft that fails leaves the fork open, and says so in it", async () => {
    await using team = await newFork();
    const { store, fork, admin } = team;
    const task = await requestResolution(store, fork, admin);
    await team.failed(task.id, "Fork Resolver couldn't respond.");
    expect(await team.read()).toMatchObject({ status: "open", draft: null });
    expect((await listMessages(store, team.inFork, page)).items).toMatchObject([
      {
        author_type: "system",
        text: expect.stringContaining("Fork Resolver couldn't respond. The fork is still open") as string,
        metadata: { kind: "error", taskId: task.id },
      },
    ]);
    await team.failed(task.id, "Twice.");
    expect((await listMessages(store, team.inFork, page)).items).toHaveLength(1);
    expect((await requestResolution(store, fork, admin)).id).not.toBe(task.id);
  });

  test("a task under way is cancelled when its fork is posted, abandoned or reopened, and its late draft is ignored", async () => {
    await using team = await newFork();
    const { store, fork, admin } = team;
    for (const end of [
      () => abandonFork(store, fork, admin),
      () => reopenFork(store, fork, admin),
      () => postResolution(store, fork, "Peas.", admin),
    ]) {
      const task = await requestResolution(store, fork, admin);
      const answer = (await sendMessage(store, team.inFork, { text: "@coder?" }, admin)).tasks[0];
      await end();
      expect(await team.taskRow(task.id)).toMatchObject({ status: "cancelled", completed_at: expect.any(Number) });
      const { status } = await team.read();
      expect((await team.taskRow(answer?.id ?? "")).status).toBe(status === "open" ? "queued" : "cancelled");
      await team.drafted(task.id, "late");
      await team.failed(task.id, "late");
      expect(await team.read()).toMatchObject({ status, draft: null });
      if (status !== "open") await reopenFork(store, fork, admin);
    }
    const first = await requestResolution(store, fork, admin);
    await reopenFork(store, fork, admin);
    const second = await requestResolution(store, fork, admin);
    await team.drafted(first.id, "late");
    expect((await team.read()).draft).toBeNull();
    await team.drafted(second.id, "in time");
    expect((await team.read()).draft).toBe("in time");
  });

  test("a fork that is reopened keeps its resolution in the thread, marked", async () => {
    await using team = await newFork();
    const { store, fork, admin } = team;
    const { message } = await postResolution(store, fork, "Peas.", admin);
    await expect(postResolution(store, fork, "Beans.", admin)).rejects.toMatchObject({
      code: "conflict",
      message: "the fork is resolved already",
    });
    await reopenFork(store, fork, admin);
    await expect(reopenFork(store, fork, admin)).rejects.toMatchObject({ code: "conflict" });
    const marked = { kind: "resolution", forkId: fork, isReopened: true };
    expect((await listMessages(store, team.place, page)).items[1]).toMatchObject({ id: message.id, metadata: marked });
    expect(await team.events()).toContain("message.updated");
    const { message: next } = await postResolution(store, fork, "Beans.", admin);
    expect(await team.read()).toMatchObject({ status: "resolved", resolution_id: next.id });
    expect((await listMessages(store, team.place, page)).items).toMatchObject([
      {},
      { text: "Peas.", metadata: marked },
      { text: "Beans.", metadata: { kind: "resolution", forkId: fork } },
    ]);
  });

  test("another agent drafts where the settings or whoever asks say so, and none that isn't active", async () => {
    await using team = await newFork();
    const { store, fork, admin, workspaceId } = team;
    await updateWorkspace(store, workspaceId, { settings: { resolver: "assistant" } }, admin);
    const assistant = (await listAgents(store, workspaceId)).find(({ slug }) => slug === "assistant");
    expect(await requestResolution(store, fork, admin)).toMatchObject({ agent_id: assistant?.id });
    await reopenFork(store, fork, admin);
    await setAgentActive(store, assistant?.id ?? "", false, admin);
    await expect(requestResolution(store, fork, admin)).rejects.toMatchObject({ code: "conflict" });
    expect((await team.read()).status).toBe("open");
    const coder = (await listAgents(store, workspaceId)).find(({ slug }) => slug === "coder");
    expect(await requestResolution(store, fork, admin, "coder")).toMatchObject({ agent_id: coder?.id });
  });

  test("the forks of a thread are listed newest first", async () => {
    await using team = await newFork();
    const { store, admin, fork, message, place } = team;
    const { id } = await createFork(store, place.threadId, { messageId: message.id, description: "price" }, admin);
    const first = await listForks(store, place.threadId, admin, { limit: 1, cursor: null });
    expect(first).toMatchObject({ items: [{ id }], next: id });
    expect(await listForks(store, place.threadId, admin, { limit: 1, cursor: first.next })).toMatchObject({
      items: [{ id: fork }],
      next: null,
    });
  });
});
