/** The output of an agent: events with something wrong in them, bytes of every kind, and any exit code. */
import type { Engine } from "../../simulation/engine.ts";
import type { Entrance } from "../entrance.ts";
import { hostileJson, hostileText } from "../hostile.ts";

const events = [
  { event: "start", model: "m", prompt: "p" },
  { event: "text", text: "hello", ts: 1_736_380_800_000 },
  { event: "thinking", summary: "s", model: "m", opaque: { a: 1 } },
  { event: "tool_start", tool: "search_journal", args: { query: "garden" }, call_id: "c1" },
  {
    event: "tool_end",
    tool: "search_journal",
    args: {},
    result: "none",
    call_id: "c1",
    is_error: false,
    duration_ms: 3,
  },
  { event: "usage", model: "m", input_tokens: 10, cached_input_tokens: 1, output_tokens: 3, cost_usd: 0.01 },
  { event: "retry", attempt: 1, delay_ms: 10, reason: "429" },
  { event: "info", message: "hi" },
  { event: "pulse" },
  { event: "request", prompt: "a run of my own" },
  { event: "saved", path: "/etc/passwd" },
  { event: "granted", id: "x", limits: { max_cost_usd: 1 } },
  { event: "error", error: "no", reason: "provider", terminal: false },
  { event: "finish", result: "done", usage: { input_tokens: 1, cost_usd: 0 }, handoff: { persona: "reviewer" } },
];

/** Shorter than the limit of a run and what it is given to leave. */
const endsWithinMs = 120_000;

export const agentOutput: Entrance = {
  name: "agent's output",
  async attack(system, engine) {
    const FUZZ_OUTPUT = system.file(outputOf(engine));
    const env = { FUZZ_OUTPUT, FUZZ_EXIT: String(engine.pick([0, 0, 0, 1, 3])) };
    const ended = await system.clients.run(system.nextId(), { prompt: "spit", backend: "spit", env }, endsWithinMs);
    return ended.event === "finish" ? "taken" : "refused";
  },
};

function outputOf(engine: Engine): Buffer {
  const lines = Array.from({ length: engine.between(1, 5) }, () => lineOf(engine));
  const isManyFold = engine.chance(0.02);
  const bytes = Buffer.concat(lines.flatMap((line) => [line, Buffer.from("\n")]));
  const whole = isManyFold ? Buffer.concat(Array.from({ length: 200 }, () => bytes)).subarray(0, 20_000_000) : bytes;
  return engine.chance(0.5) ? Buffer.concat([whole, Buffer.from('{"event":"finish","result":"end"}')]) : whole;
}

function lineOf(engine: Engine): Buffer {
  if (engine.chance(0.15)) return Buffer.from(hostileText(engine));
  return hostileJson(engine, engine.pick(events));
}
