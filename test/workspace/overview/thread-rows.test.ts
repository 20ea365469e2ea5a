import { expect, test } from "vitest";
import { abandonFork } from "../../../workspace/forks/end-fork.ts";
import { listThreadRows } from "../../../workspace/overview/thread-rows.ts";
import { listThreadTasks } from "../../../workspace/overview/thread-tasks.ts";
import { createFork } from "../../../workspace/threads/forks.ts";
import { sendMessage } from "../../../workspace/threads/messages.ts";
import { createThread } from "../../../workspace/threads/threads.ts";
import { describeDatabases, newTeam } from "../temporary-store.ts";

const page = { limit: 2, cursor: null };

describeDatabases((newTarget) => {
  test("a row has the beginning of the thread's last message, and the forks that haven't ended with their messages", async () => {
    await using team = await newTeam(await newTarget());
    const { store, admin } = team;
    const { id: threadId } = await createThread(store, "Seeds", admin);
    const place = { threadId, forkId: null };
    const { message } = await sendMessage(store, place, { text: "Beans or peas?" }, admin);
    const begun = { messageId: message.id, description: "which" };
    const { id: forkId } = await createFork(store, threadId, begun, admin);
    const { id: endedId } = await createFork(store, threadId, begun, admin);
    await abandonFork(store, endedId, admin);
    await sendMessage(store, { threadId, forkId }, { text: "Peas." }, admin);
    await sendMessage(store, { threadId, forkId }, { text: "Yes, peas." }, admin);
    const long = `${"🌱".repeat(300)}`;
    await sendMessage(store, place, { text: `a${long}` }, admin);
    const { items } = await listThreadRows(store, admin, page);
    expect(items).toMatchObject([
      {
        thread: { id: threadId, title: "Seeds" },
        last: { author_name: "Ada", author_type: "human" },
        forks: [{ id: forkId, message_id: message.id, status: "open", messages: 2 }],
      },
    ]);
    const text = items[0]?.last?.text ?? "";
    expect(text.length).toBeLessThanOrEqual(200);
    expect(text.isWellFormed()).toBe(true);
  });

  test("rows come newest thread first, page by page, of this workspace alone", async () => {
    await using team = await newTeam(await newTarget());
    await using other = await newTeam(await newTarget());
    await createThread(other.store, "elsewhere", other.admin);
    for (const title of ["one", "two", "three"]) await createThread(team.store, title, team.admin);
    const first = await listThreadRows(team.store, team.admin, page);
    const second = await listThreadRows(team.store, team.admin, { ...page, cursor: first.next });
    expect([...first.items, ...second.items].map(({ thread, last }) => [thread.title, last])).toEqual([
      ["three", null],
      ["two", null],
      ["one", null],
    ]);
    expect(second.next).toBeNull();
  });

  test("a thread's tasks are listed with those of its forks, newest first, without what was asked", async () => {
    await using team = await newTeam(await newTarget());
    const { store, admin } = team;
    const { id: threadId } = await createThread(store, "Seeds", admin);
    const sent = await sendMessage(store, { threadId, forkId: null }, { text: "@coder?" }, admin);
    const begun = { messageId: sent.message.id, description: "which" };
    const { id: forkId } = await createFork(store, threadId, begun, admin);
    const inFork = await sendMessage(store, { threadId, forkId }, { text: "@assistant?" }, admin);
    const { items } = await listThreadTasks(store, threadId, admin, page);
    expect(items.map(({ id }) => id)).toEqual([inFork.tasks[0]?.id, sent.tasks[0]?.id]);
    expect(items.some((task) => "input" in task)).toBe(false);
    const stranger = { ...admin, workspaceId: "01900000-0000-7000-8000-000000000000" };
    await expect(listThreadTasks(store, threadId, stranger, page)).rejects.toMatchObject({ code: "not_found" });
  });
});
