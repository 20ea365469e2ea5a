/** Inputs to a run that has no process, between two attempts, and to one whose cortex is killed before it tells them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { attemptFolder } from "../../../journal/run-folders/run-folder.ts";
import type { Failpoint } from "../../../proc/programs/failpoint.ts";
import type { RunConfig } from "../../../protocol/runs/run-config.ts";
import { StopPoint } from "../../chaos/stop-point.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";

const settings = fixtureAgents("scripted");

async function stoppable(stop: StopPoint): Promise<CortexSystem> {
  return CortexSystem.start({ settings, env: stop.env });
}

/** Says something to a run whose cortex stands still, which hears it once it goes on. */
async function sayThere(system: CortexSystem, id: string, text: string): Promise<void> {
  system.bus.connection.publish(`cortex.input.${id}`, JSON.stringify({ id: text, text }));
  await system.bus.connection.flush();
}

const configOf = (system: CortexSystem, id: string, attempt: number): RunConfig =>
  JSON.parse(readFileSync(join(attemptFolder(system.journal, id, attempt), "in/1"), "utf8"));

test.concurrent.each(["next-attempt-kept", "process-gone"] satisfies Failpoint[])(
  "what is said at %s is told the next attempt once, with its configuration before it",
  async (point) => {
    using stop = new StopPoint();
    await using system = await stoppable(stop);
    const id = system.steps([{ hear: true }]);
    await system.until(() => system.attemptPids(id, 1).length > 0, "attempt 1");
    stop.set(point, 1);
    system.killAttempt(id, 1);
    await system.until(() => stop.isReached(), point);
    stop.clear();
    await sayThere(system, id, "only May");
    stop.letGo();
    await system.heard(id, "input");
    await system.until(() => system.attemptPids(id, 2).length > 0, "attempt 2");
    const { prompt_in_history, history, former_inputs, attempt } = configOf(system, id, 2);
    expect({ attempt, prompt_in_history, former_inputs }).toEqual({
      attempt: 2,
      prompt_in_history: true,
      former_inputs: ["only May"],
    });
    expect(history?.map(({ role, text }) => [role, text])).toEqual([
      ["user", JSON.stringify([{ hear: true }])],
      ["user", "only May"],
    ]);
    await sayThere(system, id, "and June");
    const file = await system.settled(id);
    expect(file.find(({ event }) => event === "text")?.["text"]).toContain("and June");
  },
);

test.concurrent.each([
  [1, "events-written"],
  [2, "events-written"],
  [1, "line-put"],
] satisfies [number, Failpoint][])(
  "what is said to attempt %d, whose cortex is killed at %s, is given to its process by the next cortex, once",
  async (attempt, point) => {
    using stop = new StopPoint();
    await using system = await stoppable(stop);
    const words = { ev: { event: "text", text: "working" } };
    const id = system.steps([words, { hear: true }, { hear: true }]);
    const begun = () => system.of(id).filter(({ event }) => event === "text").length;
    for (let lost = 1; lost < attempt; lost++) {
      await system.until(() => begun() === lost, `attempt ${lost}`);
      system.killAttempt(id, lost);
    }
    await system.until(() => begun() === attempt, `attempt ${attempt}`);
    stop.set(point, 1);
    await sayThere(system, id, "only May");
    await system.until(() => stop.isReached(), `${point}: it is written, and not heard`);
    stop.clear();
    await system.killCortex();
    await system.startCortex();
    await system.until(() => begun() === attempt + 1, "it is heard");
    await sayThere(system, id, "only May");
    await sayThere(system, id, "and June");
    const file = await system.settled(id);
    const heard = file.filter(({ event }) => event === "text").slice(attempt);
    expect(heard.map(({ text }) => JSON.parse(String(text)))).toMatchObject([
      { id: "only May", text: "only May" },
      { id: "and June", text: "and June" },
    ]);
    expect(file.filter(({ event }) => event === "input")).toHaveLength(2);
  },
);
