import { expect, test } from "vitest";
import { createAgent, listAgents, setAgentActive, updateAgent } from "../../../workspace/agents/agents.ts";
import { NewAgent } from "../../../workspace/records/agent.ts";
import { abandonFork, postResolution, reopenFork } from "../../../workspace/forks/end-fork.ts";
import { createFork, readFork } from "../../../workspace/threads/forks.ts";
import { coverageOf } from "../../../workspace/context/summaries.ts";
import { addMessage, listMessages, sendMessage, setMessage } from "../../../workspace/threads/messages.ts";
import { createThread, listThreads, updateThread } from "../../../workspace/threads/threads.ts";
import { describeDatabases, newTeam } from "../temporary-store.ts";

const page = { limit: 50, cursor: null };

describeDatabases((newTarget) => {
  async function newThread() {
    const team = await newTeam(await newTarget());
    const { id } = await createThread(team.store, "Seeds", team.admin);
    return { ...team, place: { threadId: id, forkId: null } };
  }

  test("messages are listed in the order of their events, page by page", async () => {
    await using team = await newThread();
    const { store, place, admin } = team;
    await Promise.all(Array.from({ length: 25 }, (_, index) => sendMessage(store, place, { text: `${index}` }, admin)));
    const events = await store.changes.eventsAfter(team.workspaceId, 0, 100);
    const told = events.flatMap((event) => (event.event === "message.created" ? [event.data.message] : []));
    const newest = await listMessages(store, place, { limit: 10, cursor: null });
    const older = await listMessages(store, place, { limit: 10, cursor: newest.next });
    const oldest = await listMessages(store, place, { limit: 10, cursor: older.next });
    expect([...oldest.items, ...older.items, ...newest.items]).toEqual(told);
    expect([oldest.items.length, oldest.next]).toEqual([5, null]);
  });

  test("a message and the tasks of the agents that it mentions are stored and told of together", async () => {
    await using team = await newThread();
    const { store, place, admin } = team;
    const text = "@coder and @Assistant: which? @nobody, @_fork-resolver and `@coder` too";
    const { message, tasks } = await sendMessage(store, place, { text }, admin);
    const slugs = new Map((await listAgents(store, team.workspaceId)).map(({ id, slug }) => [id, slug]));
    expect(message).toMatchObject({ text, author_type: "human", author_name: "Ada", fork_id: null, parts: [] });
    expect(tasks.map((task) => [slugs.get(task.agent_id), task.status, task.after_task_id])).toEqual([
      ["coder", "queued", null],
      ["assistant", "queued", null],
    ]);
    expect(tasks[0]).toMatchObject({ trigger_message_id: message.id, input: { prompt: text }, agent_version: 1 });
    const events = await store.changes.eventsAfter(team.workspaceId, 1, 10);
    expect(events.map(({ event }) => event)).toEqual(["message.created", "task.status_changed", "task.status_changed"]);
  });

  test("a text that is written anew says when, and what was made from it before covers it no more", async () => {
    await using team = await newThread();
    const { store, place, workspaceId } = team;
    const change = store.changes.make.bind(store.changes, workspaceId);
    const answer = { parent_id: null, author_type: "agent", author_id: null, author_name: "Coder", parts: [] } as const;
    const { id } = await store.changes.make(workspaceId, (made) =>
      addMessage(made, workspaceId, { ...place, ...answer, parts: [], text: "", metadata: {} }),
    );
    const now = async () => (await listMessages(store, place, page)).items;
    // It was begun empty, and is whole.
    await change((made) => setMessage(made, id, { text: "Beans." }));
    expect(await now()).toMatchObject([{ text: "Beans.", edited_at: null }]);
    await change((made) => setMessage(made, id, { text: "Beans.", metadata: { isCutOff: true } }));
    const before = await now();
    expect(before).toMatchObject([{ metadata: { isCutOff: true }, edited_at: null }]);
    await change((made) => setMessage(made, id, { text: "Peas." }));
    const [edited] = await now();
    expect(edited).toMatchObject({ text: "Peas.", edited_at: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect(coverageOf(await now())).not.toBe(coverageOf(before));
    const told = (await store.changes.eventsAfter(workspaceId, 0, 100)).at(-1);
    expect(told).toMatchObject({ event: "message.updated", data: { message: edited } });
  });

  test("a text of more names than a query takes mentions those that there are", async () => {
    await using team = await newThread();
    const names = Array.from({ length: 70_000 }, (_, index) => `@x${index}`);
    const text = [...names, "@coder"].join(" ");
    const { tasks } = await sendMessage(team.store, team.place, { text }, team.admin);
    expect(tasks).toHaveLength(1);
  });

  test("a second agent behind `then` waits for the first one", async () => {
    await using team = await newThread();
    const text = "@coder write it, then @assistant sum it up";
    const { tasks } = await sendMessage(team.store, team.place, { text }, team.admin);
    expect(tasks.map(({ after_task_id }) => after_task_id)).toEqual([null, tasks[0]?.id]);
  });

  test("an agent that isn't active is no mention, and a task keeps its version", async () => {
    await using team = await newThread();
    const { store, place, admin } = team;
    const agent = await createAgent(
      store,
      NewAgent.parse({ slug: "poet", name: "poet", display_name: "Poet", system_prompt: "You write." }),
      admin,
    );
    const { tasks } = await sendMessage(store, place, { text: "@poet!" }, admin);
    await updateAgent(store, agent.id, { max_tokens: 1 }, admin);
    await setAgentActive(store, agent.id, false, admin);
    expect((await sendMessage(store, place, { text: "@poet?" }, admin)).tasks).toEqual([]);
    const row = await store.database.selectFrom("tasks").selectAll().executeTakeFirstOrThrow();
    expect([row.id, row.agent_version]).toEqual([tasks[0]?.id, 1]);
  });

  test("a text of a megabyte is stored as it is", async () => {
    await using team = await newThread();
    const text = `${"\u0001\u202e<b>ü\n".repeat(100_000)}@coder`;
    await sendMessage(team.store, team.place, { text }, team.admin);
    const { items } = await listMessages(team.store, team.place, page);
    expect(items[0]?.text === text).toBe(true);
  });

  test("an answer is to a message of the same place", async () => {
    await using team = await newThread();
    const { store, place, admin } = team;
    const { message } = await sendMessage(store, place, { text: "one" }, admin);
    const answer = await sendMessage(store, place, { text: "two", parent: message.id }, admin);
    expect(answer.message.parent_id).toBe(message.id);
    const other = await createThread(store, "Weeds", admin);
    const elsewhere = sendMessage(
      store,
      { threadId: other.id, forkId: null },
      { text: "x", parent: message.id },
      admin,
    );
    await expect(elsewhere).rejects.toMatchObject({ code: "not_found" });
  });

  test("threads are listed newest first, and edited", async () => {
    await using team = await newThread();
    const { store, place, admin } = team;
    const { id } = await createThread(store, "Weeds", admin);
    const first = await listThreads(store, admin, { limit: 1, cursor: null });
    expect(first).toMatchObject({ items: [{ id, title: "Weeds" }], next: id });
    expect(await listThreads(store, admin, { limit: 1, cursor: first.next })).toMatchObject({
      items: [{ id: place.threadId }],
      next: null,
    });
    expect(await updateThread(store, id, { is_brief: true }, admin)).toMatchObject({ title: "Weeds", is_brief: true });
  });

  test("a fork has its own messages, and ends with one resolution in the thread", async () => {
    await using team = await newThread();
    const { store, place, admin } = team;
    const bea = await team.invite("Bea");
    const { message } = await sendMessage(store, place, { text: "Beans or peas?" }, admin);
    const fork = await createFork(
      store,
      place.threadId,
      { messageId: message.id, description: "which is hardier" },
      bea,
    );
    const inFork = { threadId: place.threadId, forkId: fork.id };
    await sendMessage(store, inFork, { text: "Peas, I think." }, bea);
    expect((await listMessages(store, place, page)).items).toHaveLength(1);
    expect((await listMessages(store, inFork, page)).items).toMatchObject([
      { text: "Peas, I think.", fork_id: fork.id },
    ]);

    const posted = await Promise.allSettled([
      postResolution(store, fork.id, "Peas.", admin),
      postResolution(store, fork.id, "Peas!", bea),
    ]);
    expect(posted.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(posted.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "conflict" } });
    const resolutions = (await listMessages(store, place, page)).items.filter(
      ({ metadata }) => metadata.kind === "resolution",
    );
    expect(resolutions).toMatchObject([{ parent_id: message.id, fork_id: null, metadata: { forkId: fork.id } }]);
    await expect(sendMessage(store, inFork, { text: "wait" }, bea)).rejects.toMatchObject({ code: "conflict" });

    expect(await reopenFork(store, fork.id, bea)).toMatchObject({ status: "open", resolution_id: resolutions[0]?.id });
    await sendMessage(store, inFork, { text: "wait" }, bea);
    expect(await abandonFork(store, fork.id, bea)).toMatchObject({ status: "abandoned" });
    await expect(abandonFork(store, fork.id, bea)).rejects.toMatchObject({ code: "conflict" });
    expect(await readFork(store, fork.id, admin)).toMatchObject({ status: "abandoned" });
  });

  test("a fork begins at a message of the thread itself", async () => {
    await using team = await newThread();
    const { store, place, admin } = team;
    const { message } = await sendMessage(store, place, { text: "one" }, admin);
    const fork = await createFork(store, place.threadId, { messageId: message.id, description: "x" }, admin);
    const { message: within } = await sendMessage(store, { ...place, forkId: fork.id }, { text: "two" }, admin);
    const again = createFork(store, place.threadId, { messageId: within.id, description: "y" }, admin);
    await expect(again).rejects.toMatchObject({ code: "conflict" });
    const unknown = createFork(store, place.threadId, { messageId: fork.id, description: "y" }, admin);
    await expect(unknown).rejects.toMatchObject({ code: "not_found" });
  });
});
