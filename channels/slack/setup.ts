/** Set-up of the channel `slack`. */
import { allowQuestion, type ChannelSetup, pairStep } from "../adapter/setup.ts";
import { openClient, publicApi } from "./service/client.ts";
import { toDeliveryError } from "./service/failures.ts";
import { slackToken } from "./tokens.ts";

/** Milliseconds of a call. */
const callMs = 15_000;

export const slackSetup: ChannelSetup = {
  before: [
    "cortex channels slack manifest, and copy what it prints",
    "https://api.slack.com/apps: Create New App, From a manifest, your workspace, paste it, Create",
    "Basic Information, App-Level Tokens, Generate Token and Scopes, with the scope connections:write: the app's token",
    "Install App, Install to Workspace: the bot's token",
  ],
  questions: [
    { setting: "app_token_file", ask: "The app's token (xapp-…)", secretFile: "slack-app-token" },
    { setting: "bot_token_file", ask: "The bot's token (xoxb-…)", secretFile: "slack-bot-token" },
    allowQuestion("member ids, U0123456789"),
  ],
  check: async (place) => {
    const { settings } = place;
    const [appToken, botToken] = [slackToken(place, "app_token"), slackToken(place, "bot_token")];
    const apiUrl = settings.api_url === undefined ? publicApi : `${settings.api_url.replace(/(?<!\/)\/+$/, "")}/`;
    try {
      const { user, team } = await openClient(botToken, apiUrl, callMs).auth.test();
      await openClient(appToken, apiUrl, callMs).apps.connections.open({});
      return `the bot ${user} of ${team}`;
    } catch (error) {
      throw new Error(toDeliveryError(error).message, { cause: error });
    }
  },
  after: () => ["Write to the app on Slack, or /invite it into a channel and mention it", pairStep],
};
