import { afterAll, beforeAll, expect, test } from "vitest";
import { updateWorkspace } from "../../../workspace/workspaces.ts";
import { describeDatabases } from "../temporary-store.ts";
import { AnswerSystem } from "./answer-system.ts";

let system: AnswerSystem;
beforeAll(async () => {
  system = await AnswerSystem.start({
    "personas/plan.txt": "You plan gardens.",
    "personas/plan.json": '{"title": "Planner", "model": "claude-haiku-4-5", "temperature": 0.5}',
  });
});
afterAll(() => system[Symbol.asyncDispose]());

describeDatabases((newTarget) => {
  const newRoom = async (settings = {}) => (await system.newRoom(await newTarget(), settings)).startEngine();

  test("a mention is answered by a run: a message that grows and is whole at the end, and a task that says what it took", async () => {
    await using room = await newRoom();
    system.think("the tomatoes", () => "Water them in the morning.");
    await room.say("We have a greenhouse.");
    const { message, tasks } = await room.say("@assistant how do I water the tomatoes?");
    const task = await room.until(tasks[0]?.id ?? "", "completed");
    const [first, , answer, ...more] = await room.messages();
    expect(more).toEqual([]);
    expect(answer).toMatchObject({
      author_type: "agent",
      author_name: "Assistant",
      author_id: task.agent_id,
      parent_id: message.id,
      text: "Water them in the morning.",
      metadata: { agentConfigId: task.agent_id, taskId: task.id },
    });
    expect(task).toMatchObject({
      output: { messageId: answer?.id },
      input: { prompt: message.text, contextMessageIds: [first?.id, message.id] },
      token_usage: { input_tokens: 100, output_tokens: 30, model: expect.stringContaining("claude") },
      cost_usd: expect.any(Number),
      error: null,
      completed_at: expect.any(String),
    });
    expect(system.cortex.file(task.run_id ?? "").at(-1)).toMatchObject({ event: "finish" });
    const events = (await room.events()).map(({ event, data }) =>
      "task" in data ? data.task.status : "message" in data ? `${event}: ${data.message.text}` : event,
    );
    expect(events.slice(-6)).toEqual([
      `message.created: ${message.text}`,
      "queued",
      "running",
      "message.created: ",
      "message.updated: Water them in the morning.",
      "completed",
    ]);
    const deltas = room.pieces.flatMap((piece) => (piece.event === "message.delta" ? [piece.data] : []));
    expect(deltas.map(({ text }) => text).join("")).toBe("Water them in the morning.");
    expect(deltas[0]).toMatchObject({
      message_id: answer?.id,
      task_id: task.id,
      thread_id: room.threadId,
      fork_id: null,
    });
    const thinking = room.pieces.flatMap((piece) => (piece.event === "presence.thinking" ? [piece.data] : []));
    expect(thinking.map(({ is_thinking }) => is_thinking)).toEqual([true, false]);
  });

  test("the model is asked as the agent is configured", async () => {
    await using room = await newRoom();
    system.think("the cabbages", () => "Yes.");
    await room.newAgent("poet", { system_prompt: "You rhyme.", model: "claude-haiku-4-5", max_tokens: 77 });
    const task = await room.ask("@poet of the cabbages");
    await room.until(task.id, "completed");
    const [asked] = system.askedOf("the cabbages").slice(-1);
    expect(asked?.body).toMatchObject({ model: "claude-haiku-4-5", max_tokens: 77 });
    expect(asked?.body["tools"]).toBeUndefined();
    expect(asked?.system).toMatch(/^You rhyme\./);
    expect(asked?.said).toEqual(["user: The person asking is Ada (role: admin).\n\n@poet of the cabbages"]);
  });

  test("the tool that searches other threads is asked for only when the message says search", async () => {
    await using room = await newRoom();
    await room.newAgent("finder", { tools: ["search_threads"] });
    const requestOf = async (text: string) => {
      const task = await room.ask(text);
      const { run_id } = await room.until(task.id, "completed", "failed");
      return system.cortex.file(run_id ?? "")[0];
    };
    expect(await requestOf("@finder search for the cabbages")).toMatchObject({ tools: ["search_threads"] });
    const without = await requestOf("@finder look for the cabbages");
    expect(without).toMatchObject({ disable_mcp: true });
    expect(without).not.toHaveProperty("tools");
  });

  test("a persona file that is mentioned answers as that persona", async () => {
    await using room = await newRoom();
    await updateWorkspace(room.store, room.actor.workspaceId, { settings: { personas: true } }, room.actor);
    system.think("the radishes", () => "In March.");
    const task = await room.ask("@plan the radishes");
    const ended = await room.until(task.id, "completed", "failed");
    expect(ended).toMatchObject({ status: "completed" });
    expect(system.cortex.file(ended.run_id ?? "")[0]).toMatchObject({ persona: "plan", disable_mcp: true });
    const [asked] = system.askedOf("the radishes").slice(-1);
    expect(asked?.body).toMatchObject({ model: "claude-haiku-4-5", temperature: 0.5 });
    expect(asked?.system).toMatch(/^You plan gardens\./);
    expect((await room.messages()).at(-1)).toMatchObject({ author_name: "Planner", text: "In March." });
  });
});
