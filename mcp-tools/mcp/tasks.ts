/**
 * The extension `io.modelcontextprotocol/tasks`: a run that `cortex_run` began is a task, whose id is the run's. Its state is read
 * from the run's file: once it has begun, a restart changes nothing. The SDK has nothing of it yet: these are its methods by hand.
 */
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { readRunRecord, type RunRecord } from "../links/run-record.ts";
import { answer, decided } from "../runs/cortex-pack.ts";
import { approvalForms, decisionIn } from "../runs/approval-forms.ts";
import { runTask } from "../runs/run-task.ts";
import { abilitiesOf, tasksExtension } from "./caller.ts";
import type { RequestContext } from "./request-context.ts";

const TaskParams = z.looseObject({ taskId: z.string().max(64) });
const UpdateParams = TaskParams.extend({ inputResponses: z.record(z.string(), z.unknown()).default({}) });

export function serveTasks(server: Server, { context: { journal, runs } }: RequestContext): void {
  server.setRequestHandler("tasks/get", { params: TaskParams }, async ({ taskId }, { mcpReq }) => {
    requireTasks(mcpReq);
    const record = await recordOf(taskId);
    const { fillsForms } = abilitiesOf(mcpReq);
    const asks = fillsForms && record.questions.length > 0;
    return {
      ...runTask(record, fillsForms),
      ...outcomeOf(record),
      ...(asks && { inputRequests: approvalForms(record.questions) }),
    };
  });
  server.setRequestHandler("tasks/update", { params: UpdateParams }, async ({ taskId, inputResponses }, { mcpReq }) => {
    requireTasks(mcpReq);
    const { questions } = await recordOf(taskId);
    const answers = abilitiesOf(mcpReq).answers ?? inputResponses;
    for (const { id } of questions) {
      const { decision, reason } = decisionIn(answers[id]) ?? {};
      if (decision === "allow" || decision === "deny") await decided({ runs, journal }, id, decision, reason);
    }
    return {};
  });
  server.setRequestHandler("tasks/cancel", { params: TaskParams }, async ({ taskId }, { mcpReq }) => {
    requireTasks(mcpReq);
    await recordOf(taskId);
    await runs.cancel(taskId);
    return {};
  });

  async function recordOf(id: string): Promise<RunRecord> {
    const record = await readRunRecord(journal, id, runs.isKnown(id));
    if (!record) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no task "${id}"`);
    return record;
  }
}

function requireTasks(mcpReq: ServerContext["mcpReq"]): void {
  if (abilitiesOf(mcpReq).knowsTasks) return;
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } });
}

/** The answer of the call that began a task, where it has ended. */
function outcomeOf(record: RunRecord): object {
  if (record.state !== "finished" && record.state !== "failed") return {};
  const { text, structured, isError } = answer(record);
  const result = { content: [{ type: "text", text }], structuredContent: structured, ...(isError && { isError }) };
  return { result };
}
