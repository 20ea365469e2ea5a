/** `cortex runs input`: what is said to a run has an id, is acknowledged when the run's file has it, and is told once. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { readBusAccess, writeEndpoints } from "../../../journal/access/endpoints.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { runCortex, runCortexJson } from "../run-command.ts";

const system = await CortexSystem.start({ settings: { ...fixtureAgents("scripted"), max_concurrent: 1 } });
afterAll(() => system[Symbol.asyncDispose]());
const { journal } = system;

beforeAll(async () => {
  const access = readBusAccess(journal);
  const credentials = { nats_user: "client", nats_token: access?.passwords["client"] ?? "" };
  await writeEndpoints(journal, { nats_url: access?.url ?? "", ...credentials, pid: process.pid });
});

const here = { ev: { event: "text", text: "here" } };
const finish = { ev: { event: "finish", result: "" } };
const input = (run: string, ...args: string[]) => runCortexJson(journal, ["runs", "input", run, ...args]);
const idsIn = (events: AgentEvent[]) => events.filter(({ event }) => event === "input").map(({ id }) => id);

test("an input is acknowledged with its id; the same id is told once, also after a kill -9 of cortex", async () => {
  const run = system.steps([here, { hear: true }, { hear: true }, finish]);
  await system.heard(run, "text");
  expect(await input(run, "go on", "--id", "mine")).toEqual({
    code: 0,
    document: { ok: true, agent_id: run, id: "mine", is_told: true },
  });
  expect(await input(run, "go on", "--id", "mine")).toMatchObject({ code: 0, document: { id: "mine", is_told: true } });
  await system.killCortex();
  await system.startCortex();
  expect(await input(run, "go on", "--id", "mine")).toMatchObject({ code: 0, document: { id: "mine", is_told: true } });
  const { document } = await input(run, "go on");
  expect(document).toMatchObject({ ok: true, is_told: true, id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  const file = await system.settled(run);
  expect(idsIn(file)).toEqual(["mine", document["id"]]);
  expect(await runCortex(journal, ["runs", "input", run, "too late"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`run ${run} has ended`),
  });
});

test("an input to a run that waits for its start is taken, and told when it starts", async () => {
  const first = system.steps([here, { hear: true }, finish]);
  await system.heard(first, "text");
  const waiting = system.steps([{ hear: true }, finish]);
  await system.until(() => system.statuses.at(-1)?.queued === 1, "the second waits");
  expect(await input(waiting, "for later", "--id", "early")).toMatchObject({ document: { is_told: false } });
  await input(first, "end");
  expect(idsIn(await system.settled(waiting))).toEqual(["early"]);
});

test("an id that is empty or too long is refused", async () => {
  const run = system.steps([here, { hear: true }, finish]);
  await system.heard(run, "text");
  for (const id of ["", "x".repeat(501)])
    expect(await runCortex(journal, ["runs", "input", run, "go on", `--id=${id}`])).toMatchObject({ code: 2 });
  await input(run, "end");
  expect(idsIn(await system.settled(run))).toHaveLength(1);
});
