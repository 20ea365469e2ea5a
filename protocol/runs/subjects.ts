/** The subjects on the bus, and what goes over those that carry neither requests nor events. */
import { z } from "zod";
import { AttachmentRefs } from "../files/attachment.ts";
import { AgentId } from "../names/names.ts";

export const subjects = {
  request: "cortex.request",
  rejected: "cortex.rejected",
  status: "cortex.status",
  allEvents: "cortex.event.>",
  events: (agentId: string) => `cortex.event.${agentId}.>`,
  event: (agentId: string, event: string) => `cortex.event.${agentId}.${event}`,
  cancel: (agentId: string) => `cortex.cancel.${agentId}`,
  input: (agentId: string) => `cortex.input.${agentId}`,
  /** Said to a turn by the agent whose it is: clients may not. */
  turnInput: (agentId: string) => `cortex.turn_input.${agentId}`,
  grant: (agentId: string) => `cortex.grant.${agentId}`,
  anyGrant: "cortex.grant.*",
  /** Told by the agents' service alone. */
  permission: (agentId: string) => `cortex.permission.${agentId}`,
  anyPermission: "cortex.permission.*",
  /** Told by the gateway alone. */
  metering: (agentId: string) => `cortex.metering.${agentId}`,
  anyMetering: "cortex.metering.*",
  anyCancel: "cortex.cancel.*",
  anyInput: "cortex.input.*",
  anyTurnInput: "cortex.turn_input.*",
  supervisorEvent: (program: string, event: string) => `supervisor.event.${program}.${event}`,
  lines: (worker: string, agentId: string) => `cortex.lines.${worker}.${agentId}`,
  copies: (agentId: string) => `cortex.copies.${agentId}`,
  dead: (streamSeq: number) => `cortex.dead.${streamSeq}`,
  anyDead: "cortex.dead.*",
  channelIn: (type: string) => `channel.in.${type}`,
  channelOut: (type: string) => `channel.out.${type}`,
  channelTurn: (type: string) => `channel.turn.${type}`,
  receipt: (id: string) => `channel.receipt.${id}`,
  permissionDecide: (token: string) => `permission.decide.${token}`,
  /** The subjects on which adapters talk to the agents' service, beside messages. */
  answersToAgents: ["channel.receipt.*", "permission.decide.*"],
  /** The subject of the news that a message was taken out of its channel's stream. */
  taken: (type: string, id: string) => `channel.taken.${type}.${id}`,
  /** The subject of a stream that takes nothing in any more. */
  formerInbound: "channel.former",
  /** Where the agents' service hears what an external adapter says on a subject. */
  channelGate: (type: string, subject: string) => `channel.gate.${type}.${subject}`,
  anyChannelGate: "channel.gate.*.>",
  agentEvent: (agentId: string, event: string) => `agent.event.${agentId}.${event}`,
  allAgentEvents: "agent.event.>",
  agentTool: "agents.tool",
  agentCommand: "agents.command",
  workspaceTool: "workspace.tool",
} as const;

/** The header that names a subject to which a refusal is sent as well. Only an inbox is accepted. */
export const replyHeader = "Cortex-Reply";
export const replyPattern = /^_INBOX\.[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64}){0,2}$/;

/** The subjects as a table, for the documents. */
export const subjectTable: { subject: string; direction: string; carries: string }[] = [
  { subject: "cortex.request", direction: "in", carries: "Request" },
  { subject: "cortex.cancel.<agent_id>", direction: "in", carries: "`{}`" },
  { subject: "cortex.input.<agent_id>", direction: "in", carries: "Input" },
  { subject: "cortex.turn_input.<agent_id>", direction: "in, from long-lived agents alone", carries: "Input" },
  { subject: "cortex.grant.<agent_id>", direction: "in, answered", carries: "Grant request" },
  {
    subject: "cortex.permission.<agent_id>",
    direction: "in, from the agents' service alone, answered",
    carries: "`permission`, `permission_decided`, `held_up`",
  },
  {
    subject: "cortex.metering.<agent_id>",
    direction: "in, from the gateway alone, answered",
    carries: "`begin` and `end` of model calls",
  },
  { subject: "cortex.event.<agent_id>.<event>", direction: "out", carries: "Event" },
  { subject: "cortex.rejected", direction: "out", carries: "Rejection" },
  { subject: "cortex.status", direction: "out, every 5 s", carries: "Status" },
  { subject: "supervisor.event.<program>.<event>", direction: "out", carries: "Supervisor event" },
  { subject: "channel.in.<type>", direction: "in, stored", carries: "Inbound message" },
  { subject: "channel.out.<type>", direction: "out, stored", carries: "Outbound message" },
  {
    subject: "channel.turn.<type>",
    direction: "out",
    carries: "`event` (`turn_started`, `turn_ended`), and the `ids` of messages of that channel",
  },
  { subject: "channel.receipt.<id>", direction: "in, stored", carries: "Receipt" },
  { subject: "permission.decide.<token>", direction: "in, stored", carries: "Permission decision" },
  { subject: "agent.event.<cuid2>.<event>", direction: "out", carries: "Agent event" },
];

export const RejectReason = z.enum(["invalid", "duplicate_id", "overloaded"]);
export type RejectReason = z.infer<typeof RejectReason>;

export const Rejection = z
  .looseObject({
    error: z.string().meta({ description: "The error, with the value, and what was expected." }),
    reason: RejectReason.meta({ description: "Its kind." }),
    request: z.unknown().meta({ description: "The request as it arrived, its secrets replaced." }),
  })
  .meta({
    id: "Rejection",
    title: "Rejection",
    description: "A message on `cortex.request` that can't become a run, on `cortex.rejected`.",
    examples: [{ error: "prompt: expected text, got nothing", reason: "invalid", request: { persona: "default" } }],
  });
export type Rejection = z.infer<typeof Rejection>;

export const RunInput = z
  .looseObject({
    text: z.string().min(1).meta({ description: "The text of the input." }),
    id: z.string().min(1).max(500).optional().catch(undefined).meta({
      description:
        "Makes it once: the same id again is dropped. The events `input` and `input_taken` have it. Absent: it is given one. To the turn of an agent: which of its messages this is.",
    }),
    attachments: AttachmentRefs.optional(),
  })
  .meta({
    id: "Input",
    title: "Input",
    description:
      "Said to a run on `cortex.input.<agent_id>`; to the turn of a long-lived agent, by that agent, on `cortex.turn_input.<agent_id>`.",
    examples: [{ id: "i1", text: "Go on." }],
  });
export type RunInput = z.infer<typeof RunInput>;

export const RunningRun = z.looseObject({
  agent_id: AgentId,
  persona: z.string().meta({ description: "Its persona." }),
  backend: z.string().meta({ description: "Its backend." }),
  elapsed_seconds: z.number().meta({ description: "How long it has been running." }),
});

export const Status = z
  .looseObject({
    worker: z.string().meta({ description: "The cortex that speaks." }),
    running: z.array(RunningRun).meta({ description: "The runs in progress." }),
    queued: z.number().int().meta({ description: "How many requests wait." }),
    capacity: z.number().int().meta({ description: "How many may run at once." }),
  })
  .meta({
    id: "Status",
    title: "Status",
    description: "The status of a cortex, on `cortex.status` every 5 s.",
    examples: [
      {
        worker: "laptop-4242",
        running: [{ agent_id: "1736380800000", persona: "default", backend: "offline", elapsed_seconds: 1.5 }],
        queued: 0,
        capacity: 4,
      },
    ],
  });
export type Status = z.infer<typeof Status>;
