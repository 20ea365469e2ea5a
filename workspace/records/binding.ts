/** Records of bindings: a room of a channel whose messages are those of a thread, both ways. */
import { z } from "zod";
import { bindingCodePattern } from "../../protocol/agents/binding-code.ts";
import { channelTypePattern } from "../../protocol/agents/channel.ts";
import { Id, Time } from "./fields.ts";

/** Channels without rooms of others: on these the user at the machine speaks alone. */
const ofTheMachine = ["cli", "web", "cron", "heartbeat"];

const ChannelType = z
  .string()
  .regex(channelTypePattern)
  .refine((type) => !ofTheMachine.includes(type), "expected a channel that has groups, such as telegram")
  .meta({ description: "The channel's type: `telegram`, or that of an adapter of your own." });

export const Binding = z
  .object({
    id: Id,
    workspace_id: Id,
    thread_id: Id,
    type: z.string().meta({ description: "The channel's type." }),
    channel_id: z
      .string()
      .nullable()
      .meta({ description: "The room, as the channel names it. Null until the code was said there." }),
    expires_at: Time.nullable().meta({ description: "When the code ends that is yet to be said." }),
    created_by: Id,
    created_at: Time,
  })
  .meta({ id: "Binding" });
export type Binding = z.infer<typeof Binding>;

export const NewBinding = z.object({ type: ChannelType });

export const CreatedBinding = z
  .object({
    binding: Binding,
    code: z.string().regex(bindingCodePattern).meta({
      description: "To be said in the room within an hour, as `/bind CODE`: that binds it. It can't be had again.",
    }),
  })
  .meta({ id: "CreatedBinding" });
export type CreatedBinding = z.infer<typeof CreatedBinding>;

/** `<type>:<userId>`: who somebody is on a channel. */
const Identity = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}:.{1,256}$/, "expected <type>:<userId>")
  .meta({ description: "The member's identity on a channel, such as `telegram:4711`." });

const mostIdentities = 20;

export const Identities = z.object({ identities: z.array(Identity).max(mostIdentities) }).meta({
  id: "Identities",
  description: "The identities of a member: what comes from these senders in bound rooms is the member's.",
});
export type Identities = z.infer<typeof Identities>;
