/** One who listens and doesn't read. */
import { connect } from "node:net";
import { expect, test } from "vitest";
import { usualListenerLimits } from "../../../../web/api/events/listeners.ts";
import type { Thread } from "../../../../workspace/records/thread.ts";
import { EventReader } from "../../../channels/sse.ts";
import { describeDatabases } from "../../../workspace/temporary-store.ts";
import { ApiSystem, ownerToken } from "../api-system.ts";
import { untilTaken } from "./until-taken.ts";

describeDatabases((newTarget) => {
  test("one who doesn't read holds up nobody, is closed, and comes back to what they missed", async () => {
    await using api = await ApiSystem.start(await newTarget(), {
      limits: { ...usualListenerLimits, all: 2, unreadMs: 3000 },
    });
    const { id } = await api.workspace();
    const thread = await api.owner.post<Thread>(`/workspaces/${id}/threads`, { title: "Seeds" });
    const events = `/api/v1/workspaces/${id}/events`;
    const listen = (headers?: Record<string, string>) => EventReader.open(api.url + events, ownerToken, headers);
    const { port } = new URL(api.url);
    const deaf = connect(Number(port), "127.0.0.1");
    deaf.write(`GET ${events} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${ownerToken}\r\n\r\n`);
    await new Promise((resolve) => deaf.once("data", resolve));
    deaf.pause();
    await using one = await listen();
    const text = "x".repeat(600_000);
    for (let index = 0; index < 20; index++) await api.owner.post(`/threads/${thread.id}/messages`, { text });
    expect((await one.next(20)).length).toBe(20);
    // There may be two: while it is open, nobody else gets in.
    await using back = await untilTaken(() => listen({ "Last-Event-ID": "1" }));
    deaf.destroy();
    const idsOf = (reader: EventReader) => reader.events.map(({ id }) => id);
    await back.next(20);
    expect(idsOf(back)).toEqual(idsOf(one));
  });
});
