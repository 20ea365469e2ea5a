/** Answers an agent that asks whether it may make a call: by our rules and approvals, which the tool server knows. */
import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { isRecord } from "../../protocol/json/json-object.ts";
import type { RunConfig } from "../../protocol/runs/run-config.ts";
import type { OwnCall } from "../../protocol/permissions/own-call.ts";
import { mayCall, type Permit } from "./permit-client.ts";
import { type KnownCall, ruleTool, type ToolCalls } from "./tool-calls.ts";

/** The name under which our tool server is offered, and how agents write its tools' names with it. */
export const serverName = "cortex";
const ownTools = [/^(?:mcp__?)?cortex(?:__?|[./:-])(?<tool>[\w.-]+)$/, /^(?<tool>[\w.-]+) \(cortex MCP Server\)$/];

export type BridgeContext = {
  agent: string;
  config: RunConfig;
  /** Whether the title of a call that runs a command is the command. */
  titleIsCommand: boolean;
  calls: ToolCalls;
  signal: AbortSignal;
};

export class PermissionBridge {
  readonly #context: BridgeContext;
  /** Why calls of this turn were denied, for the model to read. */
  #denied: string[] = [];

  constructor(context: BridgeContext) {
    this.#context = context;
  }

  /** Takes the reasons for which calls were denied since. */
  takeDenied(): string[] {
    return this.#denied.splice(0);
  }

  async decide({ toolCall, options }: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    const { config, calls, signal } = this.#context;
    const call = await calls.asked(toolCall);
    try {
      const permit = await this.#judge(call, config.acp?.permit);
      if (!permit.isAllowed) this.#denied.push(permit.why);
      return outcomeOf(options, permit.isAllowed ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"]);
    } catch (error) {
      if (signal.aborted) return { outcome: { outcome: "cancelled" } };
      throw error;
    }
  }

  /** Each thing that the call touches is judged by itself, as a command and a path are. */
  async #judge(call: KnownCall, server: NonNullable<RunConfig["acp"]>["permit"]): Promise<Permit> {
    if (isOurs(call, this.#context.config.tools)) return { isAllowed: true };
    if (!server)
      return { isAllowed: false, why: `${call.title}: denied, since there is no tool server that knows the rules` };
    for (const [at, own] of ownCalls(call, this.#context).entries()) {
      const id = at === 0 ? call.id : `${call.id}#${at + 1}`;
      const permit = await mayCall(server, { ...own, call_id: id.slice(-256) }, this.#context.signal);
      if (!permit.isAllowed) return permit;
    }
    return { isAllowed: true };
  }
}

function outcomeOf(options: readonly PermissionOption[], kinds: PermissionOption["kind"][]): RequestPermissionResponse {
  const option = kinds.map((kind) => options.find((one) => one.kind === kind)).find((one) => one !== undefined);
  return { outcome: option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" } };
}

/** Whether it is a call of one of the run's tools at our own server, which judges it when it comes. */
function isOurs({ kind, name, title }: KnownCall, tools: readonly string[] = []): boolean {
  if (kind !== "other") return false;
  const tool = ownTools
    .map((pattern) => pattern.exec(name ?? title)?.groups?.["tool"])
    .find((one) => one !== undefined);
  return tool !== undefined && tools.includes(tool);
}

type Judged = Omit<OwnCall, "call_id">;

/** The calls as rules see them: of a change, one for each path. Never empty. */
export function ownCalls(
  call: KnownCall,
  { agent, titleIsCommand }: Pick<BridgeContext, "agent" | "titleIsCommand">,
): Judged[] {
  const input = isRecord(call.input) ? call.input : {};
  // Codex takes a command that reads a file for reading.
  const kind = "command" in input || "cmd" in input ? "execute" : call.kind;
  const tool = ruleTool({ ...call, kind }, agent);
  const { title } = call;
  // What is asked about, and by which a call is told from another of the same name.
  const rest = { title, input: shownInput(call) };
  if (kind === "execute") {
    const command = commandIn(input) ?? (titleIsCommand ? title : null);
    return [{ tool, kind, args: { command, ...rest } }];
  }
  if (kind === "fetch") return [{ tool, kind, args: { url: textIn(input, "url"), ...rest } }];
  if (kind === "search") return [{ tool, kind, args: { pattern: textIn(input, "pattern", "query"), ...rest } }];
  const diffs = call.content.flatMap((one) => (one.type === "diff" ? [one.path] : []));
  const named = ["file_path", "filePath", "filepath", "absolute_path", "path"].flatMap(
    (name) => textIn(input, name) ?? [],
  );
  const paths = [...new Set([...call.paths, ...diffs, ...named])];
  if (kind === "other" || kind === "think" || kind === "switch_mode") return [{ tool, kind, args: rest }];
  return (paths.length === 0 ? [null] : paths).map((path) => ({ tool, kind, args: { path, ...rest } }));
}

/** Characters of a call's input that are told: who is asked sees less of it. */
const longestInput = 65_536;

/** The input of a call; of one that doesn't tell it, what it changes. */
function shownInput({ input, content }: KnownCall): unknown {
  const shown = input ?? content.filter(({ type }) => type === "diff");
  const text = JSON.stringify(shown);
  return text.length <= longestInput ? shown : text.slice(0, longestInput);
}

/** The command of a call: a text, or a shell with the text of its script. Null: it can't be told. */
function commandIn({ command, cmd }: Record<string, unknown>): string | null {
  const said = command ?? cmd;
  if (typeof said === "string") return said;
  if (!Array.isArray(said) || !said.every((word) => typeof word === "string")) return null;
  const [shell, flag, script, ...more] = said as string[];
  const isScript =
    /(?:^|\/)(?:ba|z|da)?sh$/.test(shell ?? "") && (flag === "-c" || flag === "-lc") && more.length === 0;
  return isScript ? (script ?? null) : null;
}

function textIn(input: Record<string, unknown>, ...names: string[]): string | null {
  const found = names.map((name) => input[name]).find((value) => typeof value === "string");
  return typeof found === "string" ? found : null;
}
