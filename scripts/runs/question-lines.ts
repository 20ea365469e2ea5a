/** Lines about a call of a run that waits for a person: how it is answered, and what was decided. Pure. */
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import { shorten } from "../command/layout/text.ts";
import { asTyped } from "../command/typed-command.ts";

/** Describes an event about a question. Null: it is about none. */
export function questionLines(event: AgentEvent): string | null {
  if (event.event === "permission") return asked(event);
  if (event.event === "permission_decided") return decided(event);
  return null;
}

function asked(event: AgentEvent): string {
  const { args, loop } = event;
  const tool = shorten(textField(event, "tool"), 64);
  const call =
    loop === true ? "May the run go on?" : `May ${tool} be called? ${shorten(JSON.stringify(args) ?? "", 200)}`;
  const hint = asTyped(`answer: cortex permissions allow ${shortId(event)}, or deny`);
  return `${call.trimEnd()}\n  ${shorten(textField(event, "why"), 200)}\n  ${hint}`;
}

function decided(event: AgentEvent): string {
  const word = event["decision"] === "allow" ? "allowed" : "denied";
  const by = textField(event, "by");
  const who = by === "timeout" ? ": nobody answered" : ` by ${shorten(by, 100)}`;
  return `${word}${who} (${shortId(event)})`;
}

const shortId = (event: AgentEvent) => shorten(textField(event, "id"), 200).slice(0, 8);
