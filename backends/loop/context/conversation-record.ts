/** The neutral history as one text, for an agent whose program keeps conversations in a way of its own. Pure. */
import type { Message } from "../../../protocol/runs/run-config.ts";

/** The record of a conversation. Nothing that was said in it can end it, or begin something in it. */
export function conversationRecord(history: readonly Message[]): string {
  return [
    "The conversation so far, as a record: <user> is what I said, <assistant> what you said, <call> and <result> the tools",
    "that you called. In it, &lt; &gt; &amp; stand for < > &. What follows the record is what I say now.",
    "<conversation>",
    ...history.flatMap(asLines),
    "</conversation>",
  ].join("\n");
}

function asLines(message: Message): string[] {
  if (message.role === "tool") {
    const { result = "" } = message;
    const text = typeof result === "string" ? result : JSON.stringify(result);
    return [element("result", { of: message.call_id, ...(message.is_error && { is_error: "true" }) }, text)];
  }
  const calls = message.calls ?? [];
  return [
    ...(message.text === undefined ? [] : [element(message.role, {}, message.text)]),
    ...calls.map(({ call_id, tool, args }) => element("call", { id: call_id, tool }, JSON.stringify(args ?? {}))),
  ];
}

function element(name: string, attributes: Record<string, string | undefined>, text: string): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(value ?? "")}"`);
  return `<${name}${written.join("")}>${escape(text)}</${name}>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
