/** Name of the persona whose settings (backend, model, tools, limits) an agent's turns have. Pure. */
import { type AgentDescriptor, type AgentState, defaultTaskType } from "../../protocol/agents/agent-files.ts";

type Agent = {
  descriptor: Pick<AgentDescriptor, "kind" | "name">;
  state: Pick<AgentState, "task">;
};

export function personaOf({ descriptor: { kind, name }, state: { task } }: Agent): string {
  if (kind === "subagent") return task?.type ?? defaultTaskType;
  return kind === "main" ? (name ?? "main") : "main";
}
