/** Suballocations of a run's limits, taken once also by a cortex that is killed before it answers. */
import { afterAll, expect, test } from "vitest";
import { askGrant } from "../../../bus/runs/grants.ts";
import { StopPoint } from "../../chaos/stop-point.ts";
import { GrantRuns } from "./grant-runs.ts";

const stop = new StopPoint();
const runs = await GrantRuns.start(stop.env);
const { system, agents } = runs;
afterAll(async () => {
  stop[Symbol.dispose]();
  await runs[Symbol.asyncDispose]();
});

test.each(["place-noted", "events-written", "events-published"] as const)(
  "killed with -9 at “%s”, before it answers, cortex gives it once",
  async (point) => {
    const id = await runs.atWork(250, { max_total_tokens: 1000 });
    stop.set(point, 1);
    const asked = { id: "one", share: 0.5 };
    const unanswered = askGrant(agents, id, asked);
    await system.until(() => stop.isReached(), point);
    stop.clear();
    await system.killCortex();
    expect(await unanswered).toBe(null);
    await system.startCortex();
    const again = await system.until(() => askGrant(agents, id, asked), "it is answered");
    expect(again).toEqual({ ok: true, limits: { max_total_tokens: 450 } });
    expect(runs.grants(id)).toHaveLength(1);
    const other = await system.until(() => askGrant(agents, id, { id: "two", share: 0.5 }), "so is the next");
    expect(other).toEqual({ ok: true, limits: { max_total_tokens: 225 } });
    expect(await runs.endOf(id)).toMatchObject({ reason: "budget" });
    expect(system.of(id).filter(({ event }) => event === "granted")).toHaveLength(2);
  },
);
