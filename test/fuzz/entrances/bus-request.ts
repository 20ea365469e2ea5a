/** Requests on the bus. Each is refused, or becomes a run that ends. */
import type { Entrance } from "../entrance.ts";
import { hostileJson } from "../hostile.ts";

const fields: Record<string, unknown>[] = [
  { persona: "default", model: "m", max_tokens: 10, temperature: 0.5 },
  { backend: "ok", tools: "journal, todo", disable_mcp: false },
  { backend: "hear", timeout_seconds: 1, idle_timeout_seconds: 1 },
  { facet: "garden", day: "20250111", save: "notes/fuzzed.md" },
  { save: "notes.md", day: "20250111" },
  { continue_from: "1736380800000" },
  { handoff: { persona: "reviewer", prompt: "look", handoff: { persona: "default", save: "x.md" } } },
  { env: { FUZZ: "1", LANG: "C" }, priority: 10 },
  { labels: ["gpu"], max_cost_usd: 1, max_total_tokens: 10, max_total_turns: 2, timeout_seconds: 1 },
  { limits: { timeout_seconds: 3 }, max_output_bytes: 1000, max_memory_mb: 100, max_processes: 10 },
  { mcp_server_url: "http://127.0.0.1:9/mcp" },
  { instruction: "be brief", agent: "tz4a98xxat96iws9zmbrgj3a", handoff_from: "1736380800000" },
  { attachments: [{ path: "20250111/notes.md" }], stream: true, colour: "blue" },
];

/** The bus takes no more, with room for headers. */
const maxBytes = 1_000_000;

export const busRequest: Entrance = {
  name: "request on the bus",
  async attack(system, engine) {
    const agentId = system.nextId();
    // No two alike: the same request again is answered, and has no end of its own.
    const sample = { prompt: `fuzz ${agentId}`, ts: Number(agentId), ...engine.pick(fields) };
    const bytes = hostileJson(engine, sample).subarray(0, maxBytes);
    const answer = await system.clients.ask(bytes, agentId);
    return "rejection" in answer ? "refused" : "taken";
  },
};
