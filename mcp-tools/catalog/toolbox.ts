/** All tools that there are: the built-in ones, those of apps, those of external servers; and which of them a grant has. */
import { setTimeout as delay } from "node:timers/promises";
import { join } from "node:path";
import {
  type CallToolResult,
  type ContentBlock,
  type InputRequiredResult,
  inputRequired,
  type Tool as McpTool,
} from "@modelcontextprotocol/server";
import { CoalescedWork } from "../../files/locks/serial-queue.ts";
import { listApps, watchApps } from "../../journal/programs/apps.ts";
import { forgetExternalProcess, externalProcesses } from "../../journal/programs/external-processes.ts";
import { type SettingsWatch, watchSettings } from "../../journal/config/settings.ts";
import type { Grant } from "../../journal/access/tokens.ts";
import { type ToolSource, writeToolCatalog } from "../../journal/programs/tool-catalog.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { packageFile } from "../../proc/programs/package-file.ts";
import { killOrphanedProcess } from "../../proc/programs/stdio-process.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import { externalPacks, ownersTools } from "../../protocol/settings/packs.ts";
import { ExternalSources } from "../external/external-sources.ts";
import { type ServerSettings, serverSpecs } from "../external/server-specs.ts";
import { tools as builtIn } from "./packs.ts";
import { approvalForms } from "../runs/approval-forms.ts";
import type { Tool, ToolContext, ToolFile } from "../tool/tool.ts";

/** A tool that can be called, wherever it comes from. What it throws is a defect. */
export type OfferedTool = Pick<McpTool, "name" | "inputSchema" | "annotations"> & {
  /** The source of the tool: our own, an external server or an app. */
  from: "cortex" | ToolSource["kind"];
  call(args: unknown, context: ToolContext): Promise<CallToolResult | InputRequiredResult>;
};

const nobody = { signal: new AbortController().signal, progress: () => {} };

/** Settings that can't be read at the start are read again so often, in ms. */
const settingsAgainMs = 2_000;

export class Toolbox implements AsyncDisposable {
  readonly #journal: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #log: Logger;
  readonly #sources: ExternalSources;
  readonly #stopping = new AbortController();
  #watched: SettingsWatch | null = null;
  #settings: ServerSettings = {};
  readonly #catalog = new CoalescedWork(() => this.#save());

  constructor(journal: string, env: NodeJS.ProcessEnv, log: Logger) {
    this.#journal = journal;
    this.#env = env;
    this.#log = log;
    this.#sources = new ExternalSources(log, () => void this.#catalog.run());
  }

  /** The names that stand for several tools at once: each app and server by its name, and groups of these. */
  get packs(): Readonly<Record<string, readonly string[]>> {
    return externalPacks(this.#sources.all);
  }

  /** A grant as it is used: the commands have every tool that there is by now. */
  whole(grant: Grant): Grant {
    if (grant.agent_id !== "commands") return grant;
    return { ...grant, tools: [...grant.tools, ...this.#sources.tools.map(({ name }) => name)] };
  }

  /** Describes the tools that a grant has. */
  list(grant: Grant, context: ToolContext): McpTool[] {
    const isGranted = ({ name }: { name: string }) => isInGrant(grant, name);
    const isOffered = (tool: Tool) => isGranted(tool) && tool.isOffered?.(context) !== false;
    const own = [...builtIn.values()].filter(isOffered).map((tool) => descriptionOf(tool, this.#journal));
    return [...own, ...this.#sources.tools.filter(isGranted)];
  }

  /** A tool, if the grant has it. */
  find(grant: Grant, name: string, context: ToolContext): OfferedTool | null {
    if (!isInGrant(grant, name)) return null;
    const own = builtIn.get(name);
    if (own?.isOffered?.(context) === false) return null;
    if (own) {
      const { inputSchema, annotations } = own;
      const call: OfferedTool["call"] = async (args, context) => resultOf(await own.call(args, context));
      return { name, inputSchema, annotations, from: "cortex", call };
    }
    const found = this.#sources.find(name);
    if (!found) return null;
    const { inputSchema, annotations } = found.described;
    return {
      name,
      inputSchema,
      annotations,
      from: found.server.kind,
      call: (args = {}, { reporter = nobody, trace, caller }) =>
        isRecord(args)
          ? found.server.call(found.tool, args, reporter, { trace, caller })
          : Promise.resolve(failure(`${name}: expected the arguments as a JSON object`)),
    };
  }

  /** Connects to what the settings and the apps name, and follows both until it is disposed of. Nobody need wait for it. */
  async follow(): Promise<void> {
    this.#sweep();
    await this.#followSettings();
    await watchApps(this.#journal, {
      onChange: () => void this.#apply(),
      onProblem: (error) => this.#log.warn({ err: error }, "changes of apps may not be seen"),
      signal: this.#stopping.signal,
    });
    await this.#apply();
  }

  /** Reads settings and apps now, whether or not a change was seen. */
  reread(): void {
    this.#watched?.reload();
    void this.#apply();
  }

  /** Stops what it has started, too. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#sources[Symbol.asyncDispose]();
    await this.#catalog.idle();
  }

  /** Ends the processes that a killed one left behind: they would have its files open, and its ports. */
  #sweep(): void {
    for (const { name, process } of externalProcesses(this.#journal)) {
      if (killOrphanedProcess(process))
        this.#log.warn({ name, left: process.pid }, "stopped what an earlier mcp-tools left");
      forgetExternalProcess(this.#journal, name).catch((error: unknown) =>
        this.#log.warn({ err: error }, "a note stays"),
      );
    }
  }

  async #followSettings(): Promise<void> {
    const { signal } = this.#stopping;
    const onProblem = (error: unknown) =>
      this.#log.warn({ err: error }, "cortex.json can't be read: the external servers stay as they are");
    for (let isTold = false; !signal.aborted; isTold = true)
      try {
        const onChange = (read: { settings: ServerSettings }) => {
          this.#settings = read.settings;
          void this.#apply();
        };
        this.#watched = await watchSettings(this.#journal, { onChange, onProblem, signal });
        this.#settings = this.#watched.current;
        return;
      } catch (error) {
        if (!isTold) onProblem(error);
        await delay(settingsAgainMs, undefined, { signal, ref: false }).catch(() => {});
      }
  }

  async #apply(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    // One of the journal wins over the project's.
    const apps = listApps([packageFile("apps"), join(this.#journal, "apps")]);
    await this.#sources.apply(serverSpecs(this.#journal, this.#env, this.#settings, apps));
  }

  async #save(): Promise<void> {
    await writeToolCatalog(this.#journal, { sources: this.#sources.all }).catch((error: unknown) =>
      this.#log.error({ err: error }, "the catalogue of tools can't be written: runs may not find external tools"),
    );
  }
}

/** Whether a grant has a tool. Those of the owner's own clients no run has, whatever its token says. */
function isInGrant({ agent_id, tools }: Grant, name: string): boolean {
  return tools.includes(name) && (agent_id === "commands" || !ownersTools.includes(name));
}

function descriptionOf(tool: Tool, journal: string): McpTool {
  const { name, title, inputSchema, outputSchema, annotations } = tool;
  const description = tool.description + (tool.describeJournal?.(journal) ?? "");
  return { name, title, description, inputSchema, ...(outputSchema && { outputSchema }), annotations };
}

function resultOf(result: Awaited<ReturnType<Tool["call"]>>): CallToolResult | InputRequiredResult {
  const { text, structured, isError, file, task, asks } = result;
  if (asks) return inputRequired({ inputRequests: approvalForms(asks.questions), requestState: asks.run });
  if (task) return { content: [], resultType: "task", ...task };
  return {
    content: [{ type: "text", text }, ...(file ? [blockOf(file)] : [])],
    ...(structured && { structuredContent: structured }),
    ...(isError && { isError }),
  };
}

function blockOf({ name, mime, content }: ToolFile): ContentBlock {
  const data = content.toString("base64");
  if (mime.startsWith("image/")) return { type: "image", data, mimeType: mime };
  if (mime.startsWith("audio/")) return { type: "audio", data, mimeType: mime };
  return { type: "resource", resource: { uri: `file:///${encodeURIComponent(name)}`, mimeType: mime, blob: data } };
}

const failure = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true });
