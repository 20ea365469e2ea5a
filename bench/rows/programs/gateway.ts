/** A model call through the gateway, with cortex asked before it, beside the same call without: both over connections that are kept. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recordOf } from "../../../cortex/plan/run-record.ts";
import { readProgramRecord } from "../../../journal/programs/programs.ts";
import { MeteredSystem } from "../../../test/gateway/metered-system.ts";
import type { Benchmark } from "../../harness/figures/benchmark.ts";
import { median } from "../../harness/figures/spread.ts";

/** Calls of a round each way, by turns: a single one is too short to be told from noise. */
const callsOf = { quick: 20, full: 200 };

export const measure: Benchmark = async ({ rounds, isQuick }) => {
  await using metered = await MeteredSystem.start();
  const { system, provider } = metered;
  const [ready, go] = [join(system.journal, "ready"), join(system.journal, "go")];
  const id = metered.run([{ touch: ready }, { await: go }]);
  await system.until(() => existsSync(ready), "a run is at work");
  const token = recordOf(system.journal, id)?.gateway_token ?? "";
  const { url = "" } = (await readProgramRecord(system.journal, "gateway")) ?? {};
  const ways = [provider.url, `${url}/anthropic/`];
  const [without, with_, added]: [number[], number[], number[]] = [[], [], []];
  for (const way of ways) await timeOf(way, token); // the connections, and the price list
  for (let round = 0; round < rounds; round++) {
    const times: [number[], number[]] = [[], []];
    for (let call = 0; call < callsOf[isQuick ? "quick" : "full"]; call++)
      for (const [at, way] of ways.entries()) times[at]?.push(await timeOf(way, token));
    const [bare, through] = [median(times[0]), median(times[1])];
    without.push(bare);
    with_.push(through);
    added.push(through - bare);
  }
  writeFileSync(go, "");
  await system.ended(id);
  const comparedWith = { what: "the same call without", figures: without };
  return [
    { what: "gateway: a hello through it", unit: "ms", ours: with_, comparedWith, target: null },
    { what: "gateway: what it adds to a hello", unit: "ms", ours: added, target: { atMost: 2 } },
  ];
};

const body = JSON.stringify({
  model: "claude-sonnet-4-5",
  max_tokens: 100,
  messages: [{ role: "user", content: "hello" }],
});

async function timeOf(base: string, token: string): Promise<number> {
  const began = performance.now();
  const headers = { "x-api-key": token, "content-type": "application/json" };
  const answer = await fetch(`${base}v1/messages`, { method: "POST", headers, body });
  await answer.text();
  if (!answer.ok) throw new Error(`a call was answered with ${answer.status}`);
  return performance.now() - began;
}
