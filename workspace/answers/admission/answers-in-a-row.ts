/** How many answers, each begun on the one before, have been given since a person last spoke there. */
import type { Database } from "../../database/connection/open-database.ts";
import type { TaskTable } from "../../database/tables/tables.ts";

export async function answersInARow(
  tables: Pick<Database, "selectFrom">,
  { thread_id, fork_id, after_task_id }: TaskTable,
): Promise<number> {
  const spoken = await tables
    .selectFrom("messages")
    .select("position")
    .where("thread_id", "=", thread_id)
    .where("fork_id", fork_id === null ? "is" : "=", fork_id)
    .where("author_type", "=", "human")
    .orderBy("position", "desc")
    .limit(1)
    .executeTakeFirst();
  let count = 0;
  for (let id = after_task_id; id !== null; count++) {
    const answer = await tables
      .selectFrom("tasks")
      .leftJoin("messages", "messages.id", "tasks.output_message_id")
      .select(["tasks.after_task_id", "messages.position"])
      .where("tasks.id", "=", id)
      .executeTakeFirst();
    if (!answer || (answer.position ?? 0) < (spoken?.position ?? 0)) return count;
    id = answer.after_task_id;
  }
  return count;
}
