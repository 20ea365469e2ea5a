/** Outcomes of deliveries, and the receipts that report them. Pure. */
import { messageOf } from "../../files/errors/error-message.ts";
import type { DeliveryOutcome } from "../../journal/channels/outbox.ts";
import type { Receipt } from "../../protocol/agents/channel.ts";

/** Most characters of an error in a receipt, with some room for what is added to it. */
const maxErrorText = 1500;
const maxExternalId = 256;

export const textOf = (error: unknown) => messageOf(error).slice(0, maxErrorText);

/** The outcome of a message that was sent, with the ids of all its parts as far as they have room. */
export function sentAs(externalIds: (string | undefined)[]): DeliveryOutcome {
  const known = externalIds.filter((id) => id !== undefined);
  const all = known.join(",");
  const external_id = all.length <= maxExternalId ? all : (known[0] ?? "").slice(0, maxExternalId);
  return external_id === "" ? { state: "sent" } : { state: "sent", external_id };
}

export function outcomeOfPart(outcome: DeliveryOutcome, part: number, parts: number): DeliveryOutcome {
  return outcome.state === "sent" ? outcome : { ...outcome, error: `part ${part + 1} of ${parts}: ${outcome.error}` };
}

export function receiptOf(outcome: DeliveryOutcome): Receipt {
  switch (outcome.state) {
    case "sent":
      return { ok: true, ...(outcome.external_id === undefined ? {} : { external_id: outcome.external_id }) };
    case "failed":
      return { ok: false, error: outcome.error };
    case "unknown":
      return { ok: false, unknown: true, error: outcome.error };
  }
}
