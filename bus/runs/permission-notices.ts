/** Questions about calls of runs, told by the agents' service to the cortex that has the run: they stand in its file, and its clocks stand still. */
import { errors } from "@nats-io/transport-node";
import { AgentId } from "../../protocol/names/names.ts";
import { parseJson, tryParseJson } from "../../protocol/json/parse-json.ts";
import { NoticeAnswer, PermissionNotice } from "../../protocol/runs/request/permission-notice.ts";
import { subjects } from "../../protocol/runs/subjects.ts";
import type { Bus } from "../connection/connect.ts";

/** Cortex answers within milliseconds, once it stands in the run's file. */
const answerWithinMs = 2000;

/** Tells of a question. Null: nobody has answered, so it isn't known; the same is to be told again. */
export async function tellPermission(
  bus: Bus,
  agentId: string,
  notice: PermissionNotice,
): Promise<NoticeAnswer | null> {
  try {
    const options = { timeout: answerWithinMs };
    const answer = await bus.connection.request(subjects.permission(agentId), JSON.stringify(notice), options);
    return NoticeAnswer.parse(parseJson(answer.string()));
  } catch (error) {
    const { RequestError, TimeoutError, NoRespondersError, ClosedConnectionError } = errors;
    const isAway = [RequestError, TimeoutError, NoRespondersError, ClosedConnectionError].some(
      (kind) => error instanceof kind,
    );
    if (isAway) return null;
    throw error;
  }
}

/**
 * Answers who tells of questions.
 * @param answerNotice resolves with null for a run that isn't at work here: another may have it
 */
export function answerPermissions(
  bus: Bus,
  answerNotice: (agentId: string, notice: PermissionNotice) => Promise<NoticeAnswer | null>,
): void {
  bus.connection.subscribe(subjects.anyPermission, {
    callback: (_, message) => {
      const id = AgentId.safeParse(message.subject.split(".")[2]);
      const notice = PermissionNotice.safeParse(tryParseJson(message.string()));
      if (!id.success) return;
      if (!notice.success) return void message.respond(JSON.stringify({ ok: false, error: notice.error.message }));
      void answerNotice(id.data, notice.data).then((answer) => answer && message.respond(JSON.stringify(answer)));
    },
  });
}
