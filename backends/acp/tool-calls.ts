/**
 * Tool calls of a session as our events: a start once it is known what is called, then an end of the same id. Agents tell of a
 * call in pieces, and some of its permission or its result alone.
 */
import type { ToolCall, ToolCallContent, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { EventBody } from "../../protocol/runs/event.ts";
import { cutDepth } from "../../protocol/json/cut-depth.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import type { Clock } from "../provider/clock.ts";
import { bounded } from "../loop/calls/tool-result.ts";

/** All that is known of a call: each update takes the place of what it names. */
export type KnownCall = {
  id: string;
  title: string;
  name: string | undefined;
  kind: NonNullable<ToolCall["kind"]>;
  input: unknown;
  paths: string[];
  content: ToolCallContent[];
  output: unknown;
  /** Output of its terminal, where the agent tells it beside. */
  printed: string;
};

/** @field args those that its start has told: its end tells the same */
type Open = KnownCall & { started: number | null; args: unknown; hasEnded: boolean };

/** Characters of a terminal's output that are kept: a result has room for fewer. */
const longestPrinted = 1024 * 1024;

/** The names of our own tools for what the kinds do: those that rules and readers know. */
const toolNames: Partial<Record<KnownCall["kind"], string>> = {
  read: "read",
  edit: "edit",
  search: "grep",
  execute: "bash",
  fetch: "web_fetch",
};

/** The tool of a call as rules know it. What none of ours does has the agent's name before it. */
export const ruleTool = ({ kind, name }: Pick<KnownCall, "kind" | "name">, agent: string): string =>
  toolNames[kind] ?? `${agent}.${name ?? kind}`;

export class ToolCalls {
  readonly #clock: Pick<Clock, "now">;
  readonly #emit: (event: EventBody) => Promise<void>;
  readonly #calls = new Map<string, Open>();

  constructor(clock: Pick<Clock, "now">, emit: (event: EventBody) => Promise<void>) {
    this.#clock = clock;
    this.#emit = emit;
  }

  /** Takes what an update says of a call. `isFirst`: it announces it, so that more may be about to follow. */
  async take(update: ToolCall | ToolCallUpdate, isFirst: boolean): Promise<void> {
    const call = this.#known(update);
    const { status } = update;
    const hasEnded = status === "completed" || status === "failed";
    if (hasEnded || status === "in_progress" || (!isFirst && isFilled(call.input))) await this.#start(call);
    if (hasEnded) await this.#end(call, status === "failed");
  }

  /** Takes the call of which an agent asks whether it may make it. */
  async asked(update: ToolCallUpdate): Promise<KnownCall> {
    const call = this.#known(update);
    await this.#start(call);
    return call;
  }

  /** Ends what is open: the turn is over. */
  async endAll(): Promise<void> {
    for (const call of this.#calls.values()) if (call.started !== null && !call.hasEnded) await this.#end(call, true);
  }

  #known(update: ToolCall | ToolCallUpdate): Open {
    const known = this.#calls.get(update.toolCallId) ?? newCall(update.toolCallId);
    this.#calls.set(known.id, known);
    if (known.hasEnded) return known;
    known.title = update.title ?? known.title;
    known.name = update.name ?? known.name;
    known.kind = update.kind ?? known.kind;
    if (isFilled(update.rawInput)) known.input = cutDepth(update.rawInput);
    if (update.locations?.length) known.paths = update.locations.map(({ path }) => path);
    if (update.content?.length) known.content = update.content;
    known.output = cutDepth(update.rawOutput) ?? known.output;
    known.printed = (known.printed + printedIn(update._meta)).slice(0, longestPrinted);
    return known;
  }

  async #start(call: Open): Promise<void> {
    if (call.started !== null) return;
    call.started = this.#clock.now();
    call.args = argsOf(call);
    await this.#emit({ event: "tool_start", tool: toolOf(call), args: call.args, call_id: call.id });
  }

  async #end(call: Open, isError: boolean): Promise<void> {
    if (call.hasEnded) return;
    call.hasEnded = true;
    const { id: call_id, args } = call;
    const duration_ms = this.#clock.now() - (call.started ?? this.#clock.now());
    const result = bounded(resultOf(call));
    // A run may make thousands: no more is kept of one than that it has ended.
    Object.assign(call, { content: [], output: undefined, printed: "", args: undefined });
    await this.#emit({ event: "tool_end", tool: toolOf(call), args, result, call_id, is_error: isError, duration_ms });
  }
}

const newCall = (id: string): Open => ({
  id,
  title: "",
  name: undefined,
  kind: "other",
  input: undefined,
  paths: [],
  content: [],
  output: undefined,
  printed: "",
  started: null,
  args: undefined,
  hasEnded: false,
});

/** The tool's name as a reader looks for it. Codex names a tool of a server in its input alone. */
function toolOf({ name, kind, title, input }: KnownCall): string {
  const ofServer = isRecord(input) && typeof input["server"] === "string" ? input["tool"] : undefined;
  if (typeof ofServer === "string") return ofServer;
  return (name ?? toolNames[kind] ?? title) || kind;
}

/** The arguments as the agent has them; one that doesn't tell them shows what the call is about. */
function argsOf({ input, title, paths, content }: KnownCall): unknown {
  if (isFilled(input)) return input;
  const changes = content.flatMap((one) =>
    one.type === "diff"
      ? [{ path: one.path, old_text: bounded(one.oldText ?? ""), new_text: bounded(one.newText) }]
      : [],
  );
  return { title, ...(paths.length > 0 && { paths }), ...(changes.length > 0 && { changes }) };
}

function resultOf({ content, output, printed }: KnownCall): string {
  const texts = content.flatMap((one) => {
    if (one.type === "diff") return [`changed ${one.path}`];
    if (one.type !== "content") return [];
    return [one.content.type === "text" ? one.content.text : `[${one.content.type}: not shown]`];
  });
  if (printed !== "") texts.push(printed);
  if (texts.length > 0) return texts.join("\n");
  return typeof output === "string" ? output : output === undefined ? "" : JSON.stringify(output);
}

const isFilled = (value: unknown) =>
  value !== undefined && value !== null && (!isRecord(value) || Object.keys(value).length > 0);

/** Output of Codex's terminal: its adapter tells it beside the call. */
function printedIn(meta: unknown): string {
  const delta = isRecord(meta) ? meta["terminal_output_delta"] : undefined;
  const data = isRecord(delta) ? delta["data"] : undefined;
  return typeof data === "string" ? data : "";
}
