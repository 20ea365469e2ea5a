/** What goes to runs and comes from cortex besides requests and events: cancel, input, refusals, status. */
import { AgentId } from "../protocol/names.ts";
import { Input, type Rejection, type Status, subjects } from "../protocol/subjects.ts";
import type { Bus } from "./connect.ts";
import { parseJson } from "../protocol/parse-json.ts";

export type RunControl = {
  cancel: (agentId: string) => void;
  input: (agentId: string, text: string, from: Speaker) => void;
};

/** Who says something to a run, as the subject tells: a client may publish on one of the two alone. */
export type Speaker = "client" | "agents";

/** Hears what is said to runs. What has no valid id or text is nobody's. */
export function listenToControl(bus: Bus, control: RunControl): void {
  bus.connection.subscribe(subjects.anyCancel, {
    callback: (_, message) => {
      const id = AgentId.safeParse(message.subject.split(".")[2]);
      if (id.success) control.cancel(id.data);
    },
  });
  const inputs = (subject: string, from: Speaker) =>
    bus.connection.subscribe(subject, {
      callback: (_, message) => {
        const id = AgentId.safeParse(message.subject.split(".")[2]);
        const input = Input.safeParse(jsonOf(message.string()));
        if (id.success && input.success) control.input(id.data, input.data.text, from);
      },
    });
  inputs(subjects.anyInput, "client");
  inputs(subjects.anyTurnInput, "agents");
}

/** Ends a run. */
export const publishCancel = (bus: Bus, agentId: string) => bus.connection.publish(subjects.cancel(agentId), "{}");

/** Says something to the turn of an agent, for that agent. */
export const publishTurnInput = (bus: Bus, agentId: string, text: string) =>
  bus.connection.publish(subjects.turnInput(agentId), JSON.stringify({ text }));

/** Says that a message can't become a run: to everybody, and to whoever asked. */
export function publishRejection(bus: Bus, rejection: Rejection, replyTo: string | null): void {
  const message = JSON.stringify(rejection);
  bus.connection.publish(subjects.rejected, message);
  if (replyTo) bus.connection.publish(replyTo, message);
}

/** Says to whoever asked that the request is recorded, and under which id. */
export function publishAccepted(bus: Bus, agentId: string, replyTo: string | null): void {
  if (replyTo) bus.connection.publish(replyTo, JSON.stringify({ accepted: true, agent_id: agentId }));
}

export function publishStatus(bus: Bus, status: Status): void {
  if (bus.isConnected) bus.connection.publish(subjects.status, JSON.stringify(status));
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
