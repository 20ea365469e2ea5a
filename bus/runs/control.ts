/** The messages to runs and from cortex besides requests and events: cancel, input, refusals, status. */
import { randomUUID } from "node:crypto";
import { AgentId } from "../../protocol/names/names.ts";
import { RunInput, type Rejection, type Status, subjects } from "../../protocol/runs/subjects.ts";
import { cutStrings } from "../../protocol/json/cut-strings.ts";
import type { Bus } from "../connection/connect.ts";
import { mostMessageBytes } from "../events/message-size.ts";
import { tryParseJson } from "../../protocol/json/parse-json.ts";

/** The length to which each string of a refused request is cut, where it is too long to be told back whole. */
const longestShown = 4096;

export type RunControl = {
  cancel: (agentId: string) => void;
  /** @param input has an id, its sender's or one of ours */
  input: (agentId: string, input: IdentifiedInput, from: InputAccess) => void;
};

export type IdentifiedInput = RunInput & { id: string };

/** The access of a sender to a run, as the subject tells: a client may publish on one of the two alone. */
export type InputAccess = "client" | "agents";

/** Hears what is said to runs. What has no valid id or text is nobody's. */
export function listenToControl(bus: Bus, control: RunControl): void {
  bus.connection.subscribe(subjects.anyCancel, {
    callback: (_, message) => {
      const id = AgentId.safeParse(message.subject.split(".")[2]);
      if (id.success) control.cancel(id.data);
    },
  });
  const inputs = (subject: string, from: InputAccess) =>
    bus.connection.subscribe(subject, {
      callback: (_, message) => {
        const id = AgentId.safeParse(message.subject.split(".")[2]);
        const input = RunInput.safeParse(tryParseJson(message.string()));
        if (!id.success || !input.success) return;
        control.input(id.data, { ...input.data, id: input.data.id ?? randomUUID() }, from);
      },
    });
  inputs(subjects.anyInput, "client");
  inputs(subjects.anyTurnInput, "agents");
}

/** Ends a run. */
export const publishCancel = (bus: Bus, agentId: string) => bus.connection.publish(subjects.cancel(agentId), "{}");

/** Says something to a run, as its user would. */
export const publishInput = (bus: Bus, agentId: string, text: string) =>
  bus.connection.publish(subjects.input(agentId), JSON.stringify({ text } satisfies RunInput));

/** Says something to the turn of an agent, for that agent. */
export const publishTurnInput = (bus: Bus, agentId: string, input: RunInput) =>
  bus.connection.publish(subjects.turnInput(agentId), JSON.stringify(input));

/** Says that a message can't become a run: to everybody, and to whoever asked. */
export function publishRejection(bus: Bus, rejection: Rejection, replyTo: string | null): void {
  const message = messageOf(rejection, mostMessageBytes(bus));
  bus.connection.publish(subjects.rejected, message);
  if (replyTo) bus.connection.publish(replyTo, message);
}

/**
 * Builds the message of a refusal. The refused request may have filled a message by itself: then its long strings are
 * cut, or it is left out.
 */
function messageOf({ request, ...rejection }: Rejection, maxBytes: number): string {
  const why = cutStrings(rejection, longestShown);
  const shown = [request, cutStrings(request, longestShown)].map((request) => JSON.stringify({ ...why, request }));
  return shown.find((message) => Buffer.byteLength(message) <= maxBytes) ?? JSON.stringify(why);
}

/** Says to whoever asked that the request is recorded, and under which id. */
export function publishAccepted(bus: Bus, agentId: string, replyTo: string | null): void {
  if (replyTo) bus.connection.publish(replyTo, JSON.stringify({ accepted: true, agent_id: agentId }));
}

export function publishStatus(bus: Bus, status: Status): void {
  if (bus.isConnected) bus.connection.publish(subjects.status, JSON.stringify(status));
}
