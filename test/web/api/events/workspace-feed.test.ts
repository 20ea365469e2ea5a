/** The feed of a workspace whose database is away for a moment. */
import { expect, test } from "vitest";
import type { WorkspaceEvent } from "../../../../workspace/records/events.ts";
import { type FeedListener, WorkspaceFeed } from "../../../../web/api/events/workspace-feed.ts";

const event: WorkspaceEvent = { id: 1, event: "member.removed", data: { workspace_id: "w", user_id: "u" } as never };

/** A listener from the beginning, and what it was handed. */
function listener() {
  const ended = Promise.withResolvers<void>();
  const handed = Promise.withResolvers<number | null>();
  const one: FeedListener = {
    position: 0,
    takeFrame: (_, number) => handed.resolve(number),
    check: () => {},
    end: () => ended.resolve(),
  };
  return { one, ended: ended.promise, handed: handed.promise };
}

test("an event that couldn't be read when it was heard of is handed out when it is heard of again", async () => {
  let isAway = true;
  const eventsAfter = async () => {
    if (isAway) throw new Error("the database is away");
    return [event];
  };
  const feed = new WorkspaceFeed({ changes: { eventsAfter } } as never, "w", 0);
  const first = listener();
  feed.join(first.one);
  feed.changed(1);
  await first.ended;
  feed.leave(first.one);
  isAway = false;
  const second = listener();
  feed.join(second.one);
  feed.changed(1);
  expect(await second.handed).toBe(1);
});
