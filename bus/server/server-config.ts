/** The configuration of a private nats-server: JetStream in the journal's `.state/`, a user for each program, and a key for each worker that joins. */
import { subjects } from "../../protocol/runs/subjects.ts";
import { builtInChannels } from "../../protocol/agents/agents-settings.ts";
import { outboundStream, workspaceInbox } from "../agents/channels.ts";
import { eventStream } from "../jetstream/streams.ts";
import { workerPermissions } from "./worker-rights.ts";
import { isLoopback } from "../connection/bus-url.ts";
import { takenStream } from "../agents/taken-ids.ts";

/** Our own users of the bus, each with its own name and password. */
const ownUsers = [
  "client",
  "cortex",
  "supervisor",
  "schedule",
  "agents",
  "mcp-tools",
  "gateway",
  "telemetry",
  "owner",
] as const;
export type BusUser = (typeof ownUsers)[number] | `channel-${string}`;

/** The adapter of a channel, as a user of the bus. */
export const channelUser = (type: string) => `channel-${type}` as const;

/** All users of a bus with these types of channels. */
export const busUsers = (types: readonly string[]): BusUser[] => [...ownUsers, ...types.map(channelUser)];

/** The account that has the streams, as the server names it. */
export const busAccount = "CORTEX";

/** The rights of a client: ask, cancel, say something, listen, and look events up. So it can forge no event. */
const clientSays = ["cortex.request", "cortex.cancel.*", "cortex.input.*"];
/** Looking up, message by message: the next of a subject, or its last. A consumer could be told to deliver to any subject. */
const lookUp = `$JS.API.DIRECT.GET.${eventStream}`;
const clientLooksUp = [lookUp, `${lookUp}.>`];
const clientAsks = [...clientSays, ...clientLooksUp];
const clientHears = ["cortex.event.>", "cortex.rejected", "cortex.status", "supervisor.event.>", "_INBOX.>"];
const clientPermissions = { publish: { allow: clientAsks }, subscribe: { allow: clientHears } };

/** The tools ask the agents' service and the web program's workspaces, hear its answers, and tell a run that a process of its has ended; nothing else. */
const toolsPermissions = {
  publish: { allow: [subjects.agentTool, subjects.workspaceTool, subjects.anyInput] },
  subscribe: { allow: ["_INBOX_mcp-tools.>"] },
};

/** The gateway asks cortex about model calls, and hears its answers; nothing else. */
const gatewayPermissions = {
  publish: { allow: [subjects.anyMetering] },
  subscribe: { allow: ["_INBOX_gateway.>"] },
};

/** Telemetry reads the events, and nothing else; it acknowledges nothing. */
const telemetryPermissions = {
  publish: {
    allow: [
      `$JS.API.STREAM.INFO.${eventStream}`,
      `$JS.API.CONSUMER.CREATE.${eventStream}`,
      `$JS.API.CONSUMER.CREATE.${eventStream}.>`,
      `$JS.API.CONSUMER.INFO.${eventStream}.*`,
      `$JS.API.CONSUMER.MSG.NEXT.${eventStream}.*`,
      `$JS.API.CONSUMER.DELETE.${eventStream}.*`,
      `$JS.FC.${eventStream}.>`,
    ],
  },
  subscribe: { allow: ["_INBOX_telemetry.>"] },
};

/** The user at this machine, in a command: asks for what only owners may, and sees what their agents do. */
const ownerDecides = subjects.permissionDecide("*");
const ownerAsks = [subjects.agentCommand, ownerDecides];
/** The subject on which the owner decides: through the gate, as the terminal. */
const asTerminal = (subject: string) => (subject === ownerDecides ? subjects.channelGate("cli", subject) : subject);
const ownerHears = [subjects.allAgentEvents, "cortex.event.>"];

/** An adapter may bring messages of its own channel, say what became of those to it, and what was decided. */
const adapterSays = (type: string) => [subjects.channelIn(type), subjects.receipt("*"), subjects.permissionDecide("*")];
const outboundLooksUp = (type: string) => [
  `$JS.API.DIRECT.GET.${outboundStream(type)}`,
  `$JS.API.DIRECT.GET.${outboundStream(type)}.>`,
];
const adapterLooksUp = (type: string) => [
  ...outboundLooksUp(type),
  `$JS.API.DIRECT.GET.${takenStream}.${subjects.taken(type, "*")}`,
];

/**
 * The web program also asks for runs, as a client does, and what only owners may: its API lets the owner alone do so. And it
 * speaks and hears for the rooms of other channels that are bound to threads.
 */
const hasWorkspaces = "web";
const workspaceAsks = (others: readonly string[]) => [
  ...clientAsks,
  subjects.agentCommand,
  ...outboundLooksUp(workspaceInbox),
  ...others.map(subjects.channelOut),
];
const adapterAsks = (type: string, channels: readonly string[]) => [
  ...adapterSays(type),
  ...adapterLooksUp(type),
  ...(type === hasWorkspaces ? workspaceAsks(channels.filter((other) => other !== type)) : []),
];
const adapterHears = (type: string) => [
  subjects.channelOut(type),
  subjects.channelTurn(type),
  ...(type === hasWorkspaces ? [...clientHears, subjects.allAgentEvents, subjects.channelOut(workspaceInbox)] : []),
];
/** The subject on which tools ask the workspaces. */
const adapterAnswers = (type: string) => (type === hasWorkspaces ? [subjects.workspaceTool] : []);

/** Most that the streams may take on the disk together. */
const maxFileStore = "4GB";

/** For workers on other hosts. */
export type Listening = {
  /** An address of this host, or `0.0.0.0` for all. */
  host: string;
  /** Files. Without them only loopback is listened on. */
  tls?: { certFile: string; keyFile: string } | undefined;
  /** The workers that may join, each by the public half of its key. */
  workers: { name: string; nkey: string }[];
};

/** A bus that would be open to others without TLS. */
export class OpenBusError extends Error {
  override name = "OpenBusError";
}

export type ServerOptions = {
  name: string;
  port: number;
  storeFolder: string;
  pidFile: string;
  passwords: Readonly<Record<string, string>>;
  /** The types of channels that there are. */
  channels?: readonly string[];
  /** The types whose adapter is the user's own, also in the place of one of ours. */
  external?: readonly string[];
  listening?: Listening | undefined;
  /** Whether it writes through to the disk before it acknowledges. A server that can't doesn't start with it. */
  isSynchronous?: boolean;
};

/** @throws OpenBusError when it would listen to other hosts without TLS */
export function checkListening({ host, tls }: Listening): void {
  if (tls || isLoopback(host)) return;
  throw new OpenBusError(
    `the bus doesn't listen on ${host} without TLS: prompts, answers and passwords would cross the network in the clear. Give bus.tls its cert, key and ca, or listen on 127.0.0.1`,
  );
}

const loopbackOnly: Listening = { host: "127.0.0.1", workers: [] };

/**
 * The text of the configuration file. It holds passwords: mode 0600.
 * @throws OpenBusError when it would listen to other hosts without TLS
 */
export function serverConfig({ listening = loopbackOnly, ...options }: ServerOptions): string {
  const { name, port, storeFolder, pidFile, passwords, channels = [], external = [], isSynchronous = false } = options;
  const { host, tls, workers } = listening;
  checkListening(listening);
  const user = (name: BusUser) => ({ user: name, password: passwords[name] ?? "" });
  // Clients live in accounts of their own. The server acknowledges a stored request on whatever subject its sender
  // names: in one account with the streams that could be the server's own interface, and a request would delete them.
  const guests: Guest[] = [
    {
      account: "CLIENT",
      user: "client",
      asks: clientAsks,
      through: asIs,
      hears: clientHears,
      permissions: clientPermissions,
    },
    guest("OWNER", "owner", ownerAsks, ownerHears, asTerminal),
    ...channels.map((type) => adapterGuest(type, channels, external.includes(type))),
  ];
  const unique = (lists: string[][]) => [...new Set(lists.flat())];
  const accounts = {
    [busAccount]: {
      jetstream: "enabled",
      users: [
        user("cortex"),
        user("supervisor"),
        user("schedule"),
        user("agents"),
        { ...user("mcp-tools"), permissions: toolsPermissions },
        { ...user("gateway"), permissions: gatewayPermissions },
        { ...user("telemetry"), permissions: telemetryPermissions },
        ...workers.map(({ nkey }) => ({ nkey, permissions: workerPermissions })),
      ],
      exports: [
        ...unique(guests.map(({ asks, through }) => asks.map(through))).map((service) => ({ service })),
        ...unique(guests.map(({ hears }) => hears)).map((stream) => ({ stream })),
      ],
      imports: guests.flatMap(({ account, answers = [] }) =>
        answers.map((subject) => ({ service: { account, subject } })),
      ),
    },
    ...Object.fromEntries(
      guests.map(({ account, user: name, asks, through, hears, answers = [], permissions }) => [
        account,
        {
          users: [{ ...user(name), permissions }],
          exports: answers.map((service) => ({ service })),
          imports: [
            ...asks.map((to) => ({ service: { account: busAccount, subject: through(to) }, to })),
            ...hears.map((subject) => ({ stream: { account: busAccount, subject } })),
          ],
        },
      ]),
    ),
  };
  return [
    `server_name: ${value(name)}`,
    `host: ${value(host)}`,
    `port: ${port}`,
    `pid_file: ${value(pidFile)}`,
    `jetstream { store_dir: ${value(storeFolder)}, max_file_store: ${maxFileStore}${isSynchronous ? ", sync_interval: always" : ""} }`,
    ...(tls ? [`tls: ${value({ cert_file: tls.certFile, key_file: tls.keyFile, timeout: tlsSeconds })}`] : []),
    `authorization: ${value({ timeout: authSeconds })}`,
    `accounts: ${value(accounts)}`,
    "",
  ].join("\n");
}

/** A user in an account of its own: what it may ask for there, as which subject that arrives, what it hears, and what it answers. */
type Guest = {
  account: string;
  user: BusUser;
  asks: string[];
  through: (subject: string) => string;
  hears: string[];
  answers?: string[];
  permissions: Permissions;
};

type Permissions = { publish: { allow: string[] }; subscribe: { allow: string[] } };

const asIs = (subject: string) => subject;

function guest(account: string, user: BusUser, asks: string[], hears: string[], through = asIs): Guest {
  const permissions = { publish: { allow: asks }, subscribe: { allow: [...hears, `_INBOX_${user}.>`] } };
  return { account, user, asks, through, hears, permissions };
}

/**
 * The replies that the server names for requests from another account. With `allow_responses` in its place it keeps the
 * reply subject of each message that its user hears, and looks through all of them at the next: at a thousand
 * acknowledged events a second that took a whole core.
 */
const answersToOthers = "_R_.>";

function answering(to: Guest, answers: string[]): Guest {
  if (answers.length === 0) return to;
  const { publish, subscribe } = to.permissions;
  const permissions = {
    publish: { allow: [...publish.allow, answersToOthers] },
    subscribe: { allow: [...subscribe.allow, ...answers] },
  };
  return { ...to, answers, permissions };
}

/** Our own adapters look at what they say themselves; what others say goes through the gate. */
function adapterGuest(type: string, channels: readonly string[], isExternal: boolean): Guest {
  const says = adapterSays(type);
  const isOurs = !isExternal && builtInChannels.some((known) => known === type);
  const through = (subject: string) =>
    isOurs || !says.includes(subject) ? subject : subjects.channelGate(type, subject);
  const user = guest(`CHANNEL_${type}`, channelUser(type), adapterAsks(type, channels), adapterHears(type), through);
  return answering(user, adapterAnswers(type));
}

/**
 * Seconds that a client may take to say who it is: after the server's own default of 2 s one on a busy host would be
 * refused.
 */
const authSeconds = 20;

/** Seconds that a handshake may take: the server's own default of 2 s is short for a busy host. */
const tlsSeconds = 5;

/** The server's format takes JSON values as they are. */
const value = (text: unknown) => JSON.stringify(text);
