/** The common table, for the web channel. */
import { testChannel } from "../table/channel-table.ts";
import { playWeb } from "./played-web.ts";

await testChannel(playWeb());
