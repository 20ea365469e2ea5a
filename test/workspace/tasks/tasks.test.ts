import { expect, test } from "vitest";
import { setAgentActive } from "../../../workspace/agents/agents.ts";
import { postResolution, reopenFork } from "../../../workspace/forks/end-fork.ts";
import { createFork } from "../../../workspace/threads/forks.ts";
import { cancelTask, readTask, retryTask } from "../../../workspace/tasks/tasks.ts";
import { sendMessage } from "../../../workspace/threads/messages.ts";
import { createThread } from "../../../workspace/threads/threads.ts";
import { describeDatabases, newTeam } from "../temporary-store.ts";

describeDatabases((newTarget) => {
  async function newTask() {
    const team = await newTeam(await newTarget());
    const { id: threadId } = await createThread(team.store, "Seeds", team.admin);
    const place = { threadId, forkId: null };
    const { tasks } = await sendMessage(team.store, place, { text: "@coder, then @assistant" }, team.admin);
    const [task, next] = tasks;
    if (!task || !next) throw new Error("two agents are mentioned");
    return { ...team, task, next };
  }

  test("a task is cancelled once, and asked again as a new one for the same message", async () => {
    await using team = await newTask();
    const { store, task, admin } = team;
    await expect(retryTask(store, task.id, admin)).rejects.toMatchObject({ code: "conflict" });
    expect(await cancelTask(store, task.id, admin)).toMatchObject({ status: "cancelled", output: null });
    expect(await cancelTask(store, task.id, admin)).toEqual(await readTask(store, task.id, admin));
    const again = await retryTask(store, task.id, admin);
    expect(again).toMatchObject({ status: "queued", trigger_message_id: task.trigger_message_id, input: task.input });
    expect(again.id).not.toBe(task.id);
    await expect(retryTask(store, task.id, admin)).rejects.toMatchObject({ code: "conflict" });
    const events = await store.changes.eventsAfter(team.workspaceId, 4, 10);
    expect(events.map(({ event, data }) => [event, "task" in data && data.task.status])).toEqual([
      ["task.status_changed", "cancelled"],
      ["task.status_changed", "queued"],
    ]);
  });

  test("a task that is asked again begins on no answer that there isn't", async () => {
    await using team = await newTask();
    const { store, task, next, admin } = team;
    await cancelTask(store, task.id, admin);
    await cancelTask(store, next.id, admin);
    expect(next.after_task_id).toBe(task.id);
    expect(await retryTask(store, next.id, admin)).toMatchObject({ after_task_id: null });
  });

  test("in a fork that has ended no task is asked again", async () => {
    await using team = await newTask();
    const { store, task, admin } = team;
    const begun = { messageId: task.trigger_message_id, description: "which" };
    const { id: forkId } = await createFork(store, task.thread_id, begun, admin);
    const { tasks } = await sendMessage(store, { threadId: task.thread_id, forkId }, { text: "@coder?" }, admin);
    await postResolution(store, forkId, "Peas.", admin);
    const again = () => retryTask(store, tasks[0]?.id ?? "", admin);
    await expect(again()).rejects.toMatchObject({ code: "conflict", message: "the fork is resolved" });
    await reopenFork(store, forkId, admin);
    expect(await again()).toMatchObject({ status: "queued", fork_id: forkId });
  });

  test("an agent that isn't active isn't asked again, and another workspace's tasks aren't there", async () => {
    await using team = await newTask();
    const { store, task, admin } = team;
    await cancelTask(store, task.id, admin);
    await setAgentActive(store, task.agent_id, false, admin);
    await expect(retryTask(store, task.id, admin)).rejects.toMatchObject({ code: "conflict" });
    const stranger = { ...admin, workspaceId: "0199b1f0-0000-7000-8000-000000000000" };
    await expect(readTask(store, task.id, stranger)).rejects.toMatchObject({ code: "not_found" });
  });
});
