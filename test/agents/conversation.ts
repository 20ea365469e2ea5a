/** A request to Anthropic's API as a test reads it. An oracle looks at each: every call has its result right behind it. */

export type Block =
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: Record<string, unknown> }
  | { type: "tool_result"; tool_use_id: string; content: unknown; is_error?: boolean };

export type Conversation = {
  /** The system prompt, its blocks joined. */
  system: string;
  messages: { role: string; content: Block[] }[];
  tools: string[];
  /** All that users said, in order. */
  said: string[];
  /** The last message of the user, its text alone. */
  last: string;
  /** The results of the last answer's calls, by tool. */
  results: { tool: string; text: string; isError: boolean }[];
  body: Record<string, unknown>;
};

/** @throws Error when a call isn't followed at once by exactly its results */
export function conversationIn(body: unknown): Conversation {
  const request = body as {
    system?: string | { text: string }[];
    messages: { role: string; content: string | Block[] }[];
    tools?: { name: string }[];
  };
  const messages = request.messages.map(({ role, content }) => ({
    role,
    content: typeof content === "string" ? [{ type: "text" as const, text: content }] : content,
  }));
  checkCalls(messages);
  const texts = messages
    .filter(({ role }) => role === "user")
    .map(({ content }) => content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n"))
    .filter((text) => text !== "");
  const lastMessage = messages.at(-1);
  const calls = new Map(
    messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_use" ? [[block.id, block.name]] : [])),
    ) as [string, string][],
  );
  return {
    system:
      typeof request.system === "string" ? request.system : (request.system ?? []).map(({ text }) => text).join(""),
    messages,
    tools: (request.tools ?? []).map(({ name }) => name),
    said: texts,
    last: (lastMessage?.content ?? []).flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n"),
    results: (lastMessage?.content ?? []).flatMap((block) =>
      block.type === "tool_result"
        ? [{ tool: calls.get(block.tool_use_id) ?? "", text: textOf(block.content), isError: block.is_error === true }]
        : [],
    ),
    body: request as Record<string, unknown>,
  };
}

function checkCalls(messages: Conversation["messages"]): void {
  for (const [at, { role, content }] of messages.entries()) {
    const calls = content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    const results = (messages[at + 1]?.content ?? []).flatMap((block) =>
      block.type === "tool_result" ? [block.tool_use_id] : [],
    );
    if (role === "assistant" && calls.toSorted().join() !== results.toSorted().join())
      throw new Error(`calls ${calls.join()} are followed by results ${results.join()}`);
    const own = content.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
    const before = (messages[at - 1]?.content ?? []).flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    if (own.some((id) => !before.includes(id))) throw new Error(`results ${own.join()} without their calls`);
  }
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((block: { text?: string }) => block.text ?? "").join("") : "";
}
