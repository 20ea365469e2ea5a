/** Records of Web Push: which browsers are told of what. */
import { z } from "zod";
import { Time } from "../../../workspace/records/fields.ts";

export const PushKind = z.enum(["decision", "failed", "budget", "night"]).meta({
  description:
    "`decision`: something waits for the owner. `failed`: a run has failed. `budget`: a limit is near, from 80 %. `night`: the scheduled runs are over.",
});
export type PushKind = z.infer<typeof PushKind>;

const base64url = (bytes: number) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]+={0,2}$/, "expected base64url")
    .refine((text) => Buffer.from(text, "base64url").length === bytes, `expected ${bytes} bytes as base64url`);

/** As a browser's `PushSubscription` has it. */
export const NewPushDevice = z
  .strictObject({
    endpoint: z.url().max(2048).meta({ description: "Where the browser's push service takes what it is told." }),
    keys: z.strictObject({ p256dh: base64url(65), auth: base64url(16) }),
    kinds: z.array(PushKind).min(1).max(PushKind.options.length),
  })
  .meta({ id: "NewPushDevice" });
export type NewPushDevice = z.infer<typeof NewPushDevice>;

export const PushDevice = z
  .object({
    id: z.string().meta({ description: "Its session's." }),
    device: z.string(),
    is_this: z.boolean(),
    kinds: z.array(PushKind),
    service: z.string().meta({ description: "The push service that brings it." }),
    created_at: Time,
    last: z
      .object({
        state: z.enum(["waiting", "sent", "failed"]),
        why: z.string().nullable().meta({ description: "Why it waits, or has failed." }),
        at: Time,
      })
      .nullable()
      .meta({ description: "The outcome of its latest notice; null: there was none." }),
  })
  .meta({ id: "PushDevice" });
export type PushDevice = z.infer<typeof PushDevice>;

export const PushState = z
  .object({
    public_key: z.string().meta({ description: "The key of this server, for `applicationServerKey`." }),
    devices: z.array(PushDevice),
  })
  .meta({ id: "PushState" });
export type PushState = z.infer<typeof PushState>;
