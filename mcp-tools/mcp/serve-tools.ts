/** Tools: which ones a grant has, and the calls of them. */
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { messageOf } from "../../files/error-message.ts";
import { progressReporter } from "../tool/progress-reporter.ts";
import type { RequestContext } from "./request-context.ts";
import type { PermissionRule } from "../../protocol/settings/permissions.ts";
import type { OfferedTool } from "../catalog/toolbox.ts";
import { judge } from "../permissions/rules.ts";

export function serveTools(server: Server, requestContext: RequestContext): void {
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: requestContext.toolbox.list(requestContext.grant),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId, signal, sendNotification }) => {
    const { client, grant, context, log, callsUnderWay } = requestContext;
    const tool = requestContext.toolbox.find(grant, params.name);
    if (!tool)
      return failure(`no tool "${params.name.slice(0, 100)}" here: this run has ${grant.tools.join(", ") || "none"}`);
    const refusal = refusalOf(requestContext, tool, params.arguments);
    if (refusal !== null) return failure(refusal);
    using call = callsUnderWay.begin(client, requestId, signal);
    const options = { progressToken: params._meta?.progressToken, logLevel: requestContext.logLevels.of(client) };
    const reporter = progressReporter(tool.name, options, call.signal, (notice) => {
      // A client that hung up hears no more of it.
      sendNotification(notice).catch(() => {});
    });
    const started = performance.now();
    try {
      const callId = params._meta?.["cortex/call_id"];
      return await tool.call(params.arguments, {
        ...context,
        reporter,
        ...(grant.agent_id !== "commands" && {
          run: grant.agent_id,
          place: grant.place,
          isValid: requestContext.isValid,
        }),
        ...(typeof callId === "string" && { call: { agent_id: grant.agent_id, call_id: callId } }),
      });
    } catch (error) {
      // Nobody reads it, but the request must end.
      if (call.signal.aborted) return failure(`${tool.name} was cancelled`);
      log.error({ agent_id: grant.agent_id, tool: tool.name, err: error }, "tool failed");
      const text = `${tool.name} failed: ${messageOf(error)}`;
      reporter.log("error", text);
      return failure(text);
    } finally {
      const ms = Math.round(performance.now() - started);
      log.debug({ agent_id: grant.agent_id, tool: tool.name, ms }, "tool called");
      reporter.log("debug", `took ${ms} ms`);
    }
  });
}

/** Says why a run's call isn't made by the rules, or null. The user's own calls are nobody else's to judge. */
function refusalOf({ grant, permissionSettings }: RequestContext, tool: OfferedTool, args: unknown): string | null {
  if (grant.agent_id === "commands") return null;
  const { name, inputSchema, from } = tool;
  const rules = [...(grant.permissions ?? []), ...(permissionSettings.current.permissions ?? [])];
  const { decide, rule, text } = judge(rules, { tool: name, args, inputSchema, inApp: from === "app" }, "allow");
  return decide === "deny" ? denied(name, rule, text) : null;
}

/** For the model to read. */
function denied(tool: string, rule: PermissionRule | undefined, text: string | undefined): string {
  const isUnclear = rule?.match !== undefined && text === undefined;
  const why = isUnclear ? ", since what this call would do can't be told: write it plainly" : "";
  return `${tool}: denied by a rule of the user (${JSON.stringify(rule)})${why}. Don't try it in another way.`;
}

function failure(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
