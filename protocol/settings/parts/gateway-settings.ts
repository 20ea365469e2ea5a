/** The part of the settings about the gateway. */
import { z } from "zod";

export const GatewaySettings = z
  .looseObject({
    port: z
      .number()
      .int()
      .min(0)
      .max(65535)
      .optional()
      .meta({ description: "Its port; 0: any free one. Default 6273." }),
  })
  .meta({ description: "The gateway, through which programs that aren't our own loop reach their models." });
