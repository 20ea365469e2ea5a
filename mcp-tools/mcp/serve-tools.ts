/** Tools: which ones a grant has, and the calls of them. */
import {
  type CallToolResult,
  isInputRequiredResult,
  LOG_LEVEL_META_KEY,
  MissingRequiredClientCapabilityError,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { messageOf } from "../../files/errors/error-message.ts";
import { isLogLevel, type LogLevel } from "../tool/log-levels.ts";
import { progressReporter } from "../tool/progress-reporter.ts";
import { abilitiesOf } from "./caller.ts";
import { keptState, signed } from "../tool/kept-state.ts";
import { passGate, passMissing } from "./gate.ts";
import type { RequestContext } from "./request-context.ts";
import { traceOf } from "./trace.ts";

export function serveTools(server: Server, requestContext: RequestContext): void {
  server.setRequestHandler("tools/list", () => ({
    tools: requestContext.toolbox.list(requestContext.grant, requestContext.context),
  }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const { client, grant, context, log, callsUnderWay } = requestContext;
    const tool = requestContext.toolbox.find(grant, params.name, context);
    const name = tool?.name ?? params.name.slice(0, 100);
    const isRun = grant.agent_id !== "commands";
    const owner = { agent: grant.agent_id, tool: name };
    // Nobody sits in front of a run, whatever its client declares.
    const caller = isRun
      ? undefined
      : { ...abilitiesOf(mcpReq, server.getClientCapabilities()), state: keptState(mcpReq, owner) };
    using call = callsUnderWay.begin(client, mcpReq.id, mcpReq.signal);
    const meta = mcpReq._meta ?? {};
    const options = {
      progressToken: meta.progressToken,
      logLevel: levelOf(mcpReq) ?? requestContext.logLevels.of(client),
    };
    const reporter = progressReporter(name, options, call.signal, (notice) => {
      // A client that hung up hears no more of it.
      mcpReq.notify(notice).catch(() => {});
    });
    const started = performance.now();
    try {
      const isCutOff = meta["cortex/cut_off"] === true;
      const callId = textOf(meta["cortex/tool_call_id"]);
      const gated = { args: params.arguments, callId, isCutOff, signal: call.signal };
      if (!tool) return failure((await passMissing(requestContext, name, gated)) ?? missing(name, grant.tools));
      const passage = await passGate(requestContext, tool, gated);
      if ("refusal" in passage) return failure(passage.refusal);
      const id = passage.question ?? meta["cortex/call_id"];
      const result = await tool.call(params.arguments, {
        ...context,
        reporter,
        trace: traceOf(meta),
        caller,
        ...(isRun && { run: grant.agent_id, place: grant.place, isValid: requestContext.isValid }),
        ...(typeof id === "string" && { call: { agent_id: grant.agent_id, call_id: id } }),
      });
      if (isInputRequiredResult(result)) return await signed(requestContext.keptStates, result, owner);
      requestContext.loops.answered(grant.agent_id, tool.name, params.arguments, result);
      return result;
    } catch (error) {
      if (error instanceof MissingRequiredClientCapabilityError) throw error;
      // Nobody reads it, but the request must end.
      if (call.signal.aborted) return failure(`${name} was cancelled`);
      log.error({ agent_id: grant.agent_id, tool: name, err: error }, "tool failed");
      const text = `${name} failed: ${messageOf(error)}`;
      reporter.log("error", text);
      return failure(text);
    } finally {
      const ms = Math.round(performance.now() - started);
      log.debug({ agent_id: grant.agent_id, tool: name, ms }, "tool called");
      reporter.log("debug", `took ${ms} ms`);
    }
  });
}

/** The level that the request itself asks for: clients of the stateless protocol have no other way. */
function levelOf({ envelope }: ServerContext["mcpReq"]): LogLevel | undefined {
  const asked: unknown = envelope && Object.entries(envelope).find(([key]) => key === LOG_LEVEL_META_KEY)?.[1];
  return isLogLevel(asked) ? asked : undefined;
}

const missing = (name: string, tools: readonly string[]) =>
  `no tool "${name}" here: this run has ${tools.join(", ") || "none"}`;

/** An id of a client's, if it is one. */
function textOf(id: unknown): string | undefined {
  return typeof id === "string" && id !== "" && id.length <= 256 ? id : undefined;
}

function failure(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
