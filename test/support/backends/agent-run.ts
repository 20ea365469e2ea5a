/** A run of the loop in this process, with its events kept and a clock that doesn't wait. */
import { runWithModel } from "../../../backends/loop/agent.ts";
import type { Clock } from "../../../backends/provider/clock.ts";
import { Inbox } from "../../../backends/loop/run/inbox.ts";
import type { Provider } from "../../../backends/provider/provider.ts";
import type { Run } from "../../../backends/loop/run/run.ts";
import { runAgent } from "../../../backends/loop/run/run.ts";
import type { EventBody } from "../../../protocol/runs/event.ts";
import { RunConfig } from "../../../protocol/runs/run-config.ts";

/** Time stands still but for what is slept; dice fall in the middle. */
export class StillClock implements Clock {
  time = 1_736_380_800_000;
  slept: number[] = [];
  readonly #waiting = new Set<{ at: number; act: () => void }>();
  now = () => this.time;
  random = () => 0.5;
  sleep = (ms: number, signal: AbortSignal) => {
    signal.throwIfAborted();
    this.slept.push(ms);
    this.time += ms;
    return Promise.resolve();
  };
  after = (ms: number, act: () => void) => {
    const one = { at: this.time + ms, act };
    this.#waiting.add(one);
    return { [Symbol.dispose]: () => void this.#waiting.delete(one) };
  };
  /** Lets time go by: what is due is called back. */
  pass = (ms: number) => {
    this.time += ms;
    for (const one of [...this.#waiting].filter(({ at }) => at <= this.time)) {
      this.#waiting.delete(one);
      one.act();
    }
  };
}

export type TestRun = Run & {
  events: EventBody[];
  clock: StillClock;
  cancel(): void;
  /** The events of some names, without what differs from run to run. */
  named(...names: string[]): EventBody[];
};

export function testRun(config: Record<string, unknown>, onEvent: (event: EventBody) => void = () => {}): TestRun {
  const events: EventBody[] = [];
  const cancelled = new AbortController();
  return {
    config: RunConfig.parse({ prompt: "hello", ...config }),
    environment: {},
    emit: (event) => {
      events.push(structuredClone(event));
      onEvent(event);
      return Promise.resolve();
    },
    inbox: new Inbox(),
    clock: new StillClock(),
    signal: cancelled.signal,
    events,
    cancel: () => cancelled.abort(),
    named: (...names) => events.filter(({ event }) => names.includes(event)),
  };
}

/** Runs it to its terminal event, whatever that is. */
export async function runScript(run: TestRun, provider: Provider): Promise<EventBody[]> {
  await runAgent(run, () => (own) => runWithModel(provider, own));
  return run.events;
}
