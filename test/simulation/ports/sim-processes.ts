/** The agents of a simulated machine behind the port to processes. */
import type { RunProcesses } from "../../../cortex/ports/run-processes.ts";
import { lastPosition } from "../../../journal/run-folders/raw-cursor.ts";
import type { SimHost } from "../sim-host.ts";
import type { Rules } from "../rules.ts";

export function simProcesses(host: SimHost, { startedMarker }: Rules): RunProcesses {
  const folder = (agentId: string, attempt: number) => `${agentId}/${attempt}`;
  const runOf = (path: string): [agentId: string, attempt: number] => {
    const [agentId = "", attempt] = path.split("/");
    return [agentId, Number(attempt)];
  };
  const attemptOf = (path: string) => host.attempt(...runOf(path));
  return {
    folder,
    prepare: () => host.moment(),
    /** As process/start-process.ts: everything is prepared, then the bus is asked, then the process starts. */
    async start({ agentId, attempt, plan, mayStart }) {
      await host.moment();
      if (!(await mayStart)) return false;
      const script = String(plan.config["prompt"])
        .split(" ")
        .filter((word) => word !== "-");
      host.spawn(agentId, attempt, script, startedMarker);
      await host.moment();
      return true;
    },
    wasStarted: (path) => startedMarker && attemptOf(path).isStarted,
    mayLive(path) {
      const { code, agent } = attemptOf(path);
      return code === null && (agent === null || agent.isAlive);
    },
    exit(path) {
      const { code, stop } = attemptOf(path);
      return { code, stop };
    },
    async put(path, line) {
      if (line.includes('"cancel"')) host.ask(...runOf(path));
      await host.moment();
    },
    wakeFeeder: () => {},
    givenInputs: async () => new Set(),
    signal(path, signal) {
      const isAlive = attemptOf(path).agent?.isAlive === true;
      host.endAgent(...runOf(path), signal === "SIGKILL" ? null : 143);
      return isAlive;
    },
    sweep: async () => {},
    recordStop: (path, reason) => void (attemptOf(path).stop ??= reason),
    stopReason: (path) => attemptOf(path).stop,

    async *output(path, from) {
      const attempt = attemptOf(path);
      for (let at = from; ; ) {
        const isOver = !attempt.agent?.isAlive;
        if (attempt.out.length > at) {
          const text = attempt.out.slice(at);
          at += text.length;
          yield Buffer.from(text);
        } else if (isOver) return;
        else await host.news();
      }
    },
    async *outputSoFar(path, from) {
      const text = attemptOf(path).out.slice(from);
      if (text !== "") yield Buffer.from(text);
    },
    position: (path, nextSeq) => lastPosition(attemptOf(path).cursor.split("\n").slice(0, -1).toReversed(), nextSeq),
    async notePosition(path, nextSeq, { offset, skip }) {
      attemptOf(path).cursor += `${nextSeq} ${offset} ${skip}\n`;
      await host.moment();
    },
    printed: () => 0,
    errors: async () => "",
  };
}
