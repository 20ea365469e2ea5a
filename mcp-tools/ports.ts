/** Which port the server listens on: the one that was asked for, else the one it had before, so that living runs find it again. */
import { readProgramRecord } from "../journal/programs.ts";
import { readSettings } from "../journal/settings.ts";

/** The name under which the server tells where it is. */
export const programName = "mcp-tools";

const usualPort = 6270;

/**
 * The ports to try, the last of them 0: any that is free.
 * @param asked `CORTEX_MCP_PORT`; undefined: the settings decide. 0: any, but rather the one it had before
 */
export async function portsToTry(
  journal: string,
  asked: number | undefined,
  onProblem: (error: unknown) => void,
): Promise<number[]> {
  const wanted = asked ?? portOfSettings(journal, onProblem);
  const former = portOf((await readProgramRecord(journal, programName))?.url);
  const ports = wanted === undefined ? [former, usualPort] : [wanted, former];
  return [...new Set(ports.filter((port) => port !== undefined && port > 0)), 0].map(Number);
}

/** Settings that can't be read don't keep the tools down: the usual port does. */
function portOfSettings(journal: string, onProblem: (error: unknown) => void): number | undefined {
  try {
    return readSettings(journal).settings.mcp?.port;
  } catch (error) {
    onProblem(error);
    return undefined;
  }
}

function portOf(url: string | undefined): number | undefined {
  return url !== undefined && URL.canParse(url) ? Number(new URL(url).port) || undefined : undefined;
}
