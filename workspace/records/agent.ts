/** Records of agents: what one is configured to be, version by version. */
import { z } from "zod";
import { Id, Time } from "./fields.ts";

/** Each can be mentioned but those that begin with `_`. */
export const slugPattern = /^_?[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Longer than any answer that a thread can use. */
const maxAnswerTokens = 1_000_000;

/** The configuration that is kept as an immutable version. */
export const AgentConfig = z
  .object({
    name: z.string().min(1).max(100).meta({ description: "Its name within the team's files." }),
    display_name: z.string().min(1).max(100).meta({ description: "How people see it." }),
    description: z.string().max(1000).default("").meta({ description: "The purpose of the agent, in a line." }),
    avatar: z.string().max(2000).nullable().default(null).meta({ description: "Null: its coloured initial." }),
    system_prompt: z.string().min(1).max(100_000),
    capabilities: z.array(z.string().min(1).max(100)).max(50).default([]).meta({ description: "Tags, for people." }),
    model: z.string().min(1).max(200).nullable().default(null).meta({ description: "Null: the backend's usual one." }),
    backend: z.string().min(1).max(64).nullable().default(null).meta({
      description:
        "Null: the settings' usual one. Not `claude`: approvals don't see the calls of its own tools. Nor do they see what a backend that the settings declare does by itself.",
    }),
    max_tokens: z.int().min(1).max(maxAnswerTokens).default(4096).meta({ description: "Tokens of an answer." }),
    persona: z
      .string()
      .max(64)
      .nullable()
      .default(null)
      .meta({ description: "The persona file that it answers as. Its other fields follow that file. Null: none." }),
    tools: z.array(z.string().min(1).max(200)).max(200).default([]).meta({ description: "Packs or names of tools." }),
    sandbox: z.enum(["required", "preferred", "off"]).nullable().default(null),
    limits: z
      .object({ max_cost_usd: z.number().nonnegative().optional(), max_turns: z.int().positive().optional() })
      .default({})
      .meta({ description: "The limits of a single answer." }),
    trust: z
      .object({
        autonomous: z.array(z.string()).default([]),
        approve: z.array(z.string()).default([]),
        escalate: z.array(z.string()).default([]),
      })
      .prefault({})
      .meta({ description: "Tools that this agent may use by itself, with an approval, or with an admin's alone." }),
  })
  .meta({ id: "AgentConfig" });
export type AgentConfig = z.infer<typeof AgentConfig>;

export const Agent = AgentConfig.extend({
  id: Id,
  workspace_id: Id,
  slug: z.string().regex(slugPattern).meta({ description: "The name that follows the @ in a message." }),
  is_active: z.boolean(),
  is_system: z.boolean().meta({ description: "Used by the workspace itself." }),
  version: z.int().positive().meta({ description: "The published version, which these fields are of." }),
  created_at: Time,
  updated_at: Time,
}).meta({ id: "Agent" });
export type Agent = z.infer<typeof Agent>;

export const NewAgent = AgentConfig.extend({ slug: Agent.shape.slug }).meta({ id: "NewAgent" });
export type NewAgent = z.infer<typeof NewAgent>;

/** Fields that aren't named stay as they are. Nothing may fill in a default here. */
const withoutDefaults = Object.fromEntries(
  Object.entries(AgentConfig.shape).map(([name, field]) => [
    name,
    (field instanceof z.ZodDefault || field instanceof z.ZodPrefault ? field.unwrap() : field).optional(),
  ]),
);
export const AgentUpdate = z
  .object({
    ...withoutDefaults,
    slug: Agent.shape.slug.optional(),
    version: Agent.shape.version
      .optional()
      .meta({ description: "The version that was read: when another one is published by now, it is 409." }),
  })
  .meta({ id: "AgentUpdate" });
export type AgentUpdate = Partial<AgentConfig & Pick<Agent, "slug" | "version">>;

export const AgentSchema = z.object({
  schema: z
    .record(z.string(), z.unknown())
    .meta({ description: "The JSON Schema of an agent's slug, text and settings." }),
});

export const AgentVersion = z
  .object({
    agent_id: Id,
    version: z.int().positive(),
    config: AgentConfig,
    created_by: Id.nullable(),
    created_at: Time,
  })
  .meta({ id: "AgentVersion" });
export type AgentVersion = z.infer<typeof AgentVersion>;
