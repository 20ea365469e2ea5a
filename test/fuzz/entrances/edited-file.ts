/** Files that a person edits: each is damaged, used by whoever reads it, and put right again. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { packageFile } from "../../../proc/programs/package-file.ts";
import type { Engine } from "../../simulation/engine.ts";
import type { Entrance, Reaction } from "../entrance.ts";
import type { FuzzSystem } from "../fuzz-system.ts";
import { hostileJson, hostileLines } from "../hostile.ts";
import { post } from "./http-body.ts";

type Use = (system: FuzzSystem) => Promise<Reaction>;

const tool =
  (name: string, args: Record<string, unknown>): Use =>
  ({ clients: { addresses } }) => {
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
    return post(addresses.mcp, Buffer.from(JSON.stringify(call)), {
      authorization: `Bearer ${addresses.mcpToken}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    });
  };

const runOf =
  (fields: Record<string, unknown>): Use =>
  async (system) => {
    const { event } = await system.clients.run(system.nextId(), { prompt: "hi", backend: "ok", ...fields });
    return event === "finish" ? "taken" : "refused";
  };

/** Each file, what stands in it, and who reads it. */
const files: { path: string; sample: object | string; use: Use }[] = [
  {
    path: "personas/edited.txt",
    sample: "You answer in one word.\nNothing else.\n",
    use: runOf({ persona: "edited" }),
  },
  {
    path: "personas/edited.json",
    sample: {
      title: "Edited",
      backend: "ok",
      tools: "journal",
      priority: 50,
      timeout_seconds: 60,
      handoff: { persona: "default" },
    },
    use: runOf({ persona: "edited" }),
  },
  {
    path: "facets/fuzzed/facet.json",
    sample: { title: "Fuzzed", description: "d", color: "#fff", emoji: "x", muted: false },
    use: tool("get_facet", { facet: "fuzzed" }),
  },
  {
    path: "facets/fuzzed/events/20250111.jsonl",
    sample: '{"title":"t","start":"10:00","end":"11:00","summary":"s","occurred":true}\n{"title":"u"}\n',
    use: tool("get_events", { day: "20250111" }),
  },
  {
    path: "facets/fuzzed/todos/20250111.md",
    sample: "- [ ] water\n- [x] seeds\n- [-] rake\n",
    use: tool("todo_upcoming", { day: "20250101" }),
  },
  {
    path: "facets/fuzzed/entities.jsonl",
    sample: '{"type":"person","name":"Ada","description":"d","aka":["A"]}\n',
    use: tool("entity_list", { facet: "fuzzed" }),
  },
  {
    path: "20250111/fuzzed.md",
    sample: "# Notes\n\nThe heater of the greenhouse.\n",
    use: tool("search_journal", { query: "heater" }),
  },
];

export const editedFile: Entrance = {
  name: "edited file",
  async attack(system, engine) {
    const { path, sample, use } = engine.pick(files);
    // Two cases may be at the same file: each has a name of its own where the name is free.
    const own = join(system.journal, path.replace("20250111/fuzzed", `20250111/fuzzed-${system.nextId()}`));
    mkdirSync(dirname(own), { recursive: true });
    writeFileSync(own, damaged(engine, sample));
    try {
      return await use(system);
    } finally {
      rmSync(own, { force: true });
    }
  },
};

/** An ended run's file: it is listed, shown, and gone on from. */
export const editedRun: Entrance = {
  name: "edited run file",
  async attack(system, engine) {
    const agentId = system.nextId();
    await system.clients.run(agentId, { prompt: "to be edited", backend: "ok" });
    const day = new Date(Number(agentId)).toISOString().slice(0, 10).replaceAll("-", "");
    const path = join(system.journal, "runs", day, `${agentId}.jsonl`);
    const text = await system.until<string | undefined>(() => textOf(path), "the run's file");
    writeFileSync(path, hostileLines(engine, text));
    await commandOf(system, ["runs", "list", "--json"]);
    return await runOf({ continue_from: agentId })(system);
  },
};

/** The settings themselves. What is wrong in them may stop nothing that goes on. */
export const editedSettings: Entrance = {
  name: "edited settings",
  isAlone: true,
  async attack(system, engine) {
    const path = join(system.journal, "cortex.json");
    writeFileSync(path, damaged(engine, system.settings));
    try {
      const checked = await commandOf(system, ["config", "check"]);
      // By whichever settings it is started, or refused, such as for want of room; the next look has the right ones again.
      const agentId = system.nextId();
      const request = { ts: Number(agentId), prompt: "hi", backend: "ok" };
      await system.clients.ask(Buffer.from(JSON.stringify(request)), agentId);
      return checked === 0 ? "taken" : "refused";
    } finally {
      writeFileSync(path, JSON.stringify(system.settings));
    }
  },
};

function damaged(engine: Engine, sample: object | string): Buffer {
  return typeof sample === "string" ? hostileLines(engine, sample) : hostileJson(engine, sample);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

const cortex = packageFile("bin/cortex.js");
const commandEndsMs = 60_000;

/** The exit code of one of our commands. @throws Error when it calls anything a defect, or doesn't end */
async function commandOf(system: FuzzSystem, args: string[]): Promise<number> {
  const env = { PATH: process.env["PATH"], HOME: system.folder, JOURNAL_PATH: system.journal };
  const options = { env, timeout: commandEndsMs, maxBuffer: 512 * 1024 * 1024 };
  try {
    await promisify(execFile)(process.execPath, [cortex, ...args], options);
    return 0;
  } catch (error) {
    const { code, stderr = "" } = error as { code?: unknown; stderr?: string };
    if (typeof code !== "number" || stderr.includes("defect")) throw error;
    return code;
  }
}
