/** The settings of long-lived agents, and of the channels through which people reach them. */
import { z } from "zod";
import { channelTypePattern, maxMessageText } from "./channel.ts";
import { ChannelSettings, startedAdapters } from "./channel-settings.ts";

/** The handling of a message that comes while the agent is at work. */
export const QueueMode = z.enum(["followup", "steer", "collect", "interrupt"]);
export type QueueMode = z.infer<typeof QueueMode>;

const channelType = z.string().regex(channelTypePattern);

const most = (what: string, usual: number) =>
  z
    .number()
    .int()
    .nonnegative()
    .optional()
    .meta({ description: `${what} Default ${usual}.` });

/** The limits of a person whom neither `owners`, a pairing nor a channel's `allow` names. */
export const StrangersSettings = z.looseObject({
  messages_per_hour: most("Messages that are read of each in an hour.", 20),
  tokens_per_day: most("Tokens that the answers to each may use on a day.", 200_000),
  total_messages_per_hour: most("Messages that are read of all together in an hour.", 200),
  total_tokens_per_day: most("Tokens that the answers to all together may use on a day.", 1_000_000),
  new_per_day: most("People who may write for the first time on a day.", 50),
  files: z.boolean().optional().meta({ description: "Whether the files that they send are stored. Default no." }),
});
export type StrangersSettings = z.infer<typeof StrangersSettings>;

export const AgentsSettings = z.looseObject({
  binding: z.enum(["shared", "perChannel", "perThread"]).optional().meta({
    description:
      "Owners speak to one main agent (`shared`, the default), to one in each room: each `channelId` of each channel (`perChannel`), or to one in each thread of a room and one in the room itself (`perThread`). With `perThread` everybody else, too, has an agent in each thread.",
  }),
  owners: z
    .array(z.string().regex(/^[a-z][a-z0-9-]{0,31}:.{1,256}$/, "expected <type>:<userId>"))
    .max(256)
    .optional()
    .meta({
      description: "The owners, `<type>:<userId>`, beside those that were paired. `cli` always is one.",
    }),
  strangers: StrangersSettings.optional().meta({
    description:
      "Limits, on all channels, for strangers: senders who are not owners, not in the channel's `allow`, and without the secret of `webhook` or the token of `web`.",
  }),
  emergency_context_limit: z.number().int().positive().optional().meta({
    description: "From so many tokens on an agent is reset when its conversation can't be compacted. Default 200000.",
  }),
  context_window: z
    .number()
    .int()
    .positive()
    .optional()
    .meta({ description: "Tokens that the agents' model takes. Default: as the model is known." }),
  queue: z.record(channelType, QueueMode).optional().meta({
    description:
      "A message that comes during a turn, by the channel's type: gets a turn of its own afterwards (`followup`, the default), goes into the running one (`steer`), waits and is joined with others (`collect`), or ends the running one (`interrupt`).",
  }),
  join_window_ms: z.number().int().nonnegative().max(60_000).optional().meta({
    description: "Messages of one sender within so many ms are one; a mail always is one by itself. Default 300.",
  }),
  titles: z.boolean().optional().meta({
    description:
      "Whether a cheap model of the same provider names the conversation of an owner's agent, once. `false`: its first words are its title. Default true.",
  }),
  max_depth: z
    .number()
    .int()
    .min(0)
    .max(8)
    .optional()
    .meta({ description: "How deep sub-agents may send off sub-agents. Default 1: only the main agent may." }),
  max_parallel: z
    .number()
    .int()
    .min(1)
    .max(1000)
    .optional()
    .meta({ description: "How many tasks of an agent are at work at once; the others wait. Default 4." }),
  work_folder: z.string().min(1).optional().meta({
    description:
      "Where agents and their tasks keep their files, absolute or relative to the journal. Default: one of each agent, which its tasks share. Where it is a repository in one of `folders`, a persona with `worktree` gets a worktree of it.",
  }),
  heartbeat: z
    .looseObject({
      every_minutes: z.number().positive().meta({ description: "How often the agent is woken." }),
      prompt: z
        .string()
        .min(1)
        .max(maxMessageText)
        .optional()
        .meta({ description: "The message that it is sent then." }),
      max_cost_usd_per_day: z.number().positive().meta({ description: "Most that it may cost on a day." }),
    })
    .optional()
    .meta({ description: "Wakes an agent of its own again and again. Default: off." }),
  cron: z
    .record(
      z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/),
      z.looseObject({
        schedule: z.string().min(1).meta({ description: "A cron expression of five fields." }),
        prompt: z.string().min(1).max(maxMessageText).meta({ description: "The message that its agent is sent then." }),
        max_cost_usd_per_day: z.number().positive().meta({ description: "Most that it may cost on a day." }),
      }),
    )
    .optional()
    .meta({ description: "Agents that are woken at their times, by uid." }),
});
export type AgentsSettings = z.infer<typeof AgentsSettings>;

export const ChannelsSettings = z.record(channelType, ChannelSettings);
export type ChannelsSettings = z.infer<typeof ChannelsSettings>;

/** The channels that come with cortex. */
export const builtInChannels = ["cli", "web", "webhook", "telegram", "slack", "mail", "sms", "signal"] as const;
export type BuiltInChannel = (typeof builtInChannels)[number];

/** Clocks that speak to agents, named like channels: our own schedule alone may. */
export const clockTypes: readonly string[] = ["cron", "heartbeat"];

/** All types of channels that there are. */
export function channelTypes(channels: ChannelsSettings | undefined): string[] {
  return [...new Set([...builtInChannels, ...externalChannels(channels)])];
}

/** The types on which somebody can be spoken to: those that are set up. */
export function reachableChannels(channels: ChannelsSettings | undefined): string[] {
  return ["cli", ...startedAdapters(channels), ...externalChannels(channels)];
}

/** The types whose adapters are the user's own. */
export function externalChannels(channels: ChannelsSettings | undefined): string[] {
  return Object.entries(channels ?? {}).flatMap(([type, { external }]) =>
    external === true && !clockTypes.includes(type) ? [type] : [],
  );
}
