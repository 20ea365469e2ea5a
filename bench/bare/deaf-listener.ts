/** A client that listens to all events of a journal, says so, and then never reads: whoever started it stops it with a signal. */
import { openBus } from "../../bus/connection/connect.ts";
import { readBusAccess } from "../../journal/access/endpoints.ts";

const access = readBusAccess(process.argv[2] ?? "");
if (!access) throw new Error("usage: deaf-listener.ts JOURNAL, of a journal whose bus runs");
const bus = await openBus({ url: access.url, user: "client", password: access.passwords["client"] }, "client");
bus.connection.subscribe("cortex.event.>", { callback: () => {} });
await bus.connection.flush();
process.stdout.write("listening\n");
