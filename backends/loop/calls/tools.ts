/** The tools of a run, wherever they come from, and the result of one call. */
import { readArguments } from "../../../conversation/arguments.ts";
import type { FilePart } from "../../../protocol/files/attachment.ts";
import { cutDepth } from "../../../protocol/json/cut-depth.ts";
import { maxPartJsonDepth } from "../../../protocol/json/parse-json.ts";
import { abortable } from "../../provider/abort.ts";
import { messageWithCauses } from "../../provider/failure.ts";
import type { ToolDescription } from "../../provider/provider.ts";

/** Hears what a tool prints while it works. */
export type OnOutput = (text: string) => void;

/** `isRefused`: the call wasn't made. */
export type ToolResult = { text: string; isError: boolean; parts?: FilePart[]; isRefused?: boolean };

/** `id`: the call's, as in its events. `isCutOff`: an attempt before this one has made it, and got no answer. */
export type CallName = { id: string; isCutOff: boolean; onOutput?: OnOutput };

export type Toolbox = AsyncDisposable & {
  descriptions: readonly ToolDescription[];
  /** Contract: may throw; what it throws is told to the model. */
  call(tool: string, args: Record<string, unknown>, signal: AbortSignal, call: CallName): Promise<ToolResult>;
};

export const noTools: Toolbox = {
  descriptions: [],
  call: () => Promise.reject(new Error("there are no tools")),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

/** Calls a tool. Whatever goes wrong is a result that the model reads. */
export async function callTool(
  tools: Toolbox,
  tool: string,
  args: unknown,
  signal: AbortSignal,
  call: CallName,
): Promise<ToolResult> {
  if (signal.aborted) return failed("Cancelled");
  const names = tools.descriptions.map((description) => description.name);
  if (!names.includes(tool)) return refused(`Tool not found: "${tool}". The tools are: ${names.join(", ") || "none"}.`);
  const fields = readArguments(args);
  if (!fields)
    return refused(
      `Bad arguments for ${tool}: expected a JSON object of at most ${maxPartJsonDepth} levels, got ${JSON.stringify(cutDepth(args)).slice(0, 200)}`,
    );
  try {
    return await abortable(tools.call(tool, fields, signal, call), signal);
  } catch (error) {
    return failed(signal.aborted ? "Cancelled" : `${tool} failed: ${messageWithCauses(error)}`);
  }
}

const failed = (text: string): ToolResult => ({ text, isError: true });
const refused = (text: string): ToolResult => ({ text, isError: true, isRefused: true });
