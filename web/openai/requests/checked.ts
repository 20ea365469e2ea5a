/** Bodies of requests, checked as this dialect tells it. */
import type { z } from "zod";
import { issueTexts } from "../../../protocol/words/issues.ts";
import { OpenAiError } from "./openai-error.ts";

/** @throws OpenAiError that names the first field that is wrong */
export function checked<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const param = parsed.error.issues[0]?.path.join(".") ?? "";
  throw new OpenAiError(400, issueTexts(parsed.error, body).join("; "), param === "" ? {} : { param });
}

/** Refuses what a client would wait for in vain. @throws OpenAiError */
export function refuseWhatIsntDone(request: Record<string, unknown>): void {
  const { tools, functions, n, background } = request;
  for (const [name, value] of Object.entries({ tools, functions }))
    if (Array.isArray(value) && value.length > 0)
      throw new OpenAiError(
        400,
        `${name}: an agent calls the tools that its persona has, never those of a client: send none`,
        { param: name },
      );
  if (typeof n === "number" && n !== 1) throw new OpenAiError(400, `n: expected 1, got ${n}: a run has one answer`);
  if (background === true)
    throw new OpenAiError(400, "background: a response is answered while it is waited for: ask for a stream", {
      param: "background",
    });
}
