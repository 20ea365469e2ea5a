import { expect, test } from "vitest";
import { openWorkspaceStore } from "../../../../workspace/database/changes/store.ts";
import { memberOf } from "../../../../workspace/people/access.ts";
import { createThread } from "../../../../workspace/threads/threads.ts";
import { describeDatabases, newTeam } from "../../temporary-store.ts";

describeDatabases((newTarget) => {
  test("a change that fails leaves neither records nor events", async () => {
    await using team = await newTeam(await newTarget());
    const { store, workspaceId, admin } = team;
    const thread = await createThread(store, "Seeds", admin);
    const failing = store.changes.make(workspaceId, async ({ tables, tell }) => {
      await tables.updateTable("threads").set({ title: "Weeds" }).where("id", "=", thread.id).execute();
      await tell("thread.updated", { thread: { ...thread, title: "Weeds" } });
      throw new Error("cut off");
    });
    await expect(failing).rejects.toThrow("cut off");
    expect(await store.changes.eventsAfter(workspaceId, 0, 10)).toEqual([
      { id: 1, event: "thread.updated", data: { thread } },
    ]);
    const { title } = await store.database.selectFrom("threads").select("title").executeTakeFirstOrThrow();
    expect(title).toBe("Seeds");
  });

  test("programs that change a workspace at once number its events one after the other", async () => {
    const target = await newTarget();
    await using team = await newTeam(target);
    const stores = await Promise.all([1, 2, 3].map(() => openWorkspaceStore(target)));
    const admin = await memberOf(team.store, team.workspaceId, team.admin.userId);
    const made = stores.flatMap((store, index) =>
      Array.from({ length: 10 }, (_, turn) => createThread(store, `${index}/${turn}`, admin)),
    );
    await Promise.all(made);
    const events = await team.store.changes.eventsAfter(team.workspaceId, 0, 100);
    expect(events.map(({ id }) => id)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    for (const store of stores) await store[Symbol.asyncDispose]();
  });

  test("a listener is called after a change, and finds it", async () => {
    await using team = await newTeam(await newTarget());
    const { changes } = team.store;
    const heard: Promise<number>[] = [];
    using _listening = changes.listen((id) => heard.push(changes.eventsAfter(id, 0, 10).then(({ length }) => length)));
    await createThread(team.store, "Seeds", team.admin);
    expect(await Promise.all(heard)).toEqual([1]);
  });
});
