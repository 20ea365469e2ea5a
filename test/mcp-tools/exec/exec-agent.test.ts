/** Commands of a long-lived agent: they belong to its conversation, not to a turn. */
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeState } from "../../../journal/agents/agent-files.ts";
import { issueToken } from "../../../journal/access/tokens.ts";
import type { PermissionRule } from "../../../protocol/settings/permissions.ts";
import type { AgentState } from "../../../protocol/agents/agent-files.ts";
import { agentId, AgentsService, callAs, runId } from "../agents-service.ts";
import { connect } from "../tools-server.ts";
import { askUntil } from "../../support/ask-until.ts";
import { expectQuiet } from "../../support/expect-quiet.ts";
import { patienceMs } from "../../support/patience.ts";

let service: AgentsService;
beforeAll(async () => {
  service = await AgentsService.start();
  mkdirSync(service.context.work_folder, { recursive: true });
  service.answers.set("process_ended", { ok: true, result: { told: true } });
});
afterAll(async () => await service[Symbol.asyncDispose]());

const place = { is_walled: false, max_processes: 200, max_memory_mb: 512 };
const allowed: { permissions: PermissionRule[] } = { permissions: [{ tool: "exec", decide: "allow" }] };
const turn = async (run: string) =>
  connect(service.tools.url, await issueToken(service.journal, run, ["bash", "process_list"], allowed, place));
const state: AgentState = {
  lifecycle: "active",
  provider: {},
  permissions: [],
  asked: [],
  created: 1,
  updated: 1,
  context_tokens: 0,
  has_memory_index: false,
  turn: null,
};

test("a background process works in the agent's folder, outlives the turn, and its end is told to the agent", async () => {
  await writeState(service.journal, agentId, state);
  const first = await turn(runId);
  const command = "pwd; until [ -e go ]; do sleep 0.05; done; exit 3";
  const started = await callAs(first, "call-1", "bash", { command, background: true });
  expect(JSON.parse(started.text)).toMatchObject({ process_id: "p1", exit_code: null });
  await first.close();
  const next = await turn(String(Number(runId) + 1));
  const listed = JSON.parse((await callAs(next, "call-2", "process_list", {})).text) as unknown;
  expect(listed).toMatchObject({ processes: [{ process_id: "p1", running: true }] });
  expect((await callAs(next, "call-3", "bash", { command: "touch go; pwd" })).text).toContain(
    service.context.work_folder,
  );
  const told = await askUntil(
    () => service.calls.find(({ tool }) => tool === "process_ended"),
    () => "the agents' service is told",
    patienceMs,
  );
  expect(told.args).toEqual({ agent_id: agentId, text: expect.stringContaining("exit code 3") });
  await next.close();
});

test.each([
  ["has begun anew", { conversation: 1736380800001 }],
  ["has ended", { lifecycle: "ended" }],
] as const)("a background process ends when its agent's conversation %s", async (_, change) => {
  await writeState(service.journal, agentId, state);
  await using client = await turn(String(Number(runId) + 2));
  const ticks = `ticks-${Object.keys(change).join()}`;
  await callAs(client, `call-${ticks}`, "bash", {
    command: `while :; do echo x >>${ticks}; sleep 0.05; done`,
    background: true,
  });
  const size = () => statSync(join(service.context.work_folder, ticks), { throwIfNoEntry: false })?.size ?? 0;
  await askUntil(
    () => size() > 0,
    () => "it runs",
    patienceMs,
  );
  await writeState(service.journal, agentId, { ...state, ...change });
  await expectQuiet(size);
});
