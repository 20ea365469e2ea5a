/** Name of the persona whose settings (backend, model, limits) an agent's turns have. Pure. */
import type { AgentDescriptor } from "../../protocol/agents/agent-files.ts";

export const personaOf = ({ kind, name }: Pick<AgentDescriptor, "kind" | "name">) =>
  kind === "subagent" ? "task" : kind === "main" ? (name ?? "main") : "main";
