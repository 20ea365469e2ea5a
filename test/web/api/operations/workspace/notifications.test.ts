/** Notifications over HTTP: each member hears what their level says, from where they have read. */
import { expect, test } from "vitest";
import type { Notification } from "../../../../../workspace/records/notification.ts";
import type { Message, Thread } from "../../../../../workspace/records/thread.ts";
import { describeDatabases } from "../../../../workspace/temporary-store.ts";
import { ApiSystem } from "../../api-system.ts";

describeDatabases((newTarget) => {
  test("a member is told of all that others say, of what is for them, or of nothing, as they have set it", async () => {
    await using api = await ApiSystem.start(await newTarget());
    const { id } = await api.workspace();
    const levels = ["all", "mentions", "none"] as const;
    const [all, mentions, none] = await Promise.all(levels.map((level) => api.invite(id, level)));
    if (!all || !mentions || !none) throw new Error("they weren't invited");
    for (const [index, member] of [all, mentions, none].entries()) {
      const set = await member.call("PATCH", `/members/${member.member.id}`, { notifications: levels[index] });
      expect([set.status, set.body]).toMatchObject([200, { notifications: levels[index] }]);
    }
    const thread = await api.owner.post<Thread>(`/workspaces/${id}/threads`, { title: "Beds" });
    const path = `/threads/${thread.id}/messages`;
    const say = async (by: typeof api.owner, text: string, more = {}) =>
      (await by.post<{ message: Message }>(path, { text, ...more })).message;
    await say(api.owner, "Hello.");
    await say(api.owner, "@all @mentions @none, who waters?");
    for (const member of [all, mentions, none]) {
      const { id: parent, text } = await say(member, `I do, says ${member.user.name}`);
      await say(api.owner, `Thanks for: ${text}`, { parent });
    }
    const toldOf = async ({ get }: typeof api.owner) => {
      const { items } = await get<{ items: Notification[] }>(`/workspaces/${id}/notifications`);
      return items.toReversed().map(({ reason, message: { text } }) => `${reason}: ${text}`);
    };
    expect(await toldOf(all)).toEqual([
      "message: Hello.",
      "mention: @all @mentions @none, who waters?",
      "answer: Thanks for: I do, says all",
      "message: I do, says mentions",
      "message: Thanks for: I do, says mentions",
      "message: I do, says none",
      "message: Thanks for: I do, says none",
    ]);
    expect(await toldOf(mentions)).toEqual([
      "mention: @all @mentions @none, who waters?",
      "answer: Thanks for: I do, says mentions",
    ]);
    expect(await toldOf(none)).toEqual([]);
    const last = (await say(api.owner, "@mentions, once more")).id;
    await say(api.owner, "@mentions, and again");
    expect((await mentions.call("POST", `/workspaces/${id}/notifications/read`, { message_id: last })).status).toBe(
      204,
    );
    expect(await toldOf(mentions)).toEqual(["mention: @mentions, and again"]);
    expect((await all.call("POST", `/workspaces/${id}/notifications/read`, {})).status).toBe(204);
    expect(await toldOf(all)).toEqual([]);
  });
});
