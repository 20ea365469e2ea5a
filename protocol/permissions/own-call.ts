/** A call that an agent makes by a tool of its own: what the run asks the tool server about it, and the answer. */
import { z } from "zod";

/** Kind of what it does, by the Agent Client Protocol's words. */
export const OwnCallKind = z.enum([
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
]);

/**
 * Asked at `/permit` of the tool server, with the run's token.
 * @field tool its name for rules: that of our own tool which does the same, or `agent.name`
 * @field args the main one first, which rules look at: null where it can't be told
 * @field call_id the call's in its run's file: asked again, it is the same question
 */
export const OwnCall = z.object({
  tool: z.string().min(1).max(256),
  kind: OwnCallKind,
  args: z.record(z.string(), z.unknown()),
  call_id: z.string().min(1).max(256),
});
export type OwnCall = z.infer<typeof OwnCall>;

/** `why`: for the model to read. */
export const OwnCallAnswer = z.discriminatedUnion("allowed", [
  z.object({ allowed: z.literal(true) }),
  z.object({ allowed: z.literal(false), why: z.string() }),
]);
export type OwnCallAnswer = z.infer<typeof OwnCallAnswer>;
