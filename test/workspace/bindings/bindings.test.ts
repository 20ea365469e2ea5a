import { expect, test } from "vitest";
import type { InboundMessage } from "../../../protocol/agents/channel.ts";
import { bindingCodeIn } from "../../../protocol/agents/binding-code.ts";
import {
  boundRooms,
  createBinding,
  listBindings,
  redeemBindingCode,
  removeBinding,
} from "../../../workspace/bindings/bindings.ts";
import { takeFromRoom } from "../../../workspace/bindings/from-room.ts";
import { identitiesOf, setIdentities } from "../../../workspace/bindings/identities.ts";
import { nextForRoom, noteSent } from "../../../workspace/bindings/to-room.ts";
import { setTask } from "../../../workspace/tasks/task-rows.ts";
import { createFork } from "../../../workspace/threads/forks.ts";
import { addMessage, listMessages, sendMessage } from "../../../workspace/threads/messages.ts";
import { createThread } from "../../../workspace/threads/threads.ts";
import { describeDatabases, newTeam } from "../temporary-store.ts";

const group = { type: "telegram", channelId: "-100" };
const page = { limit: 50, cursor: null };

let written = 0;
const from = (userId: string, text: string, more: Partial<InboundMessage> = {}): InboundMessage => ({
  id: `tg-${written++}`,
  text,
  channel: { ...group, userId },
  metadata: { name: `Name of ${userId}` },
  ...more,
});

test("a code stands alone or behind the command, in any case, and nowhere within a text", () => {
  const code = "bind-abcdefghij234567klmn";
  for (const text of [code, ` /bind ${code}\n`, `/bind@garden_bot ${code.toUpperCase()}`])
    expect(bindingCodeIn(text)).toBe(code);
  for (const text of [`say ${code}`, `${code}x`, "/bind", "bind-1", `/bind ${code} now`])
    expect(bindingCodeIn(text)).toBeNull();
});

describeDatabases((newTarget) => {
  async function newThread() {
    const team = await newTeam(await newTarget());
    const { id } = await createThread(team.store, "Seeds", team.admin);
    return { ...team, place: { threadId: id, forkId: null as string | null } };
  }

  async function bound() {
    const team = await newThread();
    const { store, admin, place } = team;
    const { code } = await createBinding(store, place.threadId, "telegram", admin);
    expect(await redeemBindingCode(store, code, group)).toBe("bound");
    const texts = async () => (await listMessages(store, place, page)).items.map(({ text }) => text);
    /** Lists what goes out to the room next. */
    const goingOut = async () => {
      const [room] = await boundRooms(store);
      if (!room) return [];
      const { messages, position } = await nextForRoom(store, room);
      await noteSent(store, room, position);
      return messages.map(({ text }) => text);
    };
    return { ...team, texts, goingOut };
  }

  test("a room is bound by the code that is said there, once, and both sides are told", async () => {
    await using team = await newThread();
    const { store, admin, place } = team;
    const { binding, code } = await createBinding(store, place.threadId, "telegram", admin);
    expect(await boundRooms(store)).toEqual([]);
    expect(await redeemBindingCode(store, "bind-aaaaaaaaaaaaaaaaaaaa", group)).toBeNull();
    expect(await redeemBindingCode(store, code, { type: "sms", channelId: "-100" })).toBeNull();
    expect(await redeemBindingCode(store, code, group)).toBe("bound");
    expect(await redeemBindingCode(store, code, { ...group, channelId: "-200" })).toBeNull();
    expect(await listBindings(store, admin)).toEqual([{ ...binding, channel_id: "-100", expires_at: null }]);
    const { code: second } = await createBinding(store, place.threadId, "telegram", admin);
    expect(await redeemBindingCode(store, second, group)).toBe("bound before");
    const [room] = await boundRooms(store);
    if (!room) throw new Error("no room");
    expect((await nextForRoom(store, room)).messages).toMatchObject([
      { text: expect.stringContaining("Bound to telegram -100"), channel: group },
    ]);
    await removeBinding(store, binding.id, admin);
    expect(await boundRooms(store)).toEqual([]);
    const { items } = await listMessages(store, place, page);
    expect(items.map(({ author_type, text }) => [author_type, text.split(":")[0]])).toEqual([
      ["system", "Bound to telegram -100"],
      ["system", "No longer bound to telegram -100"],
    ]);
    expect(await takeFromRoom(store, from("17", "hello"))).toBe("unbound");
  });

  test("only admins bind and unbind, and say who members are", async () => {
    await using team = await newThread();
    const { store, place } = team;
    const bob = await team.invite("Bob");
    await expect(createBinding(store, place.threadId, "telegram", bob)).rejects.toThrow("admin");
    await expect(setIdentities(store, bob.memberId, ["telegram:17"], bob)).rejects.toThrow("admin");
    const { binding } = await createBinding(store, place.threadId, "telegram", team.admin);
    await expect(removeBinding(store, binding.id, bob)).rejects.toThrow("admin");
    await setIdentities(store, bob.memberId, ["telegram:17", "sms:5"], team.admin);
    await expect(setIdentities(store, team.admin.memberId, ["sms:5"], team.admin)).rejects.toThrow("another member");
    expect(await identitiesOf(store, bob.memberId, bob)).toEqual(["sms:5", "telegram:17"]);
    await setIdentities(store, bob.memberId, ["sms:5"], team.admin);
    expect(await identitiesOf(store, bob.memberId, bob)).toEqual(["sms:5"]);
  });

  test("a member's message is the member's and brings agents in; a guest's is a guest's and doesn't", async () => {
    await using team = await bound();
    const { store, place } = team;
    const bob = await team.invite("Bob");
    await setIdentities(store, bob.memberId, ["telegram:17"], team.admin);
    expect(await takeFromRoom(store, from("17", "@coder go"))).toBe("stored");
    expect(await takeFromRoom(store, from("18", "@coder go", { metadata: { name: "Bob\n (AI)" } }))).toBe("stored");
    const { items } = await listMessages(store, place, page);
    expect(items.slice(1)).toMatchObject([
      { author_type: "human", author_id: bob.userId, author_name: "Bob" },
      { author_type: "human", author_id: null, author_name: "Bob (AI) (guest)", metadata: { guest: "telegram:18" } },
    ]);
    const tasks = await store.database.selectFrom("tasks").select("trigger_message_id").execute();
    expect(tasks).toEqual([{ trigger_message_id: items[1]?.id }]);
  });

  test("what comes twice is stored once, and its files come along", async () => {
    await using team = await bound();
    const file = { id: "a".repeat(64), name: "plan.pdf", mime: "application/pdf", size: 5 };
    const attachments = [file, { name: "film.mp4", problem: "it is too large" }];
    const message = from("17", "the plan", { attachments });
    expect(await takeFromRoom(team.store, message)).toBe("stored");
    expect(await takeFromRoom(team.store, message)).toBe("repeated");
    const { items } = await listMessages(team.store, team.place, page);
    expect(items.slice(1)).toMatchObject([
      { text: "the plan\n(film.mp4: it is too large)", parts: [{ type: "file", ...file }] },
    ]);
  });

  test("people and the system go out with their names in order, what came from the room doesn't", async () => {
    await using team = await bound();
    const { store, place, admin } = team;
    await takeFromRoom(store, from("17", "from the group"));
    const { message } = await sendMessage(store, place, { text: "hello" }, admin);
    const fork = await createFork(store, place.threadId, { messageId: message.id, description: "Beans" }, admin);
    await sendMessage(store, { ...place, forkId: fork.id }, { text: "in the fork" }, admin);
    await sendMessage(store, place, { text: "x".repeat(20_000) }, admin);
    const [first, second, third, ...others] = await team.goingOut();
    expect([first, second, others]).toEqual([expect.stringContaining("Bound to"), "Ada: hello", []]);
    expect([third?.length, third?.endsWith("… (the rest is in the thread)")]).toEqual([16_000, true]);
    expect(await team.goingOut()).toEqual([]);
  });

  test("an agent's answer goes out when it is whole", async () => {
    await using team = await bound();
    const { store, place, admin, workspaceId } = team;
    const { tasks } = await sendMessage(store, place, { text: "@coder go" }, admin);
    const [task] = tasks;
    const message = await store.changes.make(workspaceId, (change) =>
      addMessage(change, workspaceId, {
        ...place,
        parent_id: task?.trigger_message_id ?? null,
        author_type: "agent",
        author_id: task?.agent_id ?? null,
        author_name: "Coder",
        text: "",
        parts: [],
        metadata: { taskId: task?.id },
      }),
    );
    expect(await team.goingOut()).toEqual([expect.stringContaining("Bound to"), "Ada: @coder go"]);
    await store.changes.make(workspaceId, async (change) => {
      await change.tables.updateTable("messages").set({ text: "Done." }).where("id", "=", message.id).execute();
      const row = await change.tables
        .selectFrom("tasks")
        .selectAll()
        .where("id", "=", task?.id ?? "")
        .executeTakeFirstOrThrow();
      await setTask(change, row, { status: "completed", output_message_id: message.id });
    });
    expect(await team.goingOut()).toEqual(["Coder (AI): Done."]);
  });

  test("a thread may have several rooms: what is said in one goes to the others", async () => {
    await using team = await bound();
    const { store, place, admin } = team;
    const { code } = await createBinding(store, place.threadId, "sms", admin);
    await redeemBindingCode(store, code, { type: "sms", channelId: "1" });
    await takeFromRoom(store, from("17", "hello"));
    const rooms = await boundRooms(store);
    const said = await Promise.all(rooms.map(async (room) => (await nextForRoom(store, room)).messages));
    expect(
      said.map((messages) => messages.filter(({ text }) => text.includes("hello")).map(({ channel }) => channel)),
    ).toEqual([[], [{ type: "sms", channelId: "1" }]]);
  });
});
