/** The gateway and cortex killed with -9 in the middle of calls: what was used counts, once, and the agent goes on. */
import { existsSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openBus } from "../../bus/connection/connect.ts";
import { tellMetering } from "../../bus/runs/metering.ts";
import { recordOf } from "../../cortex/plan/run-record.ts";
import { addressAs, readBusAccess } from "../../journal/access/endpoints.ts";
import { readProgramRecord } from "../../journal/programs/programs.ts";
import { callsFolder } from "../../journal/runs/run-files.ts";
import { answerWhole, callTokens, MeteredSystem, statusesIn, usageIn } from "./metered-system.ts";

const whole = { input_tokens: callTokens.input, output_tokens: callTokens.output };

test("a gateway that is killed in the middle is an error that the agent tries again, and the lost call counts as it is likely to", async () => {
  const open: ServerResponse[] = [];
  await using metered = await MeteredSystem.start({
    answer: (response, number) => (number === 1 ? void open.push(response) : answerWhole(response)),
  });
  const { system } = metered;
  const id = metered.run([{ calls: 1, again: true }]);
  await system.until(() => open.length === 1, "the call is under way");
  await metered.stopGateway("SIGKILL");
  await metered.startGateway();
  const events = await system.ended(id);
  expect(statusesIn(events)).toEqual([200]);
  expect(usageIn(events)).toHaveLength(2);
  expect(usageIn(events)).toMatchObject([{ estimated: true, output_tokens: 40, finish_reason: "error" }, whole]);
});

test("a gateway that stays away doesn't keep a run from its end, and its call counts", async () => {
  await using metered = await MeteredSystem.start({ answer: () => {} });
  const { system, asked } = metered;
  const id = metered.run([{ calls: 1 }]);
  await system.until(() => asked.length === 1, "the call is under way");
  await metered.stopGateway("SIGKILL");
  const events = await system.ended(id);
  expect(statusesIn(events)).toEqual([0]);
  expect(usageIn(events)).toMatchObject([{ estimated: true }]);
  expect(events.at(-1)).toMatchObject({ event: "finish" });
});

test("a call whose end comes while cortex is dead counts once, when it is back", async () => {
  const open: ServerResponse[] = [];
  await using metered = await MeteredSystem.start({ answer: (response) => void open.push(response) });
  const { system } = metered;
  const [heard, go] = ["heard", "go"].map((name) => join(system.journal, name)) as [string, string];
  const id = metered.run([{ calls: 1 }, { touch: heard }, { await: go }]);
  await system.until(() => open.length === 1, "the call is under way");
  await system.killCortex();
  for (const response of open) answerWhole(response);
  await system.until(() => existsSync(heard), "the agent has its answer all the same");
  await system.startCortex();
  await system.until(() => usageIn(system.file(id)).length === 1, "its usage is told");
  writeFileSync(go, "");
  const events = await system.ended(id);
  expect(usageIn(events)).toMatchObject([whole]);
  expect(events.at(-1)).toMatchObject({ event: "finish" });
});

test("a cortex that is back knows what is under way: no call goes beyond the cap by it", async () => {
  const open: ServerResponse[] = [];
  await using metered = await MeteredSystem.start({
    settings: { budgets: { daily: { max_total_tokens: 30 } } },
    answer: (response) => void open.push(response),
  });
  const { system } = metered;
  const first = metered.run([{ calls: 1 }]);
  await system.until(() => open.length === 1, "the first call is under way");
  await system.killCortex();
  await system.startCortex();
  const second = metered.run([{ calls: 1, again: true }]);
  await system.until(() => statusesIn(system.file(second)).length === 1, "the second call is answered");
  expect(statusesIn(system.file(second))).toEqual([402]);
  for (const response of open) answerWhole(response);
  await Promise.all([system.ended(first), system.ended(second)]);
  expect(metered.asked).toHaveLength(1);
});

test("while cortex is dead no call is made; the agent tries again until it is back", async () => {
  await using metered = await MeteredSystem.start();
  const { system } = metered;
  const [ready, go] = ["ready", "go"].map((name) => join(system.journal, name)) as [string, string];
  const id = metered.run([{ touch: ready }, { await: go }, { calls: 1, again: true }]);
  await system.until(() => existsSync(ready), "the agent is there");
  await system.killCortex();
  writeFileSync(go, "");
  expect(metered.asked).toEqual([]);
  await system.startCortex();
  expect(statusesIn(await system.ended(id))).toEqual([200]);
  expect(metered.asked).toHaveLength(1);
});

test("a call that is told of twice at once counts once, also when it is told again later", async () => {
  await using metered = await MeteredSystem.start();
  const { system } = metered;
  const access = readBusAccess(system.journal);
  await using bus = await openBus(
    addressAs(access ?? { url: "", server_name: "", passwords: {} }, "gateway"),
    "gateway",
  );
  const go = join(system.journal, "go");
  const id = metered.run([{ calls: 1 }, { await: go }]);
  await system.until(() => usageIn(system.file(id)).length === 1, "the run is at work");
  const usage = { model: "m", ...whole, cached_input_tokens: 0, reasoning_tokens: 0, cost_usd: 0.5 };
  const tell = () => tellMetering(bus, id, { event: "end", gateway: "one", call: "the-same", usage });
  expect(await Promise.all([tell(), tell(), tell()])).toEqual(Array(3).fill({ ok: true }));
  await system.killCortex();
  await system.startCortex();
  await system.until(async () => (await tell())?.ok === true, "it is told again");
  writeFileSync(go, "");
  const events = await system.ended(id);
  expect(usageIn(events).map(({ cost_usd }) => cost_usd === 0.5)).toEqual([false, true]);
});

test("the token of a run that is over is refused, and a recorded run's exchanges are beside it", async () => {
  await using metered = await MeteredSystem.start();
  const { system } = metered;
  const go = join(system.journal, "go");
  const id = metered.run([{ calls: 1 }, { await: go }], { record: true });
  await system.until(() => existsSync(join(callsFolder(system.journal, id), "1.json")), "the exchange is kept");
  const token = recordOf(system.journal, id)?.gateway_token ?? "";
  const url = (await readProgramRecord(system.journal, "gateway"))?.url ?? "";
  const ask = () =>
    fetch(`${url}/anthropic/v1/messages`, { method: "POST", headers: { "x-api-key": token }, body: '{"model":"m"}' });
  expect((await ask()).status).toBe(200);
  writeFileSync(go, "");
  await system.ended(id);
  await system.closed(id);
  const refused = await ask();
  expect([refused.status, await refused.json()]).toMatchObject([401, { error: { type: "authentication_error" } }]);
  expect(JSON.stringify(system.file(id))).not.toContain(token);
});

test("without a gateway, beside a cortex that was started alone, a declared backend gets no key at all", async () => {
  await using metered = await MeteredSystem.start();
  await metered.stopGateway("SIGKILL");
  const events = await metered.system.ended(metered.run([{ calls: 1 }]));
  expect(statusesIn(events)).toEqual([0]);
  expect(metered.asked).toEqual([]);
});
