/** The settings of the `openai` backend: read by cortex, and by the run's own process. */
import { z } from "zod";

export const OpenaiSettings = z.looseObject({
  api: z
    .enum(["responses", "chat"])
    .optional()
    .meta({ description: "Which API. Default: `chat` where `OPENAI_BASE_URL` isn't OpenAI's own." }),
});
