/** Access: which agent a message goes to, and whether its sender is an owner. Pure. */
import type { AgentsSettings } from "../../protocol/agents/agents-settings.ts";
import { type Channel, isUnverified } from "../../protocol/agents/channel.ts";
import type { AgentKey } from "../record/agent-id.ts";

/** Trusted channels: only an owner can write on this machine's terminal, and on the page that has its token. */
export const trustedChannels: Readonly<Record<string, (channel: Channel) => boolean>> = {
  cli: ({ channelId }) => channelId === "main",
  web: ({ userId }) => userId === "token",
};

/**
 * `type:userId`, as owners are listed. Null where the channel doesn't name its sender, or doesn't believe them: the name of a room
 * is nobody's identity, nor is a name that anybody may give.
 */
export const identityOf = ({ type, userId }: Pick<Channel, "type" | "userId">) =>
  userId === undefined || isUnverified(userId) ? null : `${type}:${userId}`;

/** Whether a message's metadata can only come from an owner. */
export const isTrustedChannel = (channel: Channel) => trustedChannels[channel.type]?.(channel) ?? false;

export function isOwner(channel: Channel, owners: ReadonlySet<string>): boolean {
  const identity = identityOf(channel);
  return isTrustedChannel(channel) || (identity !== null && owners.has(identity));
}

/** Finds the key of the agent that a sender's messages go to. @param persona asked for by an owner */
export function routeToAgent(
  channel: Channel,
  owners: ReadonlySet<string>,
  { binding = "shared" }: AgentsSettings = {},
  persona?: string,
): { key: AgentKey; isOwner: boolean } {
  const { type, channelId, userId, replyTo } = channel;
  const thread = binding === "perThread" && replyTo !== undefined ? { thread: replyTo } : {};
  const place = { connector: type, channelId, ...thread };
  if (isOwner(channel, owners)) {
    const name = persona === undefined || persona === "main" ? {} : { name: persona };
    return { key: { kind: "main", ...(binding === "shared" ? {} : place), ...name }, isOwner: true };
  }
  return { key: { kind: "user", ...place, userId: userId ?? channelId }, isOwner: false };
}
