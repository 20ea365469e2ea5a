import { afterAll, beforeAll, expect, test } from "vitest";
import { setAgentActive } from "../../../workspace/agents/agents.ts";
import { removeAgent } from "../../../workspace/agents/remove-agent.ts";
import type { Task } from "../../../workspace/records/task.ts";
import { requestResolution } from "../../../workspace/forks/resolve-fork.ts";
import { cancelTask, retryTask } from "../../../workspace/tasks/tasks.ts";
import { createFork, readFork } from "../../../workspace/threads/forks.ts";
import { errorBody } from "../../support/providers/anthropic.ts";
import type { Reply } from "../../support/providers/played.ts";
import { describeDatabases } from "../temporary-store.ts";
import { AnswerSystem, type Room } from "./answer-system.ts";

let system: AnswerSystem;
beforeAll(async () => {
  system = await AnswerSystem.start();
});
afterAll(() => system[Symbol.asyncDispose]());

const refused = (status: number, type: string, message: string, headers = {}): Reply => ({
  status,
  headers,
  body: errorBody(type, message),
});
const away = refused(503, "api_error", "Oops");
const tooLong = refused(400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum");
const hanging: Reply = { turn: { text: "Water them." }, cut: "between-events", by: "hang" };

/** Lists the messages of the workspace beside a failed task. */
async function toldOf(room: Room, task: Task) {
  const told = (
    await room.messages(task.fork_id === null ? room.place : { ...room.place, forkId: task.fork_id })
  ).filter(({ author_type, metadata }) => author_type === "system" && metadata.taskId === task.id);
  return told.map(({ text, parent_id, metadata }) => [metadata.kind, parent_id === task.trigger_message_id, text]);
}

describeDatabases((newTarget) => {
  const newRoom = async (settings = {}) => (await system.newRoom(await newTarget(), settings)).startEngine();

  test("an outage is told as one when its tries are used up, and asked again the agent answers", async () => {
    await using room = await newRoom({ retry_seconds: [0, 0.1, 0] });
    system.think("the outage", () => away);
    const before = system.asked.length;
    const task = await room.until((await room.ask("@coder mind the outage")).id, "failed");
    expect(system.asked.length - before).toBe(4);
    expect(task.error).toContain("Coder couldn't respond. The AI service is temporarily unavailable.");
    expect(await toldOf(room, task)).toEqual([
      [
        "error",
        true,
        expect.stringMatching(/^Coder couldn't respond\. The AI service is temporarily unavailable\. Ask again/),
      ],
    ]);
    system.think("the outage", () => "It is over.");
    const again = await retryTask(room.store, task.id, room.actor);
    expect(await room.until(again.id, "completed")).toMatchObject({ trigger_message_id: task.trigger_message_id });
    expect((await room.messages()).at(-1)).toMatchObject({ text: "It is over.", parent_id: task.trigger_message_id });
  });

  test("a rate limit's wait is shown and isn't counted", async () => {
    await using room = await newRoom({ answer_timeout_seconds: 2 });
    let tries = 0;
    const limited = refused(429, "rate_limit_error", "Slow down", { "retry-after": "3" });
    system.think("the limit", () => (tries++ === 0 ? limited : "Slowly."));
    const task = await room.until((await room.ask("@assistant mind the limit")).id, "completed");
    const waits = (await room.events()).flatMap(({ event, data }) =>
      event === "task.status_changed" && data.task.id === task.id && data.task.waits_until !== null ? [data.task] : [],
    );
    expect(waits).toMatchObject([{ status: "running", waits_until: expect.any(String) }]);
    expect(task.waits_until).toBeNull();
    const shown = room.pieces.filter(({ event, data }) => event === "presence.thinking" && data.waits_until);
    expect(shown).toMatchObject([{ data: { is_thinking: true, waits_until: waits[0]?.waits_until } }]);
  });

  test("an answer that takes too long is ended, and what was said of it stays", async () => {
    await using room = await newRoom({ answer_timeout_seconds: 1.5 });
    system.think("the slow one", () => hanging);
    const task = await room.until((await room.ask("@coder the slow one")).id, "failed");
    expect(await toldOf(room, task)).toEqual([
      [
        "error",
        true,
        expect.stringMatching(
          /^Coder's response timed out\. The question may be too complex for a single response\. Ask again/,
        ),
      ],
    ]);
    const half = (await room.messages()).find(({ author_type }) => author_type === "agent");
    expect(half).toMatchObject({ text: "Water", metadata: { taskId: task.id, isIncomplete: true } });
    expect(system.cortex.file(task.run_id ?? "").at(-1)).toMatchObject({ event: "error", reason: "cancelled" });
  });

  test("an empty answer is told as an unexpected one", async () => {
    await using room = await newRoom();
    system.think("say nothing", () => " \n");
    const task = await room.until((await room.ask("@assistant say nothing")).id, "failed");
    expect(await toldOf(room, task)).toEqual([
      ["error", true, "Assistant produced an unexpected response. Try rephrasing your question."],
    ]);
  });

  test("what isn't an answer is told as an unexpected one, and a model that isn't there as a matter of set-up", async () => {
    await using room = await newRoom();
    system.think("the page", () => ({ status: 200, body: "<html>Log in to the hotel</html>" }));
    const page = await room.until((await room.ask("@coder the page")).id, "failed");
    expect(await toldOf(room, page)).toEqual([
      ["error", true, "Coder produced an unexpected response. Try rephrasing your question."],
    ]);
    system.think("no model", () => refused(404, "not_found_error", "model: claude-9"));
    const task = await room.until((await room.ask("@coder no model")).id, "failed");
    expect(await toldOf(room, task)).toEqual([
      ["error", true, expect.stringMatching(/^Coder couldn't respond\. The way in which it is set up/)],
    ]);
    expect(task.error).toContain("claude-9");
  });

  test("a context that is too long is given again with less of it, each time by a run of its own", async () => {
    await using room = await newRoom();
    for (let index = 0; index < 30; index++) await room.say(`Note ${index}.`);
    system.think("the notes", ({ said }) => (said.join("\n").includes("Note 9.") ? tooLong : "Short."));
    const { tasks } = await room.say("@assistant sum up the notes");
    const task = await room.until(tasks[0]?.id ?? "", "completed");
    expect(task.input.contextMessageIds).toHaveLength(21);
    const runs = (await room.events()).flatMap(({ event, data }) =>
      event === "task.status_changed" && data.task.status === "running" ? [data.task.run_id] : [],
    );
    expect(new Set(runs).size).toBe(2);
    expect((await room.messages()).filter(({ author_type }) => author_type !== "human")).toHaveLength(1);
  });

  test("a context whose least is too long is told, once it was tried", async () => {
    await using room = await newRoom();
    system.think("the longest", () => tooLong);
    const before = system.asked.length;
    const task = await room.until((await room.ask("@assistant the longest")).id, "failed");
    expect(system.asked.length - before).toBe(4);
    expect(await toldOf(room, task)).toEqual([["error", true, expect.stringContaining("longer than its model takes")]]);
  });

  test("an answer that is cut off at its limit of tokens stands, marked, and goes on when somebody says so", async () => {
    await using room = await newRoom();
    system.think("the poem", () => ({ turn: { text: "Roses are", stop: "max_tokens" } }));
    // It goes on by itself, once.
    system.think("cut off at its limit", () => ({ turn: { text: " red,", stop: "max_tokens" } }));
    system.think("go on.", () => "violets are blue.");
    const task = await room.until((await room.ask("@assistant the poem")).id, "completed");
    const half = (await room.messages()).at(-1);
    expect(half).toMatchObject({ text: "Roses are red,", metadata: { taskId: task.id, isCutOff: true } });
    const more = await room.answerTo(half?.id ?? "", "Please go on.");
    const next = await room.until(more.id, "completed");
    expect(next.agent_id).toBe(task.agent_id);
    expect(system.askedOf("go on.").at(-1)?.said.slice(-2)).toEqual([
      "assistant: Roses are red,",
      "user: The person asking is Ada (role: admin).\n\nPlease go on.",
    ]);
  });

  test("an agent that can't be run as it is set up says so", async () => {
    await using room = await newRoom();
    await room.newAgent("odd", { backend: "nobodys" });
    const task = await room.until((await room.ask("@odd hello")).id, "failed");
    expect(await toldOf(room, task)).toEqual([["error", true, expect.stringContaining("Odd couldn't respond.")]]);
    expect(task.error).toContain("nobodys");
  });

  test("a cancelled answer ends its run; what was said of it stays, and nothing is said beside it", async () => {
    await using room = await newRoom();
    system.think("the long one", () => hanging);
    const { id } = await room.ask("@coder the long one");
    await system.cortex.until(() => room.pieces.some(({ event }) => event === "message.delta"), "a piece");
    expect(await cancelTask(room.store, id, room.actor)).toMatchObject({ status: "cancelled" });
    const half = async () => (await room.messages()).find(({ metadata }) => metadata["isIncomplete"]);
    expect(await system.cortex.until(half, "the half answer")).toMatchObject({ text: "Water", author_type: "agent" });
    const task = await room.task(id);
    expect(task).toMatchObject({ status: "cancelled", output: { messageId: (await half())?.id } });
    expect(system.cortex.file(task.run_id ?? "").at(-1)).toMatchObject({ event: "error", reason: "cancelled" });
    expect(await toldOf(room, task)).toEqual([]);
  });

  test("what waits for an agent that is set inactive fails, and says so", async () => {
    await using room = await newRoom({ tasks_at_once: 1 });
    system.think("the long one", () => hanging);
    const first = await room.ask("@assistant the long one");
    const { id, agent_id } = await room.ask("@coder hello");
    await setAgentActive(room.store, agent_id, false, room.actor);
    await room.until(first.id, "running");
    await cancelTask(room.store, first.id, room.actor);
    const task = await room.until(id, "failed");
    expect(await toldOf(room, task)).toEqual([["error", true, expect.stringContaining("no longer active")]]);
  });

  test("what waits for an agent that is removed fails, and says so", async () => {
    await using room = await newRoom({ tasks_at_once: 1 });
    system.think("the long one", () => hanging);
    const first = await room.ask("@assistant the long one");
    const { id, agent_id } = await room.ask("@coder hello");
    await removeAgent(room.store, agent_id, room.actor);
    await room.until(first.id, "running");
    await cancelTask(room.store, first.id, room.actor);
    const task = await room.until(id, "failed");
    expect(await toldOf(room, task)).toEqual([["error", true, expect.stringContaining("was removed")]]);
  });

  test("an agent isn't answered by what another one says, not even by its own name", async () => {
    await using room = await newRoom();
    system.think("whom", () => "Ask @coder and @assistant.");
    await room.until((await room.ask("@assistant whom do I ask?")).id, "completed");
    expect(
      (await room.events()).filter(
        ({ event, data }) => event === "task.status_changed" && data.task.status === "queued",
      ),
    ).toHaveLength(1);
  });

  test("a fork's resolution is drafted by a run; a draft that fails leaves the fork open, and says so there", async () => {
    await using room = await newRoom({ retry_seconds: [] });
    const { message } = await room.say("Beans or peas?");
    const newFork = { messageId: message.id, description: "which to sow" };
    const { id: forkId } = await createFork(room.store, room.threadId, newFork, room.actor);
    await room.say("Beans: they grow faster.", { ...room.place, forkId });
    system.think("which to sow", () => away);
    const failed = await room.until((await requestResolution(room.store, forkId, room.actor)).id, "failed");
    expect(await readFork(room.store, forkId, room.actor)).toMatchObject({ status: "open", draft: null });
    expect(await toldOf(room, failed)).toMatchObject([
      ["error", false, expect.stringContaining("No resolution was drafted.")],
    ]);
    system.think("which to sow", ({ said }) => (said.join("\n").includes("they grow faster") ? "Beans." : "Nothing."));
    const task = await room.until((await requestResolution(room.store, forkId, room.actor)).id, "completed");
    expect(task.output).toBeNull();
    expect(await readFork(room.store, forkId, room.actor)).toMatchObject({ status: "resolving", draft: "Beans." });
    expect(await room.messages()).toHaveLength(1);
  });
});
