/** A run that has begun and not ended, as it is kept: enough to end its spans, whoever reads on from here. */
import { z } from "zod";
import { AgentId } from "../../protocol/names/names.ts";
import { nothingSpent, Spent } from "../../protocol/runs/spent.ts";

/** A call of a tool that has begun. */
const OpenTool = z.object({
  id: z.string(),
  tool: z.string(),
  /** When, in ms, and with which line of the run. */
  ts: z.number(),
  seq: z.number(),
  epoch: z.number(),
  /** Its arguments as JSON: only where content is sent. */
  args: z.string().optional(),
});
export type OpenTool = z.infer<typeof OpenTool>;

export const OpenRun = z.object({
  /** Its last line that was read, and how often it had changed hands by then. */
  seq: z.number(),
  epoch: z.number(),
  /** When it was first and last heard of, and when its first process was at work, in ms. */
  first: z.number(),
  last: z.number(),
  started: z.number().optional(),
  persona: z.string(),
  agent: z.string().optional(),
  backend: z.string().optional(),
  model: z.string().optional(),
  handoff_from: AgentId.optional(),
  continue_from: AgentId.optional(),
  attempts: z.number(),
  /** Since when its next model call may be under way: the last event that the call can have waited for. */
  since: z.number(),
  /** Whether a `usage` since then tells of a failed call. */
  told_failure: z.boolean(),
  spent: Spent,
  tools: z.array(OpenTool),
  /** Its prompt: only where content is sent. */
  prompt: z.string().optional(),
});
export type OpenRun = z.infer<typeof OpenRun>;

export function newRun(ts: number): OpenRun {
  return {
    seq: 0,
    epoch: 0,
    first: ts,
    last: ts,
    persona: "default",
    attempts: 0,
    since: ts,
    told_failure: false,
    spent: nothingSpent,
    tools: [],
  };
}

/** Notes what a request says of its run. */
export function applyRequest(run: OpenRun, event: Record<string, unknown>): void {
  run.persona = nameIn(event, "persona") ?? run.persona;
  run.agent = nameIn(event, "agent");
  run.backend = nameIn(event, "backend");
  run.model = nameIn(event, "model");
  run.handoff_from = AgentId.safeParse(event["handoff_from"]).data;
  run.continue_from = AgentId.safeParse(event["continue_from"]).data;
}

/** Characters of a name: whatever it is, it stands in every span. */
const longestName = 200;

/** A kind of failure, or of something else, in an event: one word as ours are, since agents may write a whole text there. */
export function kindIn(event: Record<string, unknown>, field: string): string | undefined {
  const { [field]: value } = event;
  return typeof value === "string" && /^[a-z][a-z0-9_]{0,39}$/.test(value) ? value : undefined;
}

/** A name in an event: agents write what they like. */
export function nameIn(event: Record<string, unknown>, field: string): string | undefined {
  const { [field]: value } = event;
  return typeof value === "string" && value !== "" ? value.slice(0, longestName).toWellFormed() : undefined;
}
