/** Settings of a workspace: who is asked about what, who drafts resolutions, and what happens unasked. */
import { z } from "zod";
import { ApprovalRule } from "./approval.ts";

const flag = (description: string) => z.boolean().default(false).meta({ description });

export const WorkspaceSettings = z
  .object({
    resolver: z
      .string()
      .max(64)
      .default("_fork-resolver")
      .meta({ description: "The slug of the agent that drafts resolutions." }),
    approval_rules: z.array(ApprovalRule).max(100).default([]).meta({
      description: "The rules of who is asked about which tool: the first that fits. Without one: any member.",
    }),
    thread_summaries: flag("A thread of more than 20 new messages gets a summary at its top."),
    personas: flag(
      "A persona file is mentioned like an agent: `@plan` is answered as the persona `plan`, where no agent has that slug.",
    ),
    fork_suggestions: flag("A fork is suggested where two subjects run side by side in a thread."),
  })
  .meta({ id: "WorkspaceSettings" });
export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>;

/** Fields that aren't named stay as they are. Nothing may fill in a default here. */
export const WorkspaceSettingsUpdate = z
  .object({
    resolver: WorkspaceSettings.shape.resolver.unwrap().min(1).optional(),
    approval_rules: WorkspaceSettings.shape.approval_rules.unwrap().optional(),
    thread_summaries: WorkspaceSettings.shape.thread_summaries.unwrap().optional(),
    personas: WorkspaceSettings.shape.personas.unwrap().optional(),
    fork_suggestions: WorkspaceSettings.shape.fork_suggestions.unwrap().optional(),
  })
  .meta({ id: "WorkspaceSettingsUpdate" });
export type WorkspaceSettingsUpdate = z.infer<typeof WorkspaceSettingsUpdate>;
