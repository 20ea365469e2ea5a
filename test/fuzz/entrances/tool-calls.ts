/** Requests to the tool server, each right before something in it is made wrong. */
import type { Engine } from "../../simulation/engine.ts";

const calls: [tool: string, args: Record<string, unknown>][] = [
  ["search_journal", { query: "garden heater", limit: 5, day_from: "20250101", day_to: "20250131", facet: "garden" }],
  ["get_events", { day: "20250111", facet: "garden" }],
  ["get_facet", { facet: "garden" }],
  ["get_resource", { path: "20250111/notes.md", from: 1, to: 20 }],
  ["todo_list", { facet: "garden", day: "20250111" }],
  ["todo_upcoming", { facet: "garden", day: "20250111" }],
  ["todo_add", { facet: "garden", day: "20250111", text: "water the seeds" }],
  ["todo_done", { facet: "garden", day: "20250111", line: 1 }],
  ["todo_cancel", { facet: "garden", day: "20250111", text: "water the seeds" }],
  ["entity_list", { facet: "garden" }],
];

const others = [
  {
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "f", version: "1" } },
  },
  { method: "tools/list", params: { cursor: "1" } },
  { method: "resources/list", params: {} },
  { method: "resources/read", params: { uri: "journal://day/20250111" } },
  { method: "prompts/get", params: { name: "default", arguments: { prompt: "hi" } } },
  { method: "logging/setLevel", params: { level: "debug" } },
  { method: "notifications/cancelled", params: { requestId: 1 } },
  {
    method: "completion/complete",
    params: { ref: { type: "ref/prompt", name: "default" }, argument: { name: "facet", value: "g" } },
  },
];

export function toolCall(engine: Engine): Record<string, unknown> {
  const envelope = { jsonrpc: "2.0", id: engine.between(1, 1000) };
  if (engine.chance(0.3)) return { ...envelope, ...engine.pick(others) };
  const [name, args] = engine.pick(calls);
  return { ...envelope, method: "tools/call", params: { name, arguments: args } };
}
