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

/** Maps the SDK's error to a failure of the run. `stderr`: the end of the program's stderr. */
export function sdkFailure(error: unknown, stderr: string): RunFailure {
  const said = messageWithCauses(error);
  // The SDK throws a plain Error without a code here, so that its words are all there is to know it by.
  if (/native (cli )?binary/i.test(said))
    return new RunFailure("config", `the claude backend lacks Claude Code's program: ${remedy} (${said})`, {
      cause: error,
    });
  const end = stderr.trim();
  return new RunFailure("provider", `claude stopped: ${said}${end === "" || said.includes(end) ? "" : `: ${end}`}`, {
    cause: error,
  });
}
