/** Requests of Chat Completions, `POST /v1/chat/completions`. */
import { z } from "zod";
import { type Asked, type AskedMessage, roleOf } from "./asked.ts";
import { Content, readContent } from "./content-parts.ts";
import { checked, refuseWhatIsntDone } from "./checked.ts";
import { OpenAiError } from "./openai-error.ts";

const Message = z.looseObject({ role: z.string().max(64), content: Content.nullish() });

/** Loose: what means nothing to an agent, such as `seed`, is passed over as other servers of this dialect do. */
export const ChatRequest = z.looseObject({
  model: z.string().min(1).max(512),
  messages: z.array(Message).min(1).max(2000),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  temperature: z.number().min(0).nullish(),
});

export type ChatAsked = Asked & { includeUsage: boolean };

/** @throws OpenAiError that names the field */
export function readChat(body: unknown): ChatAsked {
  const request = checked(ChatRequest, body);
  refuseWhatIsntDone(request);
  const { model, messages, stream, stream_options: options, temperature } = request;
  const maxTokens = request.max_completion_tokens ?? request.max_tokens ?? undefined;
  return {
    model,
    messages: messages.flatMap((message, index) => readMessage(message, `messages[${index}]`)),
    stream: stream === true,
    includeUsage: options?.include_usage === true,
    maxTokens,
    temperature: temperature ?? undefined,
  };
}

function readMessage({ role: name, content }: z.infer<typeof Message>, where: string): AskedMessage[] {
  const role = roleOf(name);
  if (role === undefined)
    throw new OpenAiError(400, `${where}.role: expected system, developer, user or assistant, got "${name}"`, {
      param: `${where}.role`,
    });
  // An answer that was only calls of tools has no content.
  if (content === null || content === undefined) return [];
  return [{ role, ...readContent(content, `${where}.content`) }];
}
