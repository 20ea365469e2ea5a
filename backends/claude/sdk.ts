/** The Claude Agent SDK, which brings a program of several hundred megabytes and is therefore installed by those who want it. */
import { messageWithCauses, RunFailure } from "../provider/failure.ts";

const remedy = "npm install @anthropic-ai/claude-agent-sdk";

/** @throws RunFailure where it isn't installed */
export async function loadSdk(): Promise<typeof import("@anthropic-ai/claude-agent-sdk")> {
  try {
    return await import("@anthropic-ai/claude-agent-sdk");
  } catch (error) {
    throw new RunFailure(
      "config",
      `the claude backend needs the Claude Agent SDK: ${remedy} (${messageWithCauses(error)})`,
      {
        cause: error,
      },
    );
  }
}

/** What the SDK threw, as a failure of the run. `stderr`: the end of what its program said there. */
export function sdkFailure(error: unknown, stderr: string): RunFailure {
  const said = messageWithCauses(error);
  if (/native (cli )?binary/i.test(said))
    return new RunFailure("config", `the claude backend lacks Claude Code's program: ${remedy} (${said})`, {
      cause: error,
    });
  const end = stderr.trim();
  return new RunFailure("provider", `claude stopped: ${said}${end === "" || said.includes(end) ? "" : `: ${end}`}`, {
    cause: error,
  });
}
