/** The bus is away for long: runs go on, and nothing that was said or asked meanwhile is lost. `CHAOS_AWAY_SECONDS` says how long. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { ask, type RequestedRun } from "../../bus/runs/client.ts";
import { isTerminal } from "../../protocol/runs/event.ts";
import { CortexSystem, fixtureAgents } from "../support/cortex-system.ts";
import { programsOf } from "./chaos-system.ts";
import { problemsOf } from "./invariants.ts";

const awaySeconds = Number(process.env["CHAOS_AWAY_SECONDS"] ?? 4);

/** Counts aloud until a file is there. */
const counting = `n=0; until [ -e "$0" ]; do n=$((n+1)); echo "{\\"event\\":\\"text\\",\\"n\\":$n}"; sleep 0.05; done; echo "{\\"event\\":\\"finish\\",\\"result\\":\\"$n\\"}"`;
const finish = { ev: { event: "finish", result: "done" } };

test(`the bus is away for ${awaySeconds} s: files grow, what wasn't published goes out in order, what was asked is taken`, {
  timeout: 300_000 + awaySeconds * 3000,
}, async () => {
  const settings = { ...fixtureAgents("scripted"), max_concurrent: 8, lease_seconds: 1, orphan_grace_seconds: 60 };
  await using system = await CortexSystem.start({ settings });
  const go = join(system.journal, "go");
  writeFileSync(
    join(system.journal, "cortex.json"),
    JSON.stringify({
      ...settings,
      backends: { ...settings.backends, counting: { command: ["sh", "-c", counting, go] } },
    }),
  );
  await system.until(() => system.log.includes("was read again"), "the settings are read");
  const ids = [1, 2, 3].map(() => system.request({ prompt: "x", backend: "counting" }));
  const early = join(system.journal, "early");
  // This one ends while the bus is away, and hands on.
  const parent = system.steps([{ ev: { event: "text", text: "here" } }, { await: early }, finish], {
    handoff: { prompt: JSON.stringify([finish]), backend: "scripted" },
  });
  for (const id of [...ids, parent]) await system.heard(id, "text");

  await system.stopBus();
  const writeOn = async () => {
    const before = ids.map((id) => system.file(id).length);
    const hasGrown = () => ids.every((id, index) => system.file(id).length > (before[index] ?? 0) + 5);
    await system.until(hasGrown, "all write on");
  };
  const asked = system.nextId();
  const asking = insistOn(() =>
    ask(system.bus, { ts: Number(asked), prompt: JSON.stringify([finish]), backend: "scripted" }),
  );
  writeFileSync(early, "");
  await system.until(() => system.file(parent).some(isTerminal), "a run ends without the bus");
  await writeOn();
  await delay(awaySeconds * 1000); // the subject of the test, and nothing that it waits for
  await writeOn();
  expect(system.file(asked)).toEqual([]);

  await system.startBus();
  const { agent_id, result } = await asking;
  expect(agent_id).toBe(asked);
  expect(await result).toMatchObject({ event: "finish" });
  writeFileSync(go, "");
  for (const id of [...ids, asked, parent]) await system.closed(id);
  const child = String(system.file(parent).find(({ event }) => event === "handoff")?.["to"]);
  await system.closed(child);
  for (const id of ids) {
    const file = system.file(id);
    const numbers = file.filter(({ event }) => event === "text").map(({ n }) => n);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(file.at(-1)).toMatchObject({ event: "finish", result: String(numbers.length) });
    expect(file.filter(({ event }) => event === "start")).toHaveLength(1);
  }
  // Among others: the stream has each line of each file, once, in order.
  let problems: string[] = [];
  const isRight = async () =>
    (problems = await problemsOf(system, [...ids, parent, child, asked], programsOf(system))).length === 0;
  await system.until(isRight, "nothing is wrong").catch(() => {});
  expect(problems).toEqual([]);
});

/** As the library says: the same request under the same id, until the bus has taken it. */
async function insistOn(what: () => Promise<RequestedRun>): Promise<RequestedRun> {
  for (;;) {
    try {
      return await what();
    } catch {
      await delay(200);
    }
  }
}
