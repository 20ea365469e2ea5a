/** The work that happens unasked in a thread and its forks, by real runs of a played model. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { postResolution } from "../../../workspace/forks/end-fork.ts";
import { requestResolution } from "../../../workspace/forks/resolve-fork.ts";
import { createFork, readFork } from "../../../workspace/threads/forks.ts";
import { readThread } from "../../../workspace/threads/threads.ts";
import { updateWorkspace } from "../../../workspace/workspaces.ts";
import { AnswerSystem, type Room } from "../answers/answer-system.ts";
import { describeDatabases } from "../temporary-store.ts";

let system: AnswerSystem;
beforeAll(async () => {
  system = await AnswerSystem.start();
});
afterAll(() => system[Symbol.asyncDispose]());

describeDatabases((newTarget) => {
  const newRoom = async () => (await system.newRoom(await newTarget())).startEngine();
  const say = async (room: Room, count: number) => {
    for (let index = 1; index <= count; index++) await room.say(`Bed ${index} is dug.`);
  };
  const summaries = (room: Room) =>
    room.store.database.selectFrom("tasks").selectAll().where("task_type", "=", "summary").orderBy("id").execute();
  const settled = (room: Room, count: number) =>
    system.cortex.until(async () => {
      const tasks = await summaries(room);
      return tasks.length === count && tasks.every(({ status }) => status === "completed") && tasks;
    }, `${count} summaries`);

  test("a thread of more than 20 new messages gets a summary at its top, made anew every 20", async () => {
    await using room = await newRoom();
    let times = 0;
    system.think("Sum up this thread", () => `Summary ${++times}.\nFORK: the compost`);
    await say(room, 25);
    expect(await summaries(room)).toEqual([]);
    const settings = { thread_summaries: true, fork_suggestions: true };
    await updateWorkspace(room.store, room.actor.workspaceId, { settings }, room.actor);
    await room.say("Who waters?");
    await settled(room, 1);
    const { summary_id } = await readThread(room.store, room.threadId, room.actor);
    const isSummary = ({ metadata }: { metadata: { kind?: string | undefined } }) => metadata.kind === "summary";
    expect((await room.messages()).filter(isSummary)).toMatchObject([
      { id: summary_id, text: "Summary 1.", author_type: "agent", author_name: "Fork Resolver" },
    ]);
    const suggestions = async () => (await room.messages()).filter(({ metadata }) => metadata.kind === "suggestion");
    expect(await suggestions()).toMatchObject([
      { author_type: "system", metadata: { forkDescription: "the compost" } },
    ]);
    await say(room, 25);
    await settled(room, 2);
    expect((await room.messages()).filter(isSummary)).toMatchObject([
      { id: summary_id, text: "Summary 2.", edited_at: expect.any(String) },
    ]);
    expect(system.askedOf("Sum up this thread").at(-1)?.said.at(-1)).toContain('"Summary 1."');
    expect(await suggestions()).toHaveLength(1);
    const told = (await room.events()).filter(({ event }) => event === "thread.updated");
    expect(told.at(-1)).toMatchObject({ data: { thread: { summary_id } } });
  });

  test("a fork's resolution is drafted from all that was said in it, edited and posted", async () => {
    await using room = await newRoom();
    const { store, actor } = room;
    const origin = `Which peas? ${"They have to be hardy. ".repeat(20)}`;
    const { message } = await room.say(origin);
    const fork = await createFork(store, room.threadId, { messageId: message.id, description: "sorts of peas" }, actor);
    const inFork = { threadId: room.threadId, forkId: fork.id };
    await room.say("Sugar peas.", inFork);
    await room.say("Marrow peas!", inFork);
    await room.say("This isn't about peas.");
    system.think('"sorts of peas"', () => "CONCLUSION: sugar peas.");
    const task = await requestResolution(store, fork.id, actor);
    await room.until(task.id, "completed");
    const asked = system.askedOf('"sorts of peas"').at(-1);
    expect(asked?.system).toMatch(/^You sum up a discussion/);
    const said = asked?.said.join("\n") ?? "";
    for (const part of [origin.trim(), "[Ada]: Sugar peas.", "[Ada]: Marrow peas!", "under 200 words"])
      expect(said).toContain(part);
    expect(said).not.toContain("This isn't about peas");
    expect(await readFork(store, fork.id, actor)).toMatchObject({
      status: "resolving",
      draft: "CONCLUSION: sugar peas.",
    });
    await postResolution(store, fork.id, "Sugar peas it is.", actor);
    expect((await room.messages()).at(-1)).toMatchObject({
      text: "Sugar peas it is.",
      parent_id: message.id,
      metadata: { kind: "resolution", forkId: fork.id },
    });
    const events = (await room.events()).map(({ event }) => event);
    expect(events.indexOf("fork.draft")).toBeGreaterThan(0);
    expect(events.indexOf("fork.resolved")).toBeGreaterThan(events.indexOf("fork.draft"));
  });

  test("what a model says is stored, whatever characters it has", async () => {
    await using room = await newRoom();
    system.think("the odd beans", () => "Odd\0 beans \ud800.");
    const task = await room.ask("@assistant count the odd beans");
    await room.until(task.id, "completed");
    expect((await room.messages()).at(-1)?.text).toBe("Odd\ufffd beans \ufffd.");
  });

  test("a draft that fails leaves its fork open, and says so there in words", async () => {
    await using room = await newRoom();
    const { store, actor } = room;
    const { message } = await room.say("Which beans?");
    const fork = await createFork(
      store,
      room.threadId,
      { messageId: message.id, description: "sorts of beans" },
      actor,
    );
    system.think('"sorts of beans"', () => ({
      status: 400,
      body: { type: "error", error: { type: "invalid_request_error", message: "no" } },
    }));
    const task = await requestResolution(store, fork.id, actor);
    await room.until(task.id, "failed");
    expect(await readFork(store, fork.id, actor)).toMatchObject({ status: "open", draft: null });
    const [said, ...more] = await room.messages({ threadId: room.threadId, forkId: fork.id });
    expect(more).toEqual([]);
    expect(said).toMatchObject({ author_type: "system", metadata: { kind: "error", taskId: task.id } });
    expect(said?.text).toMatch(/^No resolution was drafted\. .*Fork Resolver.* The fork is still open/);
  });
});
