/** How far the agent of a workspace is trusted: which calls of its run wait for a person, whatever the rules would allow. */
import { z } from "zod";

/** A week. */
const longestWaitSeconds = 604_800;

const tools = (description: string) => z.array(z.string().min(1).max(256)).max(500).default([]).meta({ description });

export const TrustLevel = z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]);
export type TrustLevel = z.infer<typeof TrustLevel>;

/** The action of a call with regard to trust, from the mildest to the strictest. */
export const TrustAction = z.enum(["autonomous", "approve", "escalate"]);
export type TrustAction = z.infer<typeof TrustAction>;

/** The actions that may be asked of a person. */
export const AskedAction = TrustAction.extract(["approve", "escalate"]);

export const Trust = z.strictObject({
  level: TrustLevel.meta({ description: "0: each call waits for a person. 3: only those that escalate do." }),
  autonomous: tools("Tools, packs, `server.*` or `*` that are autonomous, whatever their annotations say."),
  approve: tools("The tools whose calls somebody has to approve."),
  escalate: tools("The tools whose calls an admin has to approve."),
  timeout_seconds: z
    .number()
    .positive()
    .max(longestWaitSeconds)
    .optional()
    .meta({ description: "How long a call waits. Default: as the settings say." }),
});
export type Trust = z.infer<typeof Trust>;
