/**
 * The questions of tools and commands to the agents' service, on `agents.tool` and `agents.command`, and its answers.
 */
import { z } from "zod";
import { AgentId } from "../names/names.ts";

/** A call of a tool by a run: one that is repeated has the same ids, and happens once. */
export const ToolCall = z.object({
  run_id: AgentId,
  call_id: z.string().min(1).max(256),
  tool: z.string().min(1).max(64),
  args: z.record(z.string(), z.unknown()),
});
export type ToolCall = z.infer<typeof ToolCall>;

/** The tools that the web program executes, for runs that answer in a workspace. */
export const workspaceTools: ReadonlySet<string> = new Set(["search_threads"]);

/** A command: an action that a user wants done. */
export const AgentCommand = z.object({ command: z.string().min(1).max(64), args: z.record(z.string(), z.unknown()) });
export type AgentCommand = z.infer<typeof AgentCommand>;

/** An `error` is for whoever asked to read: what can't be, and what to do instead. */
export const AgentAnswer = z.union([
  z.object({ ok: z.literal(true), result: z.record(z.string(), z.unknown()) }),
  z.object({ ok: z.literal(false), error: z.string() }),
]);
export type AgentAnswer = z.infer<typeof AgentAnswer>;

/**
 * The answer of the tool `context`, which no model has: where the files of a run's agent are, and what it may change
 * outside of them.
 */
export const AgentContext = z.object({
  agent_id: z.string(),
  kind: z.string(),
  /** Absolute. */
  work_folder: z.string(),
  /** Changes when the conversation begins anew: what belonged to the one before ends. */
  conversation: z.number().int().optional(),
  /** Absolute folders and files in which a user has allowed to write. */
  may_write: z.array(z.string()),
});
export type AgentContext = z.infer<typeof AgentContext>;
