/** The coding agents that are known by name and come from the npm registry, each as its own tests run it. */
import { testCoder } from "../../test/backends/acp/coder-rules.ts";
import { coderPackages, coderPrograms } from "./programs.ts";

/** Models that make Codex offer its tools one by one: to newer ones it offers a language in which they write programs. */
const fields = { codex: { model: "gpt-5.5" } };

for (const backend of Object.keys(coderPackages))
  testCoder({
    backend,
    programs: coderPrograms,
    // Gemini CLI finds none of its sessions again, and is given the conversation as text.
    keepsSession: backend !== "gemini-cli",
    fields: fields[backend as keyof typeof fields] ?? {},
  });
