import { expect, test } from "vitest";
import { listNotifications, markRead } from "../../../workspace/notifications/notifications.ts";
import { handleOf } from "../../../workspace/people/handle.ts";
import { listMembers, updateMember } from "../../../workspace/people/members.ts";
import { memberOf } from "../../../workspace/people/access.ts";
import { createUser } from "../../../workspace/people/members.ts";
import { sendMessage } from "../../../workspace/threads/messages.ts";
import { createThread } from "../../../workspace/threads/threads.ts";
import { createWorkspace } from "../../../workspace/workspaces.ts";
import { describeDatabases, newTeam } from "../temporary-store.ts";

const page = { limit: 50, cursor: null };

test.each([
  ["Ada", "ada"],
  ["Zoë  Müller-Lüdenscheidt (she)", "zoe-muller-ludenscheidt-she"],
  ["名前", ""],
])("%s is mentioned as @%s", (name, handle) => expect(handleOf(name)).toBe(handle));

describeDatabases((newTarget) => {
  async function newThread() {
    const team = await newTeam(await newTarget());
    const { store, admin } = team;
    const { id } = await createThread(store, "Seeds", admin);
    const bea = await team.invite("Bea Ray");
    const place = { threadId: id, forkId: null };
    return {
      ...team,
      bea,
      say: async (text: string, actor = admin, parent?: string) =>
        (await sendMessage(store, place, { text, parent }, actor)).message,
      told: async (limit = 50, cursor: string | null = null) => {
        const { items, next } = await listNotifications(store, bea, { limit, cursor });
        return { said: items.map(({ message, reason }) => `${reason}: ${message.text}`), next };
      },
    };
  }

  test("a member hears of what names or answers them, of all of others, or of nothing, as they say", async () => {
    await using team = await newThread();
    const { store, admin, bea } = team;
    const [member] = (await listMembers(store, admin)).filter(({ name }) => name === "Bea Ray");
    expect(member).toMatchObject({ handle: "bea-ray", notifications: "mentions" });
    const asked = await team.say("Who has beans?", bea);
    await team.say("I think of peas.");
    const answer = await team.say("I do.", admin, asked.id);
    const named = await team.say("@Bea-Ray, take them. @ada doesn't, `@bea-ray`.");
    expect(named.metadata).toEqual({ mentions: [bea.userId] });
    expect(answer.metadata).toEqual({ mentions: [bea.userId] });
    const both = ["mention: @Bea-Ray, take them. @ada doesn't, `@bea-ray`.", "answer: I do."];
    expect(await team.told()).toEqual({ said: both, next: null });
    await updateMember(store, bea.memberId, { notifications: "all" }, bea);
    expect((await team.told()).said).toEqual([...both, "message: I think of peas."]);
    const first = await team.told(2);
    expect(first.said).toEqual(both);
    expect(await team.told(2, first.next)).toEqual({ said: ["message: I think of peas."], next: null });
    await updateMember(store, bea.memberId, { notifications: "none" }, bea);
    expect(await team.told()).toEqual({ said: [], next: null });
  });

  test("what is read isn't told of again, and reading never goes back", async () => {
    await using team = await newThread();
    const { store, bea } = team;
    const [one, two] = [await team.say("@bea-ray one"), await team.say("@bea-ray two")];
    await markRead(store, { message_id: one.id }, bea);
    expect((await team.told()).said).toEqual(["mention: @bea-ray two"]);
    await markRead(store, { message_id: two.id }, bea);
    await markRead(store, { message_id: one.id }, bea);
    expect((await team.told()).said).toEqual([]);
    await team.say("@bea-ray three");
    expect((await team.told()).said).toEqual(["mention: @bea-ray three"]);
    await markRead(store, {}, bea);
    expect((await team.told()).said).toEqual([]);
  });

  test("nobody is told of what they said themselves, or of another workspace's messages", async () => {
    await using team = await newThread();
    const { store, bea } = team;
    await updateMember(store, bea.memberId, { notifications: "all" }, bea);
    await team.say("@bea-ray, that is me", bea);
    expect((await team.told()).said).toEqual([]);
    const { user } = await createUser(store, "Bea Ray");
    const other = await createWorkspace(store, "Elsewhere", user.id);
    const stranger = await memberOf(store, other.id, user.id);
    const { id } = await team.say("@bea-ray");
    expect((await listNotifications(store, stranger, page)).items).toEqual([]);
    await expect(markRead(store, { message_id: id }, stranger)).rejects.toMatchObject({ code: "not_found" });
  });
});
