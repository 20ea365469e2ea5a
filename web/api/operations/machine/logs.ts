/** Operations on the programs' logs. */
import { refusing } from "../../../journal/access/refusals.ts";
import { LogLine, LogLines, LogQuery } from "../../../journal/logs/log-records.ts";
import { followedLogs, tailLogs } from "../../../journal/logs/logs.ts";
import { operation } from "../../table/operation.ts";

const forOwner = { subject: null, role: "owner" } as const;

export const logs = [
  operation({
    ...forOwner,
    id: "log.tail",
    method: "GET",
    path: "/logs",
    summary: "The last lines of the programs' logs, by time",
    query: LogQuery,
    answer: LogLines,
    handle: ({ machine }, { query }) => refusing(() => tailLogs(machine, query)),
  }),
  operation({
    ...forOwner,
    id: "log.follow",
    method: "GET",
    path: "/logs/live",
    summary: "Hear what the programs log from now on",
    description: "Server-sent events without ids: whoever was away reads `log.tail` again.",
    query: LogQuery,
    events: { log: LogLine },
    listen: ({ machine, signal }, { query }) => followedLogs(machine, query, signal),
    refusals: [503],
  }),
];
