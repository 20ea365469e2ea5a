/** A context that is too long for its model is made smaller, step by step. */
import { afterAll, expect, test } from "vitest";
import { updateWorkspace } from "../../../workspace/workspaces.ts";
import { describeDatabases } from "../temporary-store.ts";
import { type AskedModel, AnswerSystem } from "./answer-system.ts";

const system = await AnswerSystem.start();
afterAll(() => system[Symbol.asyncDispose]());

const tooLong = {
  status: 400,
  body: {
    type: "error",
    error: { type: "invalid_request_error", message: "prompt is too long: 250000 tokens > 200000 maximum" },
  },
};
/** How many of the thread's messages it shows, and what else. */
const shownIn = ({ said, system: text }: AskedModel) => ({
  messages: said.join("\n").match(/\[Ada\]: n\d+/g)?.length ?? 0,
  isSummed: said.join("\n").includes("They like beans."),
  hasPage: text.includes("We grow beans"),
});

describeDatabases((newTarget) => {
  test("what the provider refuses is asked again with the last 20, then with a summary, then without the page", async () => {
    await using room = await system.newRoom(await newTarget());
    await room.startEngine();
    await room.newAgent("long", { model: "claude-sonnet-4-5", backend: "anthropic" });
    await room.newAgent("cheap", { model: "claude-3-haiku-20240307", backend: "anthropic" });
    await updateWorkspace(room.store, room.actor.workspaceId, { page: "We grow beans." }, room.actor);
    for (let index = 0; index < 60; index++) await room.say(`n${index}`);
    let refusals = 3;
    system.asked.length = 0;
    system.think("which-one", () => (refusals-- > 0 ? tooLong : "Beans."));
    system.think("Sum it up.", () => "They like beans.");
    const task = await room.ask("@long which-one?");
    const ended = await room.until(task.id, "completed", "failed");
    expect(ended).toMatchObject({ status: "completed", error: null });
    expect(system.askedOf("which-one").map(shownIn)).toEqual([
      { messages: 50, isSummed: false, hasPage: true },
      { messages: 20, isSummed: false, hasPage: true },
      { messages: 20, isSummed: true, hasPage: true },
      { messages: 20, isSummed: true, hasPage: false },
    ]);
    for (const { said } of system.askedOf("which-one"))
      expect(said.at(-1)).toMatch(/The person asking is Ada \(role: admin\)\.\n\n@long which-one\?$/);
    const summaries = system.askedOf("Sum it up.");
    expect(summaries).toHaveLength(1);
    expect(summaries[0]?.body).toMatchObject({ model: "claude-3-haiku-20240307", max_tokens: 500 });
    expect(ended.input.contextMessageIds).toHaveLength(21);
    const { input_tokens } = ended.token_usage ?? { input_tokens: 0 };
    expect(input_tokens).toBeGreaterThan(0);
    expect(ended.token_usage?.model).toBe("claude-sonnet-4-5");
  });

  test("an estimate above the model's window isn't tried on the provider", async () => {
    await using room = await system.newRoom(await newTarget());
    await room.startEngine();
    await room.newAgent("long", { model: "claude-sonnet-4-5", backend: "anthropic" });
    // Together more than the bus takes in one message, and more tokens than the window.
    for (let index = 0; index < 40; index++) await room.say(`n${index} ${"x".repeat(24_000)}`);
    system.asked.length = 0;
    system.think("by-estimate", () => "Beans.");
    const task = await room.ask("@long by-estimate?");
    await room.until(task.id, "completed", "failed");
    expect(system.askedOf("by-estimate").map(shownIn)).toMatchObject([{ messages: 20, isSummed: false }]);
  });

  test("a message that no request has room for is told as too long, and nothing of it is lost", async () => {
    await using room = await system.newRoom(await newTarget());
    await room.startEngine();
    await room.newAgent("long", { model: "claude-sonnet-4-5", backend: "anthropic" });
    const { message, tasks } = await room.say(`@long ${"x".repeat(1_200_000)}`);
    const ended = await room.until(tasks[0]?.id ?? "", "failed", "completed");
    expect(ended.error).toContain("longer than its model takes");
    expect((await room.messages()).find(({ id }) => id === message.id)?.text).toHaveLength(1_200_006);
  });
});
