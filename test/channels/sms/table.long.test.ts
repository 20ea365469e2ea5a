/** The common table, for SMS. */
import { testChannel } from "../table/channel-table.ts";
import { playSms } from "./played-sms.ts";

await testChannel(await playSms());
