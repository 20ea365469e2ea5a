/** The budget of a day, spent by real runs. */
import { afterAll, expect, test } from "vitest";
import { updateWorkspace } from "../../../workspace/workspaces.ts";
import { AnswerSystem } from "../answers/answer-system.ts";
import { describeDatabases } from "../temporary-store.ts";

const system = await AnswerSystem.start();
afterAll(() => system[Symbol.asyncDispose]());

describeDatabases((newTarget) => {
  test("what runs cost is counted: the answer that used the budget up is the last one of the day", async () => {
    await using room = await (await system.newRoom(await newTarget())).startEngine();
    const { store, actor } = room;
    system.think("first", () => "Beans.");
    const setBudget = (max_cost_usd: number) =>
      updateWorkspace(store, actor.workspaceId, { budget: { max_cost_usd } }, actor);
    await setBudget(10);
    const first = await room.until((await room.ask("@coder first")).id, "completed");
    expect(first.cost_usd).toBeGreaterThan(0);
    await setBudget(first.cost_usd ?? 0);
    const before = system.asked.length;
    for (const text of ["@coder second", "@assistant third"]) {
      const refused = await room.until((await room.ask(text)).id, "failed");
      expect(refused).toMatchObject({ run_id: null, error: expect.stringContaining("is used up") });
    }
    expect(system.asked.length).toBe(before);
    const limits = (await room.messages()).filter(({ metadata }) => metadata.kind === "limit");
    expect(limits.map(({ author_type }) => author_type)).toEqual(["system"]);
    await setBudget(10);
    await room.until((await room.ask("@coder first")).id, "completed");
  });
});
