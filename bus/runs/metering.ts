/** Model calls of runs that go through the gateway: it asks the cortex that has the run before each, and tells of its end. */
import { errors } from "@nats-io/transport-node";
import { tryParseJson } from "../../protocol/json/parse-json.ts";
import { AgentId } from "../../protocol/names/names.ts";
import { MeteringAnswer, MeteringNotice } from "../../protocol/runs/metering.ts";
import { subjects } from "../../protocol/runs/subjects.ts";
import type { Bus } from "../connection/connect.ts";

/** Cortex answers within milliseconds, once what is told stands in the run's file. */
const answerWithinMs = 10_000;

/** Asks or tells. Null: nobody has answered, so it isn't known; the same is to be asked or told again. */
export async function tellMetering(bus: Bus, agentId: string, notice: MeteringNotice): Promise<MeteringAnswer | null> {
  const { RequestError, TimeoutError, NoRespondersError, ClosedConnectionError } = errors;
  try {
    const options = { timeout: answerWithinMs };
    const answer = await bus.connection.request(subjects.metering(agentId), JSON.stringify(notice), options);
    return MeteringAnswer.parse(tryParseJson(answer.string()));
  } catch (error) {
    const kinds = [RequestError, TimeoutError, NoRespondersError, ClosedConnectionError];
    if (kinds.some((kind) => error instanceof kind)) return null;
    throw error;
  }
}

/**
 * Answers the gateway.
 * @param answer resolves with null for a run that isn't at work here: another may have it
 */
export function answerMetering(
  bus: Bus,
  answer: (agentId: string, notice: MeteringNotice) => Promise<MeteringAnswer | null>,
): void {
  bus.connection.subscribe(subjects.anyMetering, {
    callback: (_, message) => {
      const id = AgentId.safeParse(message.subject.split(".")[2]);
      const notice = MeteringNotice.safeParse(tryParseJson(message.string()));
      if (!id.success) return;
      const say = (said: MeteringAnswer) => message.respond(JSON.stringify(said));
      if (!notice.success) return void say({ ok: false, refused: "over", error: notice.error.message });
      void answer(id.data, notice.data).then((said) => said && say(said));
    },
  });
}
