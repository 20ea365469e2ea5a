/** The tokens of the app, each known by how it begins. */
import { ChannelSecretError, readChannelSecret } from "../../journal/channels/channel-secret.ts";
import type { AdapterDeps } from "../adapter/open-adapter.ts";

const begins = { app_token: "xapp-", bot_token: "xoxb-" };

/** @throws ChannelSecretError */
export function slackToken(
  { journal, env, settings }: Pick<AdapterDeps, "journal" | "env" | "settings">,
  name: keyof typeof begins,
): string {
  const place = { name: `channels.slack.${name}`, file: settings[`${name}_file`], variable: settings[`${name}_env`] };
  const token = readChannelSecret(journal, env, place);
  if (token.startsWith(begins[name])) return token;
  throw new ChannelSecretError(`${place.name}: expected a token that begins with ${begins[name]}`);
}
