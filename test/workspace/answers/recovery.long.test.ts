import { afterAll, beforeAll, expect, test } from "vitest";
import { cancelTask } from "../../../workspace/tasks/tasks.ts";
import type { Reply } from "../../support/providers/played.ts";
import { describeDatabases } from "../temporary-store.ts";
import { AnswerSystem, type Room } from "./answer-system.ts";

let system: AnswerSystem;
beforeAll(async () => {
  system = await AnswerSystem.start();
});
afterAll(() => system[Symbol.asyncDispose]());

const hanging: Reply = { turn: { text: "Water them." }, cut: "between-events", by: "hang" };
const hasPiece = (room: Room) =>
  system.cortex.until(() => room.pieces.some(({ event }) => event === "message.delta"), "a piece of the answer");

describeDatabases((newTarget) => {
  const newRoom = async (settings = {}) => (await system.newRoom(await newTarget(), settings)).startEngine();

  test("an answer goes on with the engine that comes next: one run, one message, whole at the end", async () => {
    await using room = await newRoom();
    const answers: ((text: string) => void)[] = [];
    system.think("meanwhile", () => new Promise<string>((resolve) => void answers.push(resolve)));
    const { id } = await room.ask("@assistant meanwhile");
    await system.cortex.until(() => answers.length === 1, "the model is asked");
    await room.stopEngine();
    answers[0]?.("Done meanwhile.");
    const { run_id } = await room.task(id);
    await system.cortex.ended(run_id ?? "");
    expect(await room.task(id)).toMatchObject({ status: "running", output: null });
    await room.startEngine();
    expect(await room.until(id, "completed")).toMatchObject({ run_id, token_usage: { output_tokens: 30 } });
    expect((await room.messages()).slice(1)).toMatchObject([{ text: "Done meanwhile." }]);
    expect(answers).toHaveLength(1);
  });

  test("a half-made message is completed by the engine that comes next", async () => {
    await using room = await newRoom({ answer_timeout_seconds: 6 });
    system.think("half of it", () => hanging);
    const { id } = await room.ask("@assistant half of it");
    await hasPiece(room);
    await room.stopEngine();
    expect((await room.messages()).at(-1)).toMatchObject({ author_type: "agent", text: "" });
    await room.startEngine();
    expect(await room.until(id, "failed")).toMatchObject({ error: expect.stringContaining("response timed out") });
    const [, answer, told] = await room.messages();
    expect([answer, told]).toMatchObject([{ metadata: { isIncomplete: true } }, { metadata: { kind: "error" } }]);
  });

  test("a task that is cancelled while nobody answers is cancelled by the engine that comes next, with its run", async () => {
    await using room = await newRoom();
    system.think("not wanted", () => hanging);
    const { id } = await room.ask("@assistant not wanted");
    await hasPiece(room);
    await room.stopEngine();
    const { run_id } = await cancelTask(room.store, id, room.actor);
    const queued = await room.ask("@coder not wanted");
    await cancelTask(room.store, queued.id, room.actor);
    await room.startEngine();
    expect((await system.cortex.ended(run_id ?? "")).at(-1)).toMatchObject({ reason: "cancelled" });
    const isClosed = async () => {
      const open = await room.store.database.selectFrom("tasks").select("id").where("is_open", "=", 1).execute();
      return open.length === 0;
    };
    await system.cortex.until(isClosed, "nothing is left to do");
    expect(await room.task(queued.id)).toMatchObject({ status: "cancelled", run_id: null });
    expect((await room.messages()).filter(({ author_type }) => author_type !== "human")).toHaveLength(1);
  });

  test("what is asked while cortex is away is answered when it is back", async () => {
    await using room = await newRoom();
    system.think("come back", () => "Here I am.");
    await system.cortex.killCortex();
    const { id } = await room.ask("@assistant come back");
    await room.until(id, "running");
    await system.cortex.startCortex();
    await room.until(id, "completed");
    expect((await room.messages()).slice(1)).toMatchObject([{ text: "Here I am." }]);
  });

  test("what is asked while the bus is away is answered when it is back", async () => {
    await using room = await newRoom();
    system.think("the bus", () => "On my way.");
    await system.cortex.stopBus();
    const { id } = await room.ask("@assistant the bus");
    await room.until(id, "running");
    await system.cortex.startBus();
    await room.until(id, "completed");
    expect((await room.messages()).slice(1)).toMatchObject([{ text: "On my way." }]);
  });

  test("the run of a workspace that is removed is ended", async () => {
    await using room = await newRoom();
    system.think("removed", () => hanging);
    const { id } = await room.ask("@assistant removed");
    await hasPiece(room);
    const { run_id } = await room.task(id);
    await room.store.database.deleteFrom("workspaces").where("id", "=", room.actor.workspaceId).execute();
    expect((await system.cortex.ended(run_id ?? "")).at(-1)).toMatchObject({ event: "error", reason: "cancelled" });
  });
});
