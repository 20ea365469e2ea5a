/** How browsers are told of what happens while the page isn't open: Web Push. */
import { z } from "zod";

export const PushSettings = z
  .strictObject({
    services: z
      .array(z.url({ protocol: /^https?$/, error: "expected an http or https address" }).max(2048))
      .max(16)
      .optional()
      .meta({
        description:
          "Push services in your own network, by their addresses, such as `https://push.example:8443`. Others must be https, and out in the world.",
      }),
    contact: z
      .url({ protocol: /^(?:mailto|https)$/, error: "expected mailto:… or https://…" })
      .max(320)
      .optional()
      .meta({ description: "How a push service reaches you when it has trouble with what you send: RFC 8292." }),
  })
  .meta({
    description:
      "Web Push to the browsers that have asked for it (Devices in the page). It holds nothing of any content.",
    examples: [{ contact: "mailto:nora@example.org" }],
  });
export type PushSettings = z.infer<typeof PushSettings>;
