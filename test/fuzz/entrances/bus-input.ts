/** Inputs and cancels: to a run that hears them, to runs that there aren't, and to what is not an id. */
import type { Engine } from "../../simulation/engine.ts";
import type { Entrance } from "../entrance.ts";
import { hostileJson, hostileText } from "../hostile.ts";

const maxBytes = 1_000_000;

export const busInput: Entrance = {
  name: "input on the bus",
  async attack(system, engine) {
    const { clients } = system;
    const { connection } = clients.client;
    const agentId = system.nextId();
    const run = clients.run(agentId, { prompt: "hear", backend: "hear" });
    run.catch(() => {}); // awaited below
    for (let count = engine.between(1, 5); count > 0; count--) {
      const sample = engine.chance(0.9) ? { text: "go on", id: "i1", attachments: [] } : {};
      connection.publish(subjectFor(engine, agentId), hostileJson(engine, sample).subarray(0, maxBytes));
    }
    // What was said to a run before this is no reason for it not to hear this.
    const end = setInterval(() => connection.publish(`cortex.input.${agentId}`, '{"text":"end-of-fuzz"}'), 200);
    try {
      const { event } = await run;
      return event === "finish" ? "taken" : "refused";
    } finally {
      clearInterval(end);
    }
  },
};

function subjectFor(engine: Engine, agentId: string): string {
  const kind = engine.pick(["input", "input", "input", "cancel"]);
  const to = engine.pick([agentId, agentId, "1736380800000", token(engine)]);
  // A cancel of the run itself is not an attack.
  return `cortex.${to === agentId ? "input" : kind}.${to}`;
}

/** A token of a subject has no white space, no dots and no wildcards. */
const token = (engine: Engine) =>
  hostileText(engine)
    .replaceAll(/[\s.*>\0]/g, "")
    .slice(0, 200) || "x";
