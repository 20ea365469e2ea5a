import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import { agentFolder, writeState } from "../../../journal/agents/agent-files.ts";
import { AgentHistory } from "../../../journal/agents/agent-history.ts";
import { AgentInbox } from "../../../journal/agents/agent-inbox.ts";
import { messagePlace } from "../../../journal/agents/message-place.ts";
import { maxFailures, Quarantine } from "../../../journal/quarantine/quarantine.ts";
import { AgentState, type AgentTurn } from "../../../protocol/agents/agent-files.ts";
import { temporaryJournal } from "../temporary-journal.ts";

const id = "tz4a98xxat96iws9zmbrgj3a";
const [run, other] = ["1736380800000", "1736380800001"];

/** An agent at rest, whose files a test writes. */
function openAgent() {
  const journal = temporaryJournal();
  mkdirSync(agentFolder(journal.path, id), { recursive: true });
  const [inbox, history] = [new AgentInbox(journal.path, id), new AgentHistory(journal.path, id)];
  return {
    journal: journal.path,
    post: (item: string) => inbox.add({ id: item, ts: 1, type: "user", text: item }),
    settle: (item: string) => inbox.settleItems([item]),
    record: (record: object) => history.append({ type: "user", ts: 1, text: "hello", ...record } as never),
    history,
    turn: (turn: Pick<AgentTurn, "run_id" | "items"> | null) =>
      writeState(
        journal.path,
        id,
        AgentState.parse({
          lifecycle: "active",
          provider: {},
          permissions: [],
          created: 1,
          updated: 1,
          context_tokens: 0,
          has_memory_index: false,
          turn: turn && { ...turn, request: { prompt: "hello" } },
        }),
      ),
    placeOf: (item: string) => messagePlace(journal.path, id, item),
    [Symbol.dispose]: () => {
      for (const one of [inbox, history, journal]) one[Symbol.dispose]();
    },
  };
}

test("a message comes, waits, is heard by a turn, and the turn ends", async () => {
  using agent = openAgent();
  expect(agent.placeOf("cli:a")).toEqual({ is: "coming" });
  await agent.post("cli:a");
  expect(agent.placeOf("cli:a")).toEqual({ is: "coming" });
  await agent.turn({ run_id: run, items: ["cli:a"] });
  expect(agent.placeOf("cli:a")).toEqual({ is: "heard", run, isOver: false });
  await agent.record({ id: "cli:a", run_id: run });
  await agent.settle("cli:a");
  await agent.turn(null);
  expect(agent.placeOf("cli:a")).toEqual({ is: "heard", run, isOver: true });
});

test("a message that was taken back, or dropped by a reset, is heard by no turn", async () => {
  using agent = openAgent();
  await agent.post("cli:a");
  await agent.post("cli:b");
  await agent.settle("cli:a");
  expect(agent.placeOf("cli:a")).toEqual({ is: "unheard", why: "taken_back" });
  expect(agent.placeOf("cli:b")).toEqual({ is: "coming" });
});

test("a message that was joined to another, told to a turn that went on, or put into the archive, was heard", async () => {
  using agent = openAgent();
  for (const item of ["cli:a", "cli:b", "cli:late"]) {
    await agent.post(item);
    await agent.settle(item);
  }
  await agent.record({ id: "cli:a", items: ["cli:a", "cli:b"], run_id: run });
  await agent.record({ id: "cli:late", input: true, run_id: run });
  expect(agent.placeOf("cli:b")).toEqual({ is: "heard", run, isOver: true });
  await agent.turn({ run_id: run, items: ["cli:a", "cli:b"] });
  // It isn't one of those that the turn began with.
  expect(agent.placeOf("cli:late")).toEqual({ is: "heard", run, isOver: false });
  // Too late for that turn's model: it is told to the next one.
  await agent.record({ type: "system", id: "moved", moved: "cli:late", run_id: other, left_out: true });
  expect(agent.placeOf("cli:late")).toMatchObject({ run: other });
  await agent.history.archive(
    (archive) => [{ type: "compact", ts: 2, id: "compact-2", archive, summary: "They said hello." }],
    new Date(),
  );
  expect(agent.placeOf("cli:b")).toMatchObject({ is: "heard", run });
});

test("a message is put away at its third failure, on its way in or in a turn that never began", async () => {
  using agent = openAgent();
  await agent.post("cli:b");
  await agent.settle("cli:b");
  for (const [store, item] of [
    ["inbound", "cli:a"],
    ["agents", "cli:b"],
  ] as const) {
    const quarantine = new Quarantine(agent.journal, store);
    for (let failure = 1; failure < maxFailures; failure++)
      await quarantine.failed("key", new Error("no"), { bytes: "{}", messages: [item] });
    expect(agent.placeOf(item)).not.toMatchObject({ why: "put_away" });
    await quarantine.failed("key", new Error("no"), { bytes: "{}", messages: [item] });
    expect(agent.placeOf(item)).toEqual({ is: "unheard", why: "put_away" });
  }
  expect(agent.placeOf("cli:other")).toEqual({ is: "coming" });
});

test("files that can't be read now say nothing, but where the message was put away that is known", async () => {
  using journal = temporaryJournal();
  expect(messagePlace(journal.path, "no agent's id", "cli:a")).toEqual({ is: "coming" });
  const quarantine = new Quarantine(journal.path, "inbound");
  for (let failure = 1; failure <= maxFailures; failure++)
    await quarantine.failed("key", new Error("no"), { bytes: "{}", messages: ["cli:a"] });
  expect(messagePlace(journal.path, "no agent's id", "cli:a")).toEqual({ is: "unheard", why: "put_away" });
});
