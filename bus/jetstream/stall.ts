/**
 * Notices that a consumer has fallen silent although its stream has more for it. The consumers that read in order live on
 * one server of a cluster; when that dies, the client may notice after minutes, or never.
 */
import type { Bus } from "../connection/connect.ts";

const lookEveryMs = 3000;

/**
 * @param delivered up to which message the consumer has come
 * @param onStall called once, when it hasn't moved from one look to the next although there was more
 */
export function watchForStall(
  bus: Bus,
  stream: string,
  { delivered, onStall }: { delivered: () => number; onStall: () => void },
): Disposable {
  let before: { at: number; last: number } | null = null;
  const look = async () => {
    const manager = await bus.manager();
    const { last_seq: last } = (await manager.streams.info(stream)).state;
    const at = delivered();
    if (before && at === before.at && before.last > at) return end();
    before = { at, last };
  };
  const end = () => {
    clearInterval(timer);
    onStall();
  };
  const timer = setInterval(() => {
    look().catch(() => {}); // no leader answers: the next look will tell
  }, lookEveryMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
