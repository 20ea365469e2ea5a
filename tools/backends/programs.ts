/** Where the coding agents of `npm run backends` are installed: outside of this package, since none of them is a dependency. */
import { homedir } from "node:os";
import { join } from "node:path";

export const coderFolder = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "cortex", "coders");
export const coderPrograms = join(coderFolder, "node_modules", ".bin");

/** Their packages: those of presets whose version was tried. */
export const coderPackages = {
  codex: "@agentclientprotocol/codex-acp",
  "gemini-cli": "@google/gemini-cli",
  opencode: "opencode-ai",
  "claude-code": "@agentclientprotocol/claude-agent-acp",
} as const;
