import { expect, test } from "vitest";
import { queueSummary, wantedOf } from "../../../workspace/background/queue-summary.ts";
import { threadSummarized } from "../../../workspace/background/thread-summarized.ts";
import { sendMessage } from "../../../workspace/threads/messages.ts";
import { createThread, readThread } from "../../../workspace/threads/threads.ts";
import { updateWorkspace } from "../../../workspace/workspaces.ts";
import { describeDatabases, newTeam } from "../temporary-store.ts";

describeDatabases((newTarget) => {
  test("more than 20 new messages are summed up, of which the summary itself is none", async () => {
    await using team = await newTeam(await newTarget());
    const { store, workspaceId, admin } = team;
    expect(await wantedOf(store, workspaceId)).toBeNull();
    await updateWorkspace(store, workspaceId, { settings: { thread_summaries: true } }, admin);
    const { id: threadId } = await createThread(store, "Seeds", admin);
    const say = async (count: number) => {
      for (let index = 0; index < count; index++)
        await sendMessage(store, { threadId, forkId: null }, { text: `n${index}` }, admin);
    };
    const look = async () => {
      const wanted = await wantedOf(store, workspaceId);
      if (wanted) await queueSummary(store, workspaceId, threadId, wanted);
      return store.database.selectFrom("tasks").selectAll().orderBy("id").execute();
    };
    await say(20);
    expect(await look()).toHaveLength(0);
    await say(1);
    expect(await look()).toHaveLength(1);
    const [task] = await look();
    if (!task) throw new Error("there is no task");
    await store.database.updateTable("tasks").set({ is_open: 0, status: "completed" }).execute();
    await store.changes.make(workspaceId, (change) => threadSummarized(change, task, "They count."));
    expect((await readThread(store, threadId, admin)).summary_id).not.toBeNull();
    await say(20);
    expect(await look()).toHaveLength(1);
    await say(1);
    expect(await look()).toHaveLength(2);
  });
});
