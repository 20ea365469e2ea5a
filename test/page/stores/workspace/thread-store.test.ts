import { expect, test } from "vitest";
import { TeamStore } from "../../../../page/stores/workspace/team-store.ts";
import { type Task, ThreadStore } from "../../../../page/stores/workspace/thread-store.ts";

const task = (status: Task["status"]) => ({ id: "1", thread_id: "thread", status }) as Task;

test.each<[string, Task["status"][], Task["status"]]>([
  ["goes on", ["queued", "running", "completed"], "completed"],
  ["runs before the answer to its message is here", ["running", "queued"], "running"],
  ["has failed before that", ["running", "failed", "queued", "running"], "failed"],
])("a task that %s is shown as far as it has come", (_, told, shown) => {
  const thread = new ThreadStore(new TeamStore("team"), "thread");
  for (const status of told) thread.takeTask(task(status));
  expect(thread.tasks.value.get("1")?.status).toBe(shown);
});
