/** The last page of a thread is read from the index, however long the thread is. */
import { CompiledQuery } from "kysely";
import { expect, test } from "vitest";
import { lastBefore, sendMessage } from "../../../workspace/threads/messages.ts";
import { createThread } from "../../../workspace/threads/threads.ts";
import { describeDatabases, newTeam } from "../temporary-store.ts";

describeDatabases((newTarget) => {
  test.each(["of the thread itself", "of a fork"])("the last messages %s are read without sorting", async (where) => {
    const target = await newTarget();
    await using team = await newTeam(target);
    const { id: threadId } = await createThread(team.store, "Seeds", team.admin);
    await sendMessage(team.store, { threadId, forkId: null }, { text: "hello" }, team.admin);
    const { database } = team.store;
    const forkId = where === "of a fork" ? "f1" : null;
    const { sql, parameters } = lastBefore(database, { threadId, forkId }, 9).limit(50).compile();
    const plan = await database.transaction().execute(async (tables) => {
      const explain = "file" in target ? "EXPLAIN QUERY PLAN" : "EXPLAIN";
      // Of so small a table PostgreSQL reads all; this asks how it would read a large one.
      if ("url" in target) await tables.executeQuery(CompiledQuery.raw("SET LOCAL enable_seqscan = off"));
      return tables.executeQuery(CompiledQuery.raw(`${explain} ${sql}`, [...parameters]));
    });
    const steps = JSON.stringify(plan.rows);
    expect(steps).toContain("messages_of_thread");
    expect(steps).not.toMatch(/sort|temp b-tree/i);
  });
});
