/** A wish to stop that is told again and again: a run, the agents' service or the bus may be away when it is told. */

const againMs = 1000;

/** Tells it once the signal aborts, and again each second, until it is disposed of. */
export function tellingAgain(cancel: AbortSignal, tell: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const begin = () => {
    tell();
    timer = setInterval(tell, againMs).unref();
  };
  if (cancel.aborted) begin();
  else cancel.addEventListener("abort", begin, { once: true });
  return {
    [Symbol.dispose]: () => {
      cancel.removeEventListener("abort", begin);
      clearInterval(timer);
    },
  };
}
