/** The output of `cortex up`: changes of the programs, and once all are up, where everything is. */
import { setTimeout as delay } from "node:timers/promises";
import { usableSettings } from "../../journal/config/settings.ts";
import type { ProgramStatus } from "../../journal/programs/supervised.ts";
import { adapterProgram } from "../../protocol/agents/channel-settings.ts";
import type { SupervisorEvent } from "../../protocol/programs/supervisor-event.ts";
import { joinCommand, offerOf } from "../../supervisor/programs/bus-listening.ts";
import type { System } from "../../supervisor/up.ts";
import { asTyped } from "../command/typed-command.ts";
import { tellUp } from "./detached-up.ts";

const page = adapterProgram("web");
const pageWithinMs = 5000;

/** Prints a change of a program. */
export function printEvent({ event, program, pid, reason }: SupervisorEvent): void {
  const words: Partial<Record<SupervisorEvent["event"], string>> = {
    started: `${program} is started, pid ${pid}`,
    adopted: `${program} runs already, pid ${pid}`,
    backing_off: `${program} ${reason}; it is started again`,
    failed: asTyped(`${program} has failed: ${reason}; see: cortex logs ${program}`),
  };
  const text = words[event];
  if (text !== undefined) process.stdout.write(`${text}\n`);
}

/** Waits until the web channel is ready or has failed, not for long: only its address is missing. */
async function pageIsSettled(system: System): Promise<void> {
  const isComing = () =>
    system.programs.some(({ name, state }) => name === page && state !== "ready" && state !== "failed");
  for (const deadline = performance.now() + pageWithinMs; isComing() && performance.now() < deadline; await delay(20));
}

/** Prints where everything is, to the terminal or to the process that started this one detached. */
export async function printUp(system: System, journal: string): Promise<void> {
  await pageIsSettled(system);
  const { nats_url, mcp_url, web_url } = await system.endpoints();
  const offer = system.isWorker ? null : offerOf(journal, usableSettings(journal).settings.bus);
  const rows = [
    ["journal", journal],
    ["bus", nats_url],
    ["tools", mcp_url ?? "-"],
    ...(web_url === undefined ? [] : [["web", web_url]]),
    ["pid", String(process.pid)],
    ...(offer ? [["join", joinCommand(offer)]] : []),
  ];
  const up = `cortex is up\n${rows.map(([name, value]) => `  ${name?.padEnd(8)} ${value}\n`).join("")}`;
  process.stdout.write(up);
  tellUp({ up, failed: system.programs.filter(({ state }) => state === "failed").map(whyFailed) });
}

const whyFailed = ({ name, reason }: ProgramStatus) =>
  asTyped(`${name} has failed: ${reason}; see: cortex logs ${name}`);
