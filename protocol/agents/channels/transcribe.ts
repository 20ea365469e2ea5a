/** The setting by which the words of sounds are told. */
import { z } from "zod";
import { secretFile } from "./secret-file.ts";

export const TranscribeSettings = z.looseObject({
  url: z.url({ protocol: /^https?$/, error: "expected an http or https address" }).meta({
    description:
      "An endpoint that speaks OpenAI's API, such as `https://api.openai.com/v1`: asked at `/audio/transcriptions`.",
  }),
  model: z.string().min(1).meta({ description: "Its model, such as `gpt-4o-mini-transcribe` or `whisper-1`." }),
  key_file: z
    .string()
    .min(1)
    .optional()
    .meta({ description: `Its key, where it wants one. ${secretFile}` }),
  key_env: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "The variable with that key, in the environment of `cortex up`." }),
});
export type TranscribeSettings = z.infer<typeof TranscribeSettings>;
