/** The cases of chaos: what kind of run, at which durable point of it, who is killed. Each by its number and a seed. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DurablePoint, durablePoints } from "../../proc/durable-point.ts";
import { Engine } from "../simulation/engine.ts";
import type { CortexSystem } from "../support/cortex-system.ts";

const kinds = ["plain", "handing on", "cancelled", "input", "tool call", "lost attempt"] as const;
export type Kind = (typeof kinds)[number];

export type Case = { number: number; kind: Kind; point: DurablePoint; times: number; killed: string[] };

/** Points that only some kinds of runs reach. */
const special: Partial<Record<DurablePoint, Kind[]>> = {
  "input put": ["input"],
  "stop recorded": ["cancelled"],
  "child reserved": ["handing on"],
  "child kept": ["handing on"],
  saved: ["handing on"],
  "save written": ["handing on"],
  "child published": ["handing on"],
};

/** A case, the same one each time. */
export function caseOf(seed: number, number: number, victims: readonly string[]): Case {
  const engine = new Engine(seed * 1_000_003 + number);
  engine.random(); // neighbours begin alike
  const point = engine.pick(durablePoints);
  const kind = engine.pick(special[point] ?? kinds);
  const most = point.startsWith("events") ? 5 : kind === "lost attempt" || kind === "handing on" ? 2 : 1;
  const killed = engine.chance(0.2) ? [...victims] : [engine.pick(victims)];
  return { number, kind, point, times: engine.between(1, most), killed };
}

const say = (text: string) => ({ ev: { event: "text", text } });
const finish = { ev: { event: "finish", result: "done" } };

/** A run of that kind: what is done to it until it has ended, again and again. */
export function startKind(kind: Kind, system: CortexSystem): { agentId: string; nudge: () => void } {
  const agentId = system.nextId();
  const go = join(system.journal, `go-${agentId}`);
  const hasSaid = (text: string) => system.file(agentId).filter((event) => event["text"] === text).length;
  const every = seldom(1000);
  switch (kind) {
    case "plain":
      system.steps([say("one"), say("two"), finish], {}, agentId);
      return { agentId, nudge: () => {} };
    case "handing on":
      system.steps(
        [say("one"), finish],
        { save: `chaos-${agentId}.md`, handoff: { prompt: "[]", backend: "scripted" } },
        agentId,
      );
      return { agentId, nudge: () => {} };
    case "cancelled":
      system.steps([say("one"), { await: go }, finish], {}, agentId);
      return { agentId, nudge: () => hasSaid("one") > 0 && every(() => system.cancel(agentId)) };
    case "input":
      system.steps([say("one"), { hear: true }, finish], {}, agentId);
      return { agentId, nudge: () => hasSaid("one") > 0 && every(() => system.input(agentId, "on with it")) };
    case "tool call":
      system.request({ backend: "offline", prompt: "What was said about gardens?", tools: ["journal"] }, agentId);
      return { agentId, nudge: () => {} };
    case "lost attempt": {
      system.steps([say("one"), { await: go }, finish], {}, agentId);
      let isLost = false;
      return {
        agentId,
        nudge() {
          if (hasSaid("one") === 0) return;
          if (!isLost) {
            isLost = true;
            system.killAttempt(agentId, 1);
          } else if (hasSaid("one") > 1) writeFileSync(go, "");
        },
      };
    }
  }
}

/** Does something at most once in so many ms. */
function seldom(ms: number): (what: () => void) => void {
  let next = 0;
  return (what) => {
    if (performance.now() < next) return;
    next = performance.now() + ms;
    what();
  };
}
