/** Messages between people and agents: into an agent from a channel, out to a channel, and their receipts. */
import { z } from "zod";
import { attachmentIdPattern } from "../files/attachment.ts";
import { AgentId } from "../names/names.ts";

/** A channel's type is a token of subjects and the name of a stream. */
export const channelTypePattern = /^[a-z][a-z0-9-]{0,31}$/;
const ChannelType = z.string().regex(channelTypePattern, "expected lower-case letters, digits and -");

/** The id of a long-lived agent. */
export const Cuid = z
  .string()
  .regex(/^[a-z][a-z0-9]{23}$/, "expected a cuid2: 24 lower-case letters and digits")
  .meta({ description: "The id of a long-lived agent, a cuid2." });

/** The id of a message, which becomes a token of a subject. */
export const messageIdPattern = /^[A-Za-z0-9_-]{1,128}$/;
const MessageId = z
  .string()
  .regex(messageIdPattern, "expected letters, digits, _ and -, at most 128")
  .meta({ description: "Makes it once: the same id again is dropped." });

const short = (description: string) => z.string().min(1).max(256).meta({ description });

export const Channel = z.looseObject({
  type: ChannelType.meta({ description: "`cli`, `web`, `telegram` …" }),
  channelId: short("The room: the space of the channel in which the conversation takes place."),
  userId: short("The sender, as the channel has checked.").optional(),
  replyTo: short(
    "The thread within the room, where the service has threads. An answer goes into the same one.",
  ).optional(),
});
export type Channel = z.infer<typeof Channel>;

/**
 * Begins the id of a sender who isn't believed to be who they say, such as that of a mail whose address anybody may have written.
 * Nobody with such an id is an owner, is paired, or is allowed by name.
 */
export const unverifiedPrefix = "unverified:";
export const isUnverified = (userId: string): boolean => userId.startsWith(unverifiedPrefix);

export const Attachment = z.looseObject({
  id: z.string().regex(attachmentIdPattern).optional().meta({ description: "The SHA-256 of a stored file's content." }),
  name: short("Its name, as the sender has it.").optional(),
  mime: short("Its media type, told by its content.").optional(),
  type: short("Its media type, as the sender has it.").optional(),
  size: z.number().int().nonnegative().optional().meta({ description: "In bytes." }),
  path: z.string().max(1024).optional().meta({ description: "Where it is, relative to the journal." }),
  data: z.string().optional().meta({ description: "Its content in base64: at most 512 KiB of content." }),
});
export type Attachment = z.infer<typeof Attachment>;

/** In characters. What is longer belongs into an attachment. */
export const maxMessageText = 256 * 1024;

const message = {
  id: MessageId,
  text: z.string().max(maxMessageText).meta({ description: "The text of the message." }),
  channel: Channel.meta({ description: "Where, and by whom." }),
  metadata: z.record(z.string(), z.unknown()).optional().meta({ description: "Other facts that the channel knows." }),
  attachments: z.array(Attachment).max(64).optional().meta({ description: "Files that came with it." }),
};

const edits = MessageId.optional().meta({
  description:
    "The `id` of an earlier message of the same sender in the same room, of which this is the new text. As long as no turn has begun with that one, it says this instead; else the agent is told what was changed.",
});

export const InboundMessage = z.looseObject({ ...message, edits }).meta({
  id: "InboundMessage",
  title: "Inbound message",
  description: "Into an agent, on `channel.in.<type>`.",
  examples: [{ id: "m1", text: "Hello", channel: { type: "cli", channelId: "main" } }],
});
export type InboundMessage = z.infer<typeof InboundMessage>;

export const OutboundMessage = z
  .looseObject({
    ...message,
    agent_id: Cuid.optional().meta({
      description:
        "The long-lived agent that says it, or that a notice of cortex itself is about; absent: none is known.",
    }),
    run_id: AgentId.optional().meta({ description: "The turn in which it was said, or that it is about." }),
  })
  .meta({
    id: "OutboundMessage",
    title: "Outbound message",
    description: "Out to a channel, on `channel.out.<type>`.",
    examples: [
      {
        id: "r1736380800000-1",
        text: "Good morning.",
        channel: { type: "cli", channelId: "main" },
        agent_id: "tz4a98xxat96iws9zmbrgj3a",
        run_id: "1736380800000",
      },
    ],
  });
export type OutboundMessage = z.infer<typeof OutboundMessage>;

/** Agent and run that a message is about, as far as they are known. */
export type MessageSubject = Pick<OutboundMessage, "agent_id" | "run_id">;

/** A message that cortex itself sends, and no agent: an answer to a command, or why there is no other. */
export const noticeOf = (id: string, channel: Channel, text: string, about: MessageSubject = {}): OutboundMessage => ({
  id,
  text,
  channel,
  metadata: { notice: true },
  ...about,
});

export const isNotice = ({ metadata }: Pick<OutboundMessage, "metadata">): boolean => metadata?.["notice"] === true;

export const Receipt = z
  .looseObject({
    ok: z.boolean().meta({ description: "Whether it was delivered." }),
    error: z.string().max(2000).optional().meta({ description: "Why it wasn't." }),
    external_id: z.string().max(256).optional().meta({ description: "Its id in the service outside." }),
    unknown: z.boolean().optional().meta({ description: "Nobody knows whether it was: it isn't sent again." }),
    late: z.boolean().optional().meta({
      description:
        "It follows a receipt with `ok`: the service had accepted the message, and it didn't arrive after all.",
    }),
  })
  .meta({
    id: "Receipt",
    title: "Receipt",
    description: "The outcome of an outbound message, on `channel.receipt.<id>`.",
    examples: [{ ok: true, external_id: "4711" }],
  });
export type Receipt = z.infer<typeof Receipt>;

export const PermissionDecision = z
  .looseObject({
    decision: z.enum(["allow", "deny"]).meta({ description: "The user's decision." }),
    always: z.boolean().optional().meta({ description: "Keep a rule that says so from now on." }),
    userId: short("The user who has decided, as the channel has checked.").optional(),
    userName: short("Their name, where it stands for them better than `userId`.").optional(),
    reason: z.string().max(2000).optional().meta({ description: "The reason that they gave. The model reads it." }),
    channelType: ChannelType.optional().meta({
      description: "Where it was decided. Set by our own adapters and by the gate; absent: where it was asked.",
    }),
  })
  .meta({
    id: "PermissionDecision",
    title: "Permission decision",
    description: "On `permission.decide.<token>`.",
    examples: [{ decision: "allow", userId: "17" }],
  });
export type PermissionDecision = z.infer<typeof PermissionDecision>;
