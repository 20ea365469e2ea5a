/** The log of simulated workers: it becomes part of the trace, and an input that the table of a run's life rules out is a violation. */
import { type Logger, pino } from "pino";
import { z } from "zod";
import type { Engine } from "../engine.ts";
import type { Violations } from "../violations.ts";

const Line = z.looseObject({
  level: z.number(),
  msg: z.string().optional(),
  agent_id: z.string().optional(),
  from: z.string().optional(),
  input: z.string().optional(),
  err: z.looseObject({ message: z.string() }).optional(),
});
type Line = z.infer<typeof Line>;

/**
 * The owner of the log now: one simulation happens after the other, and a logger each would take a tenth of its time.
 */
let take: (line: Line) => void = () => {};
const log = pino({ base: null, timestamp: false }, { write: (text) => take(Line.parse(JSON.parse(text))) });

export function logInto(engine: Engine, violations: Violations): Logger {
  log.level = engine.trace ? "debug" : "error";
  take = ({ level, msg = "", agent_id = "", from = "", input = "", err }) => {
    if (level >= 50 && input !== "") violations.impossible(agent_id, from, input);
    engine.say(`  ${[agent_id, msg, from, input, err?.message].filter(Boolean).join(" ")}`);
  };
  return log;
}
