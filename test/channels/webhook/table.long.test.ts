/** The common table, for the webhook. */
import { testChannel } from "../table/channel-table.ts";
import { playWebhook } from "./played-webhook.ts";

await testChannel(await playWebhook());
