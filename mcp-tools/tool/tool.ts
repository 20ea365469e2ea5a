/** The type of a tool: a name, schemas of its arguments and its answer, and a function from the one to the other. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { FacetFileError } from "../../journal/editing/facet-file.ts";
import { UnknownFacetError } from "../../journal/notes/facets.ts";
import { ResourceError } from "../../journal/notes/resources.ts";
import type { RunPlace } from "../../journal/access/tokens.ts";
import { SaveError } from "../../journal/saves/saved-results.ts";
import type { Search } from "../../journal/search/search.ts";
import { SkillError } from "../../journal/agents/skills.ts";
import { TextFileError } from "../../journal/editing/text-edits.ts";
import type { CallKey } from "../../journal/editing/tool-calls.ts";
import type { KeptQuestion } from "../../protocol/permissions/call-question.ts";
import { issueTexts } from "../../protocol/words/issues.ts";
import { dropNulls, isRecord } from "../../protocol/json/json-object.ts";
import { CommandError } from "../exec/command-error.ts";
import type { Commands } from "../exec/commands.ts";
import type { AgentsService } from "./agents-link.ts";
import type { ProgressReporter } from "./progress-reporter.ts";
import type { RunsService } from "../links/runs-link.ts";
import { ToolError } from "./tool-error.ts";

/** Searches the web by an engine, which the settings of the moment name. */
export type WebSearch = {
  isThere(): boolean;
  /** @throws ToolError */
  find(query: string, count: number, signal: AbortSignal | undefined): Promise<FoundPage[]>;
};

export type FoundPage = { title: string; url: string; snippet: string };

/** The context that every tool may use. */
export type ToolContext = {
  journal: string;
  search: Search;
  /** In which "today" is. */
  timeZone: string;
  /** Does for a run what isn't done here. */
  agents: AgentsService;
  /** Starts and stops runs, for the owner's own clients. */
  runs: RunsService;
  /** The abilities of the client that calls, besides waiting. */
  caller?: CallerAbilities | undefined;
  /** The run that calls; absent for the commands, which are none. */
  run?: string | undefined;
  /** Where that run works, and how its commands are held there. */
  place?: RunPlace | undefined;
  /** Where the web is searched; absent: nowhere. */
  webSearch?: WebSearch | undefined;
  /** Whether the token that the call came with still holds. */
  isValid?: (() => Promise<boolean>) | undefined;
  /** The commands of all runs; absent where none can be run. */
  commands?: Commands | undefined;
  /** Names the call where the client has done so: what a named call changes, it changes once. */
  call?: { agent_id: string; call_id: string } | undefined;
  /** The trace that the client's request belongs to, as W3C Trace Context has it: external servers are told. */
  trace?: Record<string, string> | undefined;
  /** Tells the client how far a long call is; absent where nobody listens. */
  reporter?: ProgressReporter | undefined;
};

/** `text` is for the model; `structured` holds the same for a program. */
export type ToolResult = {
  text: string;
  structured?: Record<string, unknown>;
  isError?: boolean;
  /** A file that the model is shown. */
  file?: ToolFile;
  /** The task that the call has become, for a client that knows tasks. */
  task?: RunTask;
  /** The questions that have to be answered before there is an answer, and the run that they are about. */
  asks?: { questions: readonly KeptQuestion[]; run: string };
};

/** The abilities of a client, and what it brings along where it makes a call again. */
export type CallerAbilities = {
  /** Whether a call may answer with a task. */
  knowsTasks: boolean;
  /** Whether its user can be asked by a form. */
  fillsForms: boolean;
  /** The capabilities by which an external server may ask it in the course of a call; absent in the older protocol: nothing can be asked. */
  asks?: AskedCapabilities | undefined;
  /** The answers to the questions of the call before, by their ids: not believed yet. */
  answers?: Record<string, unknown> | undefined;
  /** The state that the tool gave the client to keep then. */
  state?: string | undefined;
};

/** The capabilities of a client that are asked for by an answer of `input_required`. */
export type AskedCapabilities = { elicitation?: object; sampling?: object; roots?: object };

/** A run as a task of the protocol's extension. */
export type RunTask = {
  taskId: string;
  status: "working" | "input_required" | "completed" | "cancelled" | "failed";
  statusMessage?: string;
  createdAt: string;
  lastUpdatedAt: string;
  /** How long it is kept: null: no time is set. */
  ttlMs: null;
  pollIntervalMs: number;
};

export type ToolFile = { name: string; mime: string; content: Buffer };

/** The hints that a client may give its user about a tool before it is called. */
export type Annotations = {
  readOnlyHint: boolean;
  /** Whether something that stood there may be gone afterwards. */
  destructiveHint: boolean;
  /** Whether the same call a second time changes nothing more. */
  idempotentHint: boolean;
  openWorldHint: boolean;
};

type ObjectSchema = { type: "object"; [keyword: string]: unknown };

export type Tool = {
  name: string;
  /** For people. */
  title: string;
  /** For a model. */
  description: string;
  /** The end of its description, of what a journal has: read whenever the tools are listed. */
  describeJournal?: (journal: string) => string;
  /** Whether there is such a tool here; absent: always. */
  isOffered?: (context: ToolContext) => boolean;
  inputSchema: ObjectSchema;
  /** The schema of `structured`, which is there in every answer that is not an error. */
  outputSchema?: ObjectSchema;
  annotations: Annotations;
  /** Checks the arguments and runs the tool. Wrong arguments are an error result; what it throws is a defect. */
  call(args: unknown, context: ToolContext): Promise<ToolResult>;
};

/** The errors that are an answer for the model, and no defect: things that the journal doesn't have or won't do. */
const expected = [
  CommandError,
  ToolError,
  FacetFileError,
  ResourceError,
  SaveError,
  SkillError,
  TextFileError,
  UnknownFacetError,
];

export const reads: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export function writes(how: { destructive: boolean; idempotent: boolean }): Annotations {
  return {
    readOnlyHint: false,
    destructiveHint: how.destructive,
    idempotentHint: how.idempotent,
    openWorldHint: false,
  };
}

/** The annotations of a tool whose effect people see: it can't be taken back, and a second time is another one. */
export const reachesPeople: Annotations = {
  ...writes({ destructive: false, idempotent: false }),
  openWorldHint: true,
};

/** Makes a tool. The arguments are what the schema says, and nothing else. */
export function defineTool<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(definition: {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
  annotations: Annotations;
  /** `once` names the call for whatever changes a file: see journal/editing/tool-calls.ts. */
  run: (
    args: z.infer<z.ZodObject<Input>>,
    context: ToolContext,
    once: CallKey | undefined,
  ) => Promise<Answer<Output>> | Answer<Output>;
}): Tool {
  const { name, title, description, annotations, run } = definition;
  const schema = z.strictObject(definition.input);
  return {
    name,
    title,
    description,
    annotations,
    inputSchema: { ...z.toJSONSchema(schema, { io: "input" }), type: "object" },
    outputSchema: { ...z.toJSONSchema(z.object(definition.output), { io: "output" }), type: "object" },
    async call(args, context) {
      // Models send null for an argument that they leave out.
      const given = args === undefined ? {} : isRecord(args) ? dropNulls(args) : args;
      const parsed = schema.safeParse(given);
      if (!parsed.success)
        return { isError: true, text: explain(name, Object.keys(definition.input), parsed.error, given) };
      try {
        return await run(parsed.data, context, callKey(context, name, parsed.data));
      } catch (error) {
        if (error instanceof Error && expected.some((kind) => error instanceof kind))
          return { isError: true, text: `${name}: ${error.message}` };
        throw error;
      }
    },
  };
}

type Answer<Output extends z.ZodRawShape> =
  | { text: string; structured: z.infer<z.ZodObject<Output>>; file?: ToolFile; isError?: boolean }
  | { text: string; task: RunTask }
  | { text: string; asks: { questions: readonly KeptQuestion[]; run: string } };

/** A call that is repeated asks for the same again: one with other arguments is another call, whatever its id. */
function callKey({ call }: ToolContext, tool: string, args: unknown): CallKey | undefined {
  if (!call) return undefined;
  const digest = createHash("sha256").update(JSON.stringify([call.call_id, tool, args]));
  return { agent_id: call.agent_id, digest: digest.digest("hex") };
}

/** In characters. */
const maxProblems = 2_000;

function explain(name: string, known: string[], error: z.ZodError, args: unknown): string {
  const takes = known.length > 0 ? `Its arguments are ${known.join(", ")}.` : "It takes no arguments.";
  // Of thousands of wrong arguments the first say enough.
  return `${name}: ${issueTexts(error, args).join("; ").slice(0, maxProblems)}. ${takes}`;
}
