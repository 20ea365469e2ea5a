/** Shares of a run's limits: asked for by whoever sends somebody off, and given by the cortex that has the run. */
import { errors } from "@nats-io/transport-node";
import { GrantAnswer, GrantRequest } from "../../protocol/runs/request/grant.ts";
import { AgentId } from "../../protocol/names/names.ts";
import { subjects } from "../../protocol/runs/subjects.ts";
import type { Bus } from "../connection/connect.ts";
import { tryParseJson, parseJson } from "../../protocol/json/parse-json.ts";

/** Cortex answers within milliseconds, once what it gives stands in the run's file. */
const answerWithinMs = 2000;

/** Asks for a share. Null: nobody has answered, so it isn't known; the same is to be asked again. */
export async function askGrant(bus: Bus, agentId: string, request: GrantRequest): Promise<GrantAnswer | null> {
  try {
    const options = { timeout: answerWithinMs };
    const answer = await bus.connection.request(subjects.grant(agentId), JSON.stringify(request), options);
    return GrantAnswer.parse(parseJson(answer.string()));
  } catch (error) {
    if (error instanceof errors.RequestError || error instanceof errors.TimeoutError) return null;
    if (error instanceof errors.NoRespondersError) return null;
    throw error;
  }
}

/**
 * Answers who asks for shares.
 * @param give resolves with null for a run that isn't at work here: another may have it
 */
export function answerGrants(bus: Bus, give: (agentId: string, request: GrantRequest) => Promise<GrantAnswer | null>) {
  bus.connection.subscribe(subjects.anyGrant, {
    callback: (_, message) => {
      const id = AgentId.safeParse(message.subject.split(".")[2]);
      const request = GrantRequest.safeParse(tryParseJson(message.string()));
      if (!id.success) return;
      if (!request.success) return void message.respond(JSON.stringify({ ok: false, error: request.error.message }));
      void give(id.data, request.data).then((answer) => answer && message.respond(JSON.stringify(answer)));
    },
  });
}
