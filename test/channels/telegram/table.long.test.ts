/** The common table, for Telegram. */
import { testChannel } from "../table/channel-table.ts";
import { playTelegram } from "./played-telegram.ts";

await testChannel(await playTelegram());
