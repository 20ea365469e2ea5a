/** The cases of chaos: over what, what kind of run, at which failpoint of it, who is killed. Each by its number and a seed. */
import { type Failpoint, runFailpoints } from "../../../proc/programs/failpoint.ts";
import { Engine } from "../../simulation/engine.ts";

/** With nobody over cortex, or with a whole `cortex up`. */
export type Setting = "cortex" | "cortex up";

export type Program = "supervisor" | "nats-server" | "cortex" | "mcp-tools";
export type Victim = Program | "agent";

export const kinds = [
  "plain",
  "without an id",
  "with a secret",
  "handing on",
  "cancelled",
  "input",
  "tool call",
  "lost attempt",
] as const;
export type Kind = (typeof kinds)[number];

export type Case = {
  number: number;
  setting: Setting;
  kind: Kind;
  point: Failpoint;
  /** It is killed when the point is reached for so many times. */
  times: number;
  killed: Victim[];
};

/** Points that only some kinds of runs reach. */
const special: Partial<Record<Failpoint, Kind[]>> = {
  "id-assigned": ["without an id"],
  "token-issued": ["tool call"],
  "input-put": ["input"],
  "stop-recorded": ["cancelled"],
  "next-attempt-kept": ["lost attempt"],
  "child-reserved": ["handing on"],
  "child-kept": ["handing on"],
  saved: ["handing on"],
  "save-written": ["handing on"],
  "child-claimed": ["handing on"],
  "child-published": ["handing on"],
  "request-erased": ["with a secret"],
};

/** Points that a run comes to again and again. */
const frequent: Failpoint[] = ["place-noted", "events-written", "events-published"];

/** A case, the same one each time. Every fourth is one over a whole `cortex up`. */
export function caseOf(seed: number, number: number): Case {
  const engine = new Engine(seed * 1_000_003 + number);
  engine.random(); // neighbours begin alike
  const setting = number % 4 === 3 ? "cortex up" : "cortex";
  const point = engine.pick(runFailpoints);
  const kind = engine.pick(special[point] ?? kinds);
  const most = frequent.includes(point) ? 5 : kind === "lost attempt" || kind === "handing on" ? 2 : 1;
  return { number, setting, kind, point, times: engine.between(1, most), killed: victimsOf(engine, setting, kind) };
}

function victimsOf(engine: Engine, setting: Setting, kind: Kind): Victim[] {
  const some: Victim[] = [
    ...(setting === "cortex up" ? ["supervisor" as const] : []),
    "nats-server",
    "cortex",
    "agent",
  ];
  if (engine.chance(0.25)) return [...some, "mcp-tools"];
  // Nobody else has anything to do with the tools.
  return [kind === "tool call" && engine.chance(0.5) ? "mcp-tools" : engine.pick(some)];
}

/** Names the victim, in a word. */
export function victimName({ killed, setting }: Case): string {
  const [first = "nobody"] = killed;
  if (killed.length <= 1) return first;
  return setting === "cortex up" ? "all" : "all but supervisor";
}
