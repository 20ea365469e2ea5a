/** Slack passes the common table of tests. */
import { testChannel } from "../table/channel-table.ts";
import { playSlack } from "./played-slack.ts";

await testChannel(await playSlack());
