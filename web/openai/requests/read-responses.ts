/** Requests of Responses, `POST /v1/responses`. */
import { z } from "zod";
import { type Asked, type AskedMessage, roleOf } from "./asked.ts";
import { checked, refuseWhatIsntDone } from "./checked.ts";
import { Content, readContent } from "./content-parts.ts";
import { OpenAiError } from "./openai-error.ts";
import { runOfResponse } from "./response-ids.ts";

const Item = z.looseObject({
  type: z.string().max(64).nullish(),
  role: z.string().max(64).nullish(),
  content: Content.nullish(),
});

export const ResponsesRequest = z.looseObject({
  model: z.string().min(1).max(512),
  input: z.union([z.string().min(1), z.array(Item).min(1).max(2000)]),
  instructions: z.string().nullish(),
  previous_response_id: z.string().max(128).nullish(),
  stream: z.boolean().nullish(),
  max_output_tokens: z.int().positive().nullish(),
  temperature: z.number().min(0).nullish(),
});

/** @throws OpenAiError that names the field */
export function readResponses(body: unknown): Asked {
  const request = checked(ResponsesRequest, body);
  refuseWhatIsntDone(request);
  const { model, input, instructions, previous_response_id: previous, stream } = request;
  const items: AskedMessage[] =
    typeof input === "string"
      ? [{ role: "user", text: input, attachments: [] }]
      : input.flatMap((item, index) => readItem(item, `input[${index}]`));
  const told = instructions ?? "";
  return {
    model,
    messages: told === "" ? items : [{ role: "instructions", text: told, attachments: [] }, ...items],
    stream: stream === true,
    continueFrom: previous ? runOfResponse(previous) : undefined,
    maxTokens: request.max_output_tokens ?? undefined,
    temperature: request.temperature ?? undefined,
  };
}

function readItem({ type, role: name, content }: z.infer<typeof Item>, where: string): AskedMessage[] {
  // What a model reasoned, and called, belongs to an answer of its own: of that the text alone is told.
  if (typeof type === "string" && passedOver.has(type)) return [];
  const role = roleOf(name ?? "");
  if ((type ?? "message") !== "message" || role === undefined || content === null || content === undefined)
    throw new OpenAiError(400, `${where}: expected a message with role and content`, { param: where });
  return [{ role, ...readContent(content, `${where}.content`) }];
}

const passedOver = new Set(["reasoning", "function_call", "function_call_output"]);
