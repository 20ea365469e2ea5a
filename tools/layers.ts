/**
 * Which folder may import what: a row for each folder; `rooms.ts` has one for each room. `check-layers.ts` holds every import to them.
 * Libraries point down; services meet only on the bus; each outside thing has one owner.
 */

export type Layer = { imports: string[]; types?: string[] };

/** The libraries and services: nothing of the tools or tests. */
const shipped = `protocol files proc sandbox bus journal personas conversation schedule changes
  backends workspace web mcp-tools gateway telemetry cortex supervisor agents channels acp`.split(/\s+/);

/** The folders whose sources run at a user's. */
export const shippedFolders: readonly string[] = [...shipped, "scripts", "bin"];

/** The folders that a folder may import, and those of which it may import types alone. */
export const layers: Record<string, Layer | "anything"> = {
  protocol: { imports: [] },
  files: { imports: ["protocol"] },
  proc: { imports: ["files"] },
  sandbox: { imports: ["protocol", "files", "proc"] },
  journal: { imports: ["protocol", "files"] },
  bus: { imports: ["protocol", "files"] },
  personas: { imports: ["protocol", "files", "journal"] },
  conversation: { imports: ["protocol"], types: ["journal"] },
  schedule: { imports: ["protocol", "files", "bus", "journal"] },
  changes: { imports: ["protocol", "files", "proc", "journal"] },
  backends: { imports: ["protocol", "files", "proc", "conversation"] },
  workspace: { imports: ["protocol", "files", "proc", "bus", "personas", "conversation"] },
  web: {
    imports: [
      "protocol",
      "files",
      "proc",
      "sandbox",
      "bus",
      "journal",
      "personas",
      "conversation",
      "schedule",
      "changes",
      "workspace",
    ],
  },
  "mcp-tools": { imports: ["protocol", "files", "proc", "sandbox", "journal", "bus", "personas"] },
  gateway: { imports: ["protocol", "files", "proc", "journal", "bus", "personas"] },
  telemetry: { imports: ["protocol", "files", "proc", "journal", "bus"] },
  cortex: {
    imports: ["protocol", "files", "proc", "sandbox", "journal", "bus", "personas", "conversation", "changes"],
  },
  supervisor: { imports: ["protocol", "files", "proc", "journal", "bus", "personas", "schedule"] },
  agents: { imports: ["protocol", "files", "proc", "journal", "bus", "conversation", "personas"] },
  channels: { imports: ["protocol", "files", "proc", "journal", "bus", "conversation", "personas", "web"] },
  acp: { imports: ["protocol", "files", "proc", "journal", "bus", "personas", "conversation"] },
  scripts: { imports: shipped },
  page: { imports: [], types: ["web"] },
  bin: "anything",
  tools: "anything",
  examples: "anything",
  bench: "anything",
  test: "anything",
};

/** The folders that alone may import an outside thing: a package, or every package of a scope. */
export const owners: [things: string[], owners: string[]][] = [
  [["@nats-io/*"], ["bus"]],
  [
    ["execa", "node:child_process"],
    ["proc", "scripts"],
  ],
  [["chokidar"], ["journal", "personas"]],
  [["node-cron"], ["schedule"]],
  [["grammy"], ["channels"]],
  [["@slack/*", "imapflow", "nodemailer", "postal-mime"], ["channels"]],
  [["kysely", "pg", "uuid"], ["workspace"]],
  [["preact", "@preact/*", "preact-iso"], ["page"]],
  [["@codemirror/*"], ["page"]],
  [["openai", "@anthropic-ai/sdk", "@anthropic-ai/claude-agent-sdk", "@google/genai"], ["backends"]],
  [["@anthropic-ai/sandbox-runtime"], ["sandbox"]],
  [["@agentclientprotocol/*"], ["acp", "backends"]],
  [["@modelcontextprotocol/*"], ["mcp-tools", "backends", "scripts", "web"]],
  [
    ["node:http", "node:https", "node:http2", "fastify", "@fastify/*", "express", "hono", "@hono/*"],
    ["mcp-tools", "gateway", "channels", "web", "proc", "sandbox", "scripts"],
  ],
];

/** The files that load code of the user's: what that is, is known only when it runs. */
export const loadsAnything = ["mcp-tools/apps/app-host.ts"];
