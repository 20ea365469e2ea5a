/** The owners whom the settings name. Pure. */
import type { AgentsSettings, ChannelsSettings } from "./agents-settings.ts";

/** The user of a webhook's messages that name none. */
export const usualWebhookUser = "webhook";

/** `<type>:<userId>` each. */
export function namedOwners({
  agents,
  channels,
}: {
  agents?: AgentsSettings | undefined;
  channels?: ChannelsSettings | undefined;
}): string[] {
  const named = agents?.owners ?? [];
  return channels?.["webhook"]?.owner === true ? [...named, `webhook:${usualWebhookUser}`] : named;
}
