/** Ids of answers in this dialect: they hold the id of the run, so that nothing has to be kept to find it. */
import { AgentId } from "../../../protocol/names/names.ts";
import { OpenAiError } from "./openai-error.ts";

export const completionId = (run: string) => `chatcmpl-${run}`;
export const responseId = (run: string) => `resp_${run}`;

/** The run of a response. @throws OpenAiError for an id that isn't one of ours */
export function runOfResponse(id: string): string {
  const run = AgentId.safeParse(id.replace(/^resp_/, ""));
  if (id.startsWith("resp_") && run.success) return run.data;
  throw new OpenAiError(400, `previous_response_id: no response of this server is called "${id}"`, {
    param: "previous_response_id",
    code: "previous_response_not_found",
  });
}
