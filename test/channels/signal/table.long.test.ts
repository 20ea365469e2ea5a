/** The common table, for Signal. */
import { testChannel } from "../table/channel-table.ts";
import { playSignal } from "./played-signal.ts";

await testChannel(await playSignal());
