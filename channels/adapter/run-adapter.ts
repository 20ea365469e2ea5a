/** Run of an adapter: it takes messages in, and the outbox's dispatcher has it deliver those that go out. */
import { publishDecision, publishInbound } from "../../bus/agents/inbound.ts";
import { type DeliveryLimits, type DispatcherDeps, OutboxDispatcher, usualLimits } from "./outbox-dispatcher.ts";

export type AdapterRun = Omit<DispatcherDeps, "limits"> & {
  limits?: DeliveryLimits;
  /** Called when it takes messages in. */
  onReady: (started: { url?: string }) => Promise<void>;
};

/**
 * Runs an adapter until the signal.
 * @throws what it gave up with, or what kept it from starting
 */
export async function runAdapter({ limits = usualLimits, ...deps }: AdapterRun): Promise<void> {
  const { adapter, bus, onReady, signal } = deps;
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const dispatcher = new OutboxDispatcher({ ...deps, limits, signal: until });
  const { url } = await adapter.start({
    send: async (message) => ({ isRepeated: !(await publishInbound(bus, message)) }),
    decide: async (token, decision) =>
      void (await publishDecision(bus, token, { ...decision, channelType: adapter.type })),
    giveUp: (error) => over.abort(error),
  });
  try {
    await onReady(url === undefined ? {} : { url });
    await dispatcher.reportLeftovers();
    await dispatcher.dispatchAll();
    if (over.signal.aborted) throw over.signal.reason;
  } finally {
    await adapter.stop();
  }
}
