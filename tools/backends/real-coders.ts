/** The coding agents that are known by name and come from the npm registry, each as its own tests run it. */
import { testCoder } from "../../test/backends/acp/coder-rules.ts";
import { acpPresetNames } from "../../protocol/settings/acp-presets.ts";
import { coderPrograms } from "./programs.ts";

/** Models that make Codex offer its tools one by one: to newer ones it offers a language in which they write programs. */
const fields = { codex: { model: "gpt-5.5" } };

const wanted = (process.env["CODERS"] ?? "claude-code,codex,gemini-cli,opencode").split(",");

for (const backend of acpPresetNames.filter((name) => wanted.includes(name)))
  testCoder({
    backend,
    programs: coderPrograms,
    // Gemini CLI finds none of its sessions again, and is given the conversation as text.
    keepsSession: backend !== "gemini-cli",
    fields: fields[backend as keyof typeof fields] ?? {},
  });
