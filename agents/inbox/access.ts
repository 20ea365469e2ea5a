/** Who may speak to which agent. Pure. */
import type { AgentsSettings } from "../../protocol/agents/agents-settings.ts";
import type { Channel } from "../../protocol/agents/channel.ts";
import type { AgentKey } from "../record/agent-id.ts";

/** The channels on which only an owner can be: this machine's terminal, and the page that has its token. */
export const ownersChannels: Readonly<Record<string, (channel: Channel) => boolean>> = {
  cli: ({ channelId }) => channelId === "main",
  web: ({ userId }) => userId === "token",
};

/** `type:userId`, as owners are written down. Null where the channel hasn't said who it was: the space's name is no one's. */
export const identityOf = ({ type, userId }: Pick<Channel, "type" | "userId">) =>
  userId === undefined ? null : `${type}:${userId}`;

/** Whether what stands in a message's metadata was said by the owner, and by nobody else. */
export const isOwnWord = (channel: Channel) => ownersChannels[channel.type]?.(channel) ?? false;

export function isOwner(channel: Channel, owners: ReadonlySet<string>): boolean {
  const identity = identityOf(channel);
  return isOwnWord(channel) || (identity !== null && owners.has(identity));
}

/** The agent to whom somebody speaks, and whether as an owner. @param persona asked for by an owner */
export function agentFor(
  channel: Channel,
  owners: ReadonlySet<string>,
  { binding = "shared" }: AgentsSettings = {},
  persona?: string,
): { key: AgentKey; isOwner: boolean } {
  const { type, channelId, userId } = channel;
  if (isOwner(channel, owners)) {
    const name = persona === undefined || persona === "main" ? {} : { name: persona };
    const key: AgentKey =
      binding === "shared" ? { kind: "main", ...name } : { kind: "main", connector: type, channelId, ...name };
    return { key, isOwner: true };
  }
  return { key: { kind: "user", connector: type, channelId, userId: userId ?? channelId }, isOwner: false };
}
