/** Which ports a server tries: the one that was asked for, else the one it had before, so that whoever knew it finds it again. */
import type { Settings } from "../../protocol/settings/settings.ts";
import { readProgramRecord } from "./programs.ts";
import { usableSettings } from "../config/settings.ts";

export type PortWishes = {
  /** The name under which the server tells where it is. */
  program: string;
  /** From the environment; undefined: the settings decide. 0: any, but rather the one it had before. */
  asked: number | undefined;
  ofSettings: (settings: Settings) => number | undefined;
  usual: number;
  /** Settings that can't be read don't keep a server down: the usual port does. */
  onProblem: (error: unknown) => void;
};

/** The ports to try, the last of them 0: any that is free. */
export async function portsToTry(journal: string, wishes: PortWishes): Promise<number[]> {
  const wanted = wishes.asked ?? portOfSettings(journal, wishes);
  const former = portOf((await readProgramRecord(journal, wishes.program))?.url);
  const ports = wanted === undefined ? [former, wishes.usual] : [wanted, former];
  return [...new Set(ports.filter((port) => port !== undefined && port > 0)), 0].map(Number);
}

function portOfSettings(journal: string, { ofSettings, onProblem }: PortWishes): number | undefined {
  try {
    return ofSettings(usableSettings(journal).settings);
  } catch (error) {
    onProblem(error);
    return undefined;
  }
}

function portOf(url: string | undefined): number | undefined {
  return url !== undefined && URL.canParse(url) ? Number(new URL(url).port) || undefined : undefined;
}
