import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Task } from "../../../workspace/records/task.ts";
import { cancelTask } from "../../../workspace/tasks/tasks.ts";
import { createThread } from "../../../workspace/threads/threads.ts";
import { errorBody } from "../../support/providers/anthropic.ts";
import type { Reply } from "../../support/providers/played.ts";
import { describeDatabases } from "../temporary-store.ts";
import { AnswerSystem, type Room } from "./answer-system.ts";

let system: AnswerSystem;
beforeAll(async () => {
  system = await AnswerSystem.start();
});
afterAll(() => system[Symbol.asyncDispose]());

const refused: Reply = { status: 400, body: errorBody("invalid_request_error", "no") };
const said = async (room: Room) =>
  (await room.messages()).filter(({ author_type }) => author_type !== "human").map(({ text }) => text);

/** A mind that answers when it is let. */
function heldMind() {
  const waiting: (() => void)[] = [];
  let most = 0;
  return {
    mind: async () => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        most = Math.max(most, waiting.length);
      });
      return "Done.";
    },
    get waiting() {
      return waiting.length;
    },
    get most() {
      return most;
    },
    letOne: () => waiting.shift()?.(),
  };
}

describeDatabases((newTarget) => {
  const newRoom = async (settings = {}) => (await system.newRoom(await newTarget(), settings)).startEngine();

  test("agents of one message answer each for itself, and one behind `then` begins on the first one's result", async () => {
    await using room = await newRoom();
    system.think("write it", ({ system: prompt }) =>
      prompt.startsWith("You are Coder") ? "The code." : "The review.",
    );
    const { tasks } = await room.say("@coder write it, then @assistant review it");
    const [first, second] = await Promise.all(tasks.map(({ id }) => room.until(id, "completed")));
    expect(await said(room)).toEqual(["The code.", "The review."]);
    expect(second?.input.contextMessageIds).toEqual([first?.output?.messageId, first?.trigger_message_id]);
    const asked = system.askedOf("write it").findLast(({ system: prompt }) => prompt.startsWith("You are Assistant"));
    expect(asked?.said.join("\n")).toContain("[Coder (AI)]: The code.");
  });

  test("one behind `then` is told when the first one fails or is cancelled, and so is the next", async () => {
    await using room = await newRoom({ retry_seconds: [] });
    await room.newAgent("critic");
    system.think("try it", () => refused);
    const { tasks } = await room.say("@coder try it, then @assistant, then @critic");
    const [, second, third] = await Promise.all(tasks.map(({ id }) => room.until(id, "failed")));
    expect(second?.error).toBe("Assistant didn't begin, since Coder gave no answer to begin on. Ask Assistant again.");
    expect(third?.error).toContain("since Assistant gave no answer");
    expect(await said(room)).toHaveLength(3);
    const held = heldMind();
    system.think("wait for it", held.mind);
    const cancelled = (await room.say("@coder wait for it, then @assistant")).tasks;
    await system.cortex.until(() => held.waiting === 1, "the model is asked");
    await cancelTask(room.store, cancelled[0]?.id ?? "", room.actor);
    expect((await room.until(cancelled[1]?.id ?? "", "failed")).error).toContain("since Coder gave no answer");
    held.letOne();
  });

  test("after three answers in a row the next waits until a person says something, and says so once", async () => {
    await using room = await newRoom();
    await room.newAgent("one");
    await room.newAgent("two");
    system.think("in turn", () => "Mine.");
    const { tasks } = await room.say("in turn: @assistant, then @coder, then @one, then @two");
    await room.until(tasks[2]?.id ?? "", "completed");
    const limits = async () => (await room.messages()).filter(({ metadata }) => metadata.kind === "limit");
    expect(await system.cortex.until(async () => (await limits())[0], "the limit is told")).toMatchObject({
      author_type: "system",
      text: "Two waits: 3 answers of agents in a row are enough without a person. It begins when somebody says something here.",
    });
    expect(await room.task(tasks[3]?.id ?? "")).toMatchObject({ status: "queued" });
    // Somebody else's answer is no person's word, and says nothing twice.
    await room.stopEngine();
    await room.startEngine();
    await room.say("Go ahead.");
    await room.until(tasks[3]?.id ?? "", "completed");
    expect(await limits()).toHaveLength(1);
  });

  test("several that wait for a person leave the engine quiet, whatever else happens meanwhile", async () => {
    await using room = await newRoom({ answers_in_a_row: 1 });
    await room.newAgent("one");
    await room.newAgent("two");
    system.think("quietly", () => "Mine.");
    await room.say("quietly: @assistant, then @one, and @coder, then @two");
    const limits = async () => (await room.messages()).filter(({ metadata }) => metadata.kind === "limit");
    await system.cortex.until(async () => (await limits()).length === 2, "both wait");
    await Promise.all(Array.from({ length: 8 }, (_, index) => createThread(room.store, `${index}`, room.actor)));
    const make = vi.spyOn(room.store.changes, "make");
    let [seen, quiet] = [-1, 0];
    const isQuiet = () => {
      quiet = make.mock.calls.length === seen ? quiet + 1 : 0;
      seen = make.mock.calls.length;
      return quiet > 20;
    };
    await system.cortex.until(isQuiet, "the engine is quiet");
    expect(await limits()).toHaveLength(2);
  });

  test("a thread gives so many answers at once, the others wait in order, and a full thread holds up no other", async () => {
    await using room = await newRoom({ tasks_at_once: 2 });
    const held = heldMind();
    system.think("at once", held.mind);
    const tasks: Task[] = [];
    for (let index = 0; index < 5; index++) tasks.push(await room.ask(`@assistant at once ${index}`));
    await system.cortex.until(() => held.waiting === 2, "two are asked");
    const { id: threadId } = await createThread(room.store, "Other", room.actor);
    system.think("elsewhere", () => "Here.");
    await room.until((await room.ask("@coder elsewhere", { threadId, forkId: null })).id, "completed");
    const statuses = () => Promise.all(tasks.map(async ({ id }) => (await room.task(id)).status));
    expect(await statuses()).toEqual(["running", "running", "queued", "queued", "queued"]);
    for (let done = 1; done <= 5; done++) {
      held.letOne();
      await system.cortex.until(
        async () => (await statuses()).filter((status) => status === "completed").length === done,
        `${done} are answered`,
      );
      await system.cortex.until(() => held.waiting === Math.min(2, 5 - done), "the next is asked");
    }
    expect(held.most).toBe(2);
    const begun = (await room.events()).flatMap(({ event, data }) =>
      event === "task.status_changed" && data.task.status === "running" ? [data.task.id] : [],
    );
    const ids = tasks.map(({ id }) => id);
    const inOrder = begun.filter((id) => ids.includes(id));
    // The first two had room at once, and nobody waited for the other.
    expect(new Set(inOrder.slice(0, 2))).toEqual(new Set(ids.slice(0, 2)));
    expect(inOrder.slice(2)).toEqual(ids.slice(2));
  });
});
