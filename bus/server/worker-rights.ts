/**
 * The rights of a worker of another host on the bus: what its cortex, its tool server, its supervisor and the commands
 * at it do there, and nothing else. Each line names the code that needs it.
 */
import { subjects } from "../../protocol/runs/subjects.ts";
import { deadStream, eventStream, requestStream } from "../jetstream/streams.ts";

/** Buckets of cortex: claims.ts, ledger.ts, workers.ts, usage-bucket.ts. */
const buckets = ["cortex_claims", "cortex_runs", "cortex_workers", "cortex_spending"];
const bucketStreams = buckets.map((bucket) => `KV_${bucket}`);
const streams = [requestStream, eventStream, deadStream, ...bucketStreams];
/** Streams and buckets that it reads by consumers: requests.ts, event-feed.ts, and watching of buckets. */
const read = [requestStream, eventStream, ...bucketStreams];
/** Streams of which it takes single messages away: a spent request, a late event, the claim of an ended run. */
const shortened = [requestStream, eventStream, "KV_cortex_claims"];

const api = (what: string) => `$JS.API.${what}`;

/** Never CORTEX_INBOUND, streams of channels, or the buckets of the agents and the schedule: those are the host's. */
const jetstream = [
  ...streams.flatMap((stream) => [
    // Makes what is missing, as the host does; one that is there stays as it is.
    api(`STREAM.CREATE.${stream}`),
    api(`STREAM.INFO.${stream}`),
    api(`STREAM.MSG.GET.${stream}`),
    api(`DIRECT.GET.${stream}`),
    api(`DIRECT.GET.${stream}.>`),
  ]),
  ...shortened.map((stream) => api(`STREAM.MSG.DELETE.${stream}`)),
  ...read.flatMap((stream) => [
    api(`CONSUMER.CREATE.${stream}`),
    api(`CONSUMER.CREATE.${stream}.>`),
    api(`CONSUMER.INFO.${stream}.*`),
    api(`CONSUMER.MSG.NEXT.${stream}.*`),
    `$JS.ACK.${stream}.>`,
    `$JS.FC.${stream}.>`,
  ]),
  // Readers of its own. Not of the requests: the consumer there is everybody's.
  ...[eventStream, ...bucketStreams].map((stream) => api(`CONSUMER.DELETE.${stream}.*`)),
  api(`CONSUMER.DURABLE.CREATE.${requestStream}.*`),
  // Answers: what was asked, and whether this server has streams at all.
  api("INFO"),
];

const says = [
  // cortex: handing on, what runs say, refusals, its status, what can't be delivered, files of runs, its keys.
  subjects.request,
  "cortex.event.*.*",
  subjects.rejected,
  subjects.status,
  subjects.anyDead,
  subjects.lines("*", "*"),
  subjects.copies("*"),
  ...buckets.map((bucket) => `$KV.${bucket}.>`),
  // Inboxes of clients, who have named them (accept.ts). Whoever else has asked is answered by `allow_responses`.
  "_INBOX.>",
  // The model calls of the runs there (metering.ts).
  subjects.anyMetering,
  // The tools of the turns that run there (agents-link.ts), and what becomes of its programs (supervisor-news.ts).
  subjects.agentTool,
  subjects.workspaceTool,
  subjects.supervisorEvent("*", "*"),
  // Commands at that host, as a client's.
  subjects.anyCancel,
  subjects.anyInput,
];

const hears = [
  subjects.anyCancel,
  subjects.anyInput,
  subjects.anyTurnInput,
  subjects.anyGrant,
  subjects.anyPermission,
  subjects.anyMetering,
  subjects.lines("*", "*"),
  subjects.copies("*"),
  subjects.status,
  subjects.rejected,
  subjects.allEvents,
  subjects.supervisorEvent("*", "*"),
  "_INBOX.>",
  "_INBOX_cortex.>",
  "_INBOX_mcp-tools.>",
  "_INBOX_gateway.>",
  "_INBOX_supervisor.>",
];

/** How long somebody who has asked may wait for the answer: a piece of a file, a share of a limit. */
const responses = { max: 1, expires: "30s" };

export const workerPermissions = {
  publish: { allow: [...says, ...jetstream] },
  subscribe: { allow: hears },
  allow_responses: responses,
};
