/** Tools: which ones a grant has, and the calls of them. */
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { messageOf } from "../../files/error-message.ts";
import { callerOf } from "../tool/caller.ts";
import type { PermissionRule } from "../../protocol/settings/permissions.ts";
import type { OfferedTool } from "../catalog/toolbox.ts";
import { judge } from "../permissions/rules.ts";
import type { Visit } from "./visit.ts";

export function serveTools(server: Server, visit: Visit): void {
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: visit.toolbox.list(visit.grant) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId, signal, sendNotification }) => {
    const { client, grant, context, log, callsUnderWay } = visit;
    const tool = visit.toolbox.find(grant, params.name);
    if (!tool)
      return failure(`no tool "${params.name.slice(0, 100)}" here: this run has ${grant.tools.join(", ") || "none"}`);
    const refusal = refusalOf(visit, tool, params.arguments);
    if (refusal !== null) return failure(refusal);
    using call = callsUnderWay.begin(client, requestId, signal);
    const wishes = { progressToken: params._meta?.progressToken, logLevel: visit.logLevels.of(client) };
    const caller = callerOf(tool.name, wishes, call.signal, (notice) => {
      // Whoever hung up hears it no more.
      sendNotification(notice).catch(() => {});
    });
    const started = performance.now();
    try {
      const callId = params._meta?.["cortex/call_id"];
      return await tool.call(params.arguments, {
        ...context,
        caller,
        ...(grant.agent_id !== "commands" && { run: grant.agent_id }),
        ...(typeof callId === "string" && { call: { agent_id: grant.agent_id, call_id: callId } }),
      });
    } catch (error) {
      // Nobody reads it, but the request must end.
      if (call.signal.aborted) return failure(`${tool.name} was cancelled`);
      log.error({ agent_id: grant.agent_id, tool: tool.name, err: error }, "tool failed");
      const text = `${tool.name} failed: ${messageOf(error)}`;
      caller.log("error", text);
      return failure(text);
    } finally {
      const ms = Math.round(performance.now() - started);
      log.debug({ agent_id: grant.agent_id, tool: tool.name, ms }, "tool called");
      caller.log("debug", `took ${ms} ms`);
    }
  });
}

/** Says why a run's call isn't made by the rules, or null. The user's own calls are nobody else's to judge. */
function refusalOf({ grant, permissionSettings }: Visit, tool: OfferedTool, args: unknown): string | null {
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
