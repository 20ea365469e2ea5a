/** `cortex up` at work for a long time: runs of several kinds, some at any moment, and what its programs hold meanwhile. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { activeRuns } from "../../journal/runs/active-runs.ts";
import { strayFile } from "../../journal/logs/program-logs.ts";
import { runFiles } from "../../journal/runs/list-runs.ts";
import { readRun } from "../../test/support/read-run.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { type AgentEvent, isTerminal } from "../../protocol/runs/event.ts";
import { programNames, UpJournal } from "../../test/supervisor/up-process.ts";
import { inspectorUrl, look } from "../harness/inspect.ts";
import { median } from "../harness/figures/spread.ts";

/** How many runs are in progress at any moment. */
const inFlight = 4;
/** Milliseconds after which it is told again what the programs hold. */
const tellEveryMs = 60_000;
/** From then on nothing may grow any more, as a share of the time; medians of so long a share are compared. */
const warmShare = 0.2;
const mayGrow: Record<string, number> = { descriptors: 4, timers: 4, heapMiB: 12, rssMiB: 48 };

const trivial = `read -r config; echo '{"event":"start"}'; echo '{"event":"text","text":"ü"}'; echo '{"event":"finish","result":"done"}'`;
const crash = `read -r config; echo "no" >&2; exit 3`;

/** One of each in turn. */
const kinds: Record<string, unknown>[] = [
  { prompt: "hello", backend: "trivial" },
  { prompt: "What did I decide about the garden?", backend: "offline" },
  { prompt: "saved and handed on", backend: "trivial", save: "soak.md", handoff: { prompt: "and then", handoff: {} } },
  { prompt: "dies", backend: "crash" },
  { prompt: "waits", backend: "waits" },
];

type Held = { program: string; descriptors: number; rssMiB: number; timers: number; heapMiB: number };

/** Works for so many minutes and prints what the programs hold. Resolves with what was broken. */
export async function soakUp(minutes: number): Promise<string[]> {
  const backends = {
    trivial: { command: ["/bin/sh", "-c", trivial] },
    crash: { command: ["/bin/sh", "-c", crash] },
    waits: { command: ["/bin/sh", "-c", "read -r config; read -r cancel; exit 1"] },
  };
  const settings = { default_backend: "trivial", stop_grace_seconds: 5, backends };
  await using journal = new UpJournal(settings, { NODE_OPTIONS: "--inspect=127.0.0.1:0" });
  const up = journal.start();
  await up.isUp();
  const bus = await journal.client();
  const ended = listen(bus);
  const until = performance.now() + minutes * 60_000;
  const measures: { minute: number; held: Held[] }[] = [];
  const work = Array.from({ length: inFlight }, (_, lane) => ask(bus, ended, lane, until));
  for (let minute = 0; performance.now() < until; minute++) {
    await delay(Math.min(tellEveryMs, Math.max(0, until - performance.now())));
    const held = await Promise.all(programNames.map((name) => heldBy(journal, name)));
    measures.push({ minute, held });
    tell(minute + 1, held, ended.size);
  }
  const asked = (await Promise.all(work)).flat();
  await journal.until(() => activeRuns(journal.path).length === 0, "nothing is in progress", 60_000);
  const broken = [...runsBroken(journal.path, asked), ...growth(measures)];
  process.stdout.write(`${asked.length} requests in ${minutes} minutes, ${broken.length} things broken\n`);
  await bus[Symbol.asyncDispose]();
  return broken;
}

/** Ids that have ended, and who waits for them. */
class Ends extends Map<string, number> {
  readonly #waiting = new Map<string, () => void>();

  hear({ agent_id }: AgentEvent): void {
    this.set(agent_id, (this.get(agent_id) ?? 0) + 1);
    this.#waiting.get(agent_id)?.();
    this.#waiting.delete(agent_id);
  }

  async of(agentId: string): Promise<void> {
    if (!this.has(agentId)) await new Promise<void>((resolve) => this.#waiting.set(agentId, resolve));
  }
}

function listen(bus: Bus): Ends {
  const ends = new Ends();
  bus.connection.subscribe("cortex.event.>", {
    callback: (_, message) => {
      const event = message.json<AgentEvent>();
      if (isTerminal(event)) ends.hear(event);
    },
  });
  return ends;
}

/** One run after the other; ids of their own for each lane. */
async function ask(bus: Bus, ends: Ends, lane: number, until: number): Promise<string[]> {
  const asked: string[] = [];
  let last = 0;
  for (let turn = lane; performance.now() < until; turn++) {
    last = Math.max(last + inFlight, Math.floor(Date.now() / inFlight) * inFlight + lane);
    const id = String(last);
    const kind = kinds[turn % kinds.length] ?? {};
    bus.connection.publish("cortex.request", JSON.stringify({ ts: last, ...kind }));
    asked.push(id);
    if (kind["backend"] === "waits") bus.connection.publish(`cortex.cancel.${id}`, "{}");
    await ends.of(id);
  }
  return asked;
}

async function heldBy(journal: UpJournal, program: string): Promise<Held> {
  const pid = journal.pids()[program] ?? 0;
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const rssMiB = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  const descriptors = readdirSync(`/proc/${pid}/fd`).length;
  if (program === "nats-server") return { program, descriptors, rssMiB, timers: 0, heapMiB: 0 };
  const { timers, heapBytes } = await look(inspectorUrl(readFileSync(strayFile(journal.path, program), "utf8")));
  return { program, descriptors, rssMiB, timers, heapMiB: heapBytes / 2 ** 20 };
}

function tell(minute: number, held: Held[], ended: number): void {
  const cells = held.map(
    ({ program, descriptors, timers, heapMiB, rssMiB }) =>
      `${program} ${descriptors} fd ${timers} timers ${heapMiB.toFixed(1)} heap ${rssMiB.toFixed(0)} MiB`,
  );
  process.stdout.write(`${String(minute).padStart(3)} min  ${ended} ended  ${cells.join("  ")}\n`);
}

/** Each request is one file with one terminal event, and nothing has no end. */
function runsBroken(journal: string, asked: string[]): string[] {
  const files = new Map([...runFiles(journal)].map(({ agentId, isActive }) => [agentId, isActive]));
  const missing = asked.filter((id) => files.get(id) !== false).map((id) => `${id} has no ended file`);
  const ends = asked.map((id) => (readRun(journal, id)?.events ?? []).filter(isTerminal).length);
  return [
    ...missing,
    ...ends.flatMap((count, index) => (count === 1 ? [] : [`${asked[index]}: ${count} terminal events`])),
  ];
}

/**
 * Compares medians, since what one moment holds depends on the runs under way: that of the time when all was warm,
 * beside that of the end.
 */
function growth(measures: { held: Held[] }[]): string[] {
  const span = Math.max(1, Math.floor(measures.length * warmShare));
  const warm = measures.slice(span, 2 * span);
  const end = measures.slice(-span);
  return programNames.flatMap((program, index) =>
    Object.entries(mayGrow).flatMap(([key, most]) => {
      const of = ({ held }: { held: Held[] }) => Number(held[index]?.[key as keyof Held]);
      const before = median(warm.map(of));
      const after = median(end.map(of));
      process.stdout.write(`${program} ${key}: ${before.toFixed(1)} → ${after.toFixed(1)}\n`);
      return after - before > most
        ? [`${program}: ${key} grew by ${(after - before).toFixed(1)} once it was warm`]
        : [];
    }),
  );
}
