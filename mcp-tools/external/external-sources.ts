/** The sources of tools beside the built-in ones: which there should be, and which there are. A change of one leaves the others as they are. */
import type { Tool as McpTool } from "@modelcontextprotocol/server";
import { SerialQueue } from "../../files/locks/serial-queue.ts";
import type { ToolSource } from "../../journal/programs/tool-catalog.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { ServerTransport } from "./connection.ts";
import { ExternalServer } from "./external-server.ts";
import type { ServerTimes } from "./server-times.ts";
import type { CalledTool } from "./tool-calls.ts";

/** The spec from which an external server or an app is started. */
export type ServerSpec = {
  name: string;
  kind: ToolSource["kind"];
  /** Differs when anything about it does. */
  version: string;
  isProgram: boolean;
  protocol?: string | undefined;
  open: () => Promise<ServerTransport>;
  times?: Partial<ServerTimes>;
  secrets?: readonly string[];
  problems: readonly string[];
};

type Held = { spec: ServerSpec; server: ExternalServer };

export class ExternalSources implements AsyncDisposable {
  readonly #held = new Map<string, Held>();
  readonly #log: Logger;
  readonly #onChange: () => void;
  readonly #changes = new SerialQueue();

  constructor(log: Logger, onChange: () => void) {
    this.#log = log;
    this.#onChange = onChange;
  }

  /** Starts, replaces and ends sources until there are exactly these. */
  apply(specs: readonly ServerSpec[]): Promise<void> {
    return this.#changes.run(() => this.#apply(specs));
  }

  /** How each of them is. */
  get all(): ToolSource[] {
    return [...this.#held.values()].map(({ spec, server }) => {
      const { source } = server;
      return { ...source, problems: [...spec.problems, ...source.problems] };
    });
  }

  /** By the names of their servers, so that the order stays when one of these is replaced: providers cache by it. */
  get tools(): McpTool[] {
    const held = [...this.#held].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return held.flatMap(([, { server }]) => server.tools);
  }

  /** The server of `server.tool`, the tool as it is called there, and how it is described here. */
  find(name: string): { server: ExternalServer; tool: CalledTool; described: McpTool } | null {
    const dot = name.indexOf(".");
    const server = this.#held.get(name.slice(0, dot))?.server;
    const described = server?.tools.find((tool) => tool.name === name);
    if (dot < 1 || !server || !described) return null;
    return { server, tool: { name: name.slice(dot + 1), inputSchema: described.inputSchema }, described };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.apply([]);
  }

  async #apply(specs: readonly ServerSpec[]): Promise<void> {
    const next = new Map(specs.map((one) => [one.name, one]));
    const old = [...this.#held].filter(
      ([
        name,
        {
          spec: { version },
        },
      ]) => next.get(name)?.version !== version,
    );
    for (const [name] of old) this.#held.delete(name);
    await Promise.all(old.map(([, { server }]) => server[Symbol.asyncDispose]()));
    for (const [name, one] of next) {
      const { kind, isProgram, protocol, open, times = {}, secrets = [] } = one;
      const held = this.#held.get(name);
      for (const problem of one.problems)
        if (!held?.spec.problems.includes(problem)) this.#log.warn({ [kind]: name }, problem);
      if (held) {
        held.spec = one;
        continue;
      }
      const server = new ExternalServer({
        name,
        kind,
        isProgram,
        protocol,
        open,
        times,
        secrets,
        log: this.#log,
        onChange: this.#onChange,
      });
      this.#held.set(name, { spec: one, server });
    }
    this.#onChange();
  }
}
