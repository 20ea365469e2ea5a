/** Whether commands that agents run can be walled in: a sandbox is really tried. */
import { sandboxHere, sandboxRemedy } from "../../sandbox/sandbox-level.ts";
import type { Finding } from "./check.ts";

export async function checkSandbox(): Promise<Finding> {
  const name = "sandbox";
  const found = await sandboxHere();
  if (found.level === "none")
    return {
      name,
      ok: "warn",
      detail: `none: ${found.why}; runs whose tools hold bash, and programs that ask for a sandbox, are refused`,
      remedy: sandboxRemedy(found),
    };
  const detail = `${found.level}: commands write to their work folder alone, and reach no host but those of "network"`;
  return { name, ok: "ok", detail };
}
