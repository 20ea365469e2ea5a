import { expect, test } from "vitest";
import { dropOldRows } from "../../../../workspace/database/retention/old-rows.ts";
import { createThread } from "../../../../workspace/threads/threads.ts";
import { sendMessage } from "../../../../workspace/threads/messages.ts";
import { EventReader } from "../../../channels/sse.ts";
import { ApiSystem } from "../../../web/api/api-system.ts";
import type { Thread } from "../../../../workspace/records/thread.ts";
import { describeDatabases, newTeam } from "../../temporary-store.ts";

const day = 24 * 3_600_000;

describeDatabases((newTarget) => {
  test("events go after 30 days, the oldest first, and their messages stay", async () => {
    await using team = await newTeam(await newTarget());
    const { store, workspaceId, admin } = team;
    const { id: threadId } = await createThread(store, "Seeds", admin);
    for (let turn = 0; turn < 4; turn++)
      await sendMessage(store, { threadId, forkId: null }, { text: `${turn}` }, admin);
    const now = Date.now();
    expect(await dropOldRows(store.database, now + 29 * day)).toBe(0);
    expect(await store.changes.droppedUpTo(workspaceId)).toBe(0);
    // The clock was set back in between: 4 stays, and with it all behind it.
    await store.database
      .updateTable("events")
      .set({ created_at: now + 2 * day })
      .where("number", "=", 4)
      .execute();
    expect(await dropOldRows(store.database, now + 31 * day)).toBe(3);
    expect((await store.changes.eventsAfter(workspaceId, 0, 10)).map(({ id }) => id)).toEqual([4, 5]);
    expect(await store.changes.droppedUpTo(workspaceId)).toBe(3);
    expect(await dropOldRows(store.database, now + 40 * day)).toBe(2);
    expect(await store.changes.droppedUpTo(workspaceId)).toBe(5);
    expect(await store.database.selectFrom("messages").select("id").execute()).toHaveLength(4);
  });

  test("who comes back too late is told so, and goes on with what is kept", async () => {
    await using api = await ApiSystem.start(await newTarget());
    const { id } = await api.workspace();
    const thread = await api.owner.post<Thread>(`/workspaces/${id}/threads`, { title: "Seeds" });
    for (let turn = 0; turn < 3; turn++) await api.owner.post(`/threads/${thread.id}/messages`, { text: `${turn}` });
    await api.store.database.deleteFrom("events").where("number", "<=", 2).execute();
    const listen = (last: string) =>
      EventReader.open(`${api.url}/api/v1/workspaces/${id}/events`, api.owner.token ?? "", { "Last-Event-ID": last });
    await using late = await listen("1");
    expect((await late.next(3)).map((event) => [event.id, event.event])).toEqual([
      ["2", "events.dropped"],
      ["3", "message.created"],
      ["4", "message.created"],
    ]);
    await using inTime = await listen("2");
    expect((await inTime.next(2)).map((event) => event.id)).toEqual(["3", "4"]);
  });
});
