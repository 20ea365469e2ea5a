/** The turn that hears a message, followed by the agent's events and by its files. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { publishAgentNews } from "../../../bus/agents/agent-calls.ts";
import { TurnOf } from "../../../bus/agents/turn-of.ts";
import type { Bus } from "../../../bus/connection/connect.ts";
import type { AgentNews } from "../../../protocol/agents/agent-event.ts";
import type { MessagePlace } from "../../../protocol/agents/message-place.ts";
import { BusServer } from "../bus-server.ts";

const [agent, run, item] = ["tz4a98xxat96iws9zmbrgj3a", "1736380800000", "cli:a"];
let server: BusServer;
let [owner, agents]: Bus[] = [];
beforeAll(async () => {
  server = await BusServer.start();
  owner = await server.as("owner");
  agents = await server.as("agents");
});
afterAll(() => server[Symbol.asyncDispose]());

const coming: MessagePlace = { is: "coming" };

/** Follows the message. Its files say, in turn, what they are given; the last of it stays. */
async function follow(...places: MessagePlace[]) {
  const turn = new TurnOf({ bus: owner as Bus, agent, placeOf: () => places.shift() ?? last }, item);
  const last = places.at(-1) ?? coming;
  await owner?.connection.flush();
  return turn;
}

const tell = (event: AgentNews["event"], more: object = {}) =>
  publishAgentNews(agents as Bus, { event, ts: Date.now(), agent_id: agent, ...more });

test("events say when the turn begins, and how it ends", async () => {
  using turn = await follow();
  tell("turn_started", { run_id: "1736380799999", items: ["cli:other"] });
  tell("turn_started", { run_id: run, items: ["cli:other", item] });
  expect(await turn.begun).toEqual({ run });
  tell("turn_ended", { run_id: run, items: [item], ok: false, error: "No.", reason: "provider" });
  expect(await turn.ended).toEqual({ error: "No.", reason: "provider" });
});

test("the files say so where no event was heard", async () => {
  using turn = await follow(coming, { is: "heard", run, isOver: false }, { is: "heard", run, isOver: true });
  expect(await turn.begun).toEqual({ run });
  expect(await turn.ended).toBeNull();
});

test("a message that is taken back is heard by no turn", async () => {
  using turn = await follow();
  tell("taken_back", { item: "cli:other" });
  tell("taken_back", { item });
  expect(await turn.begun).toEqual({ unheard: "taken_back" });
});

test("after a reset the files are asked at once", async () => {
  let asked = 0;
  const placeOf = (): MessagePlace => (asked++ === 0 ? { is: "unheard", why: "taken_back" } : coming);
  using turn = new TurnOf({ bus: owner as Bus, agent, placeOf }, item);
  await owner?.connection.flush();
  tell("reset");
  expect(await turn.begun).toEqual({ unheard: "taken_back" });
});

test("a message that was put away is heard by no turn, though no event says so", async () => {
  using turn = await follow(coming, { is: "unheard", why: "put_away" });
  expect(await turn.begun).toEqual({ unheard: "put_away" });
});
