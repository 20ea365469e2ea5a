/** Node's fetch gives up after five minutes without a byte, which a local model may well need for a long prompt. The clocks are the run's. */

type Dispatcher = NonNullable<RequestInit["dispatcher"]>;

/** The dispatcher that fetch uses, proxy and all, told not to give up. It is exported by no module. */
export function patientDispatcher(): Dispatcher {
  void new Headers(); // the first use of anything of fetch's puts the dispatcher in its place
  const inUse = Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1")) as Dispatcher;
  const dispatch: Dispatcher["dispatch"] = (options, handler) =>
    inUse.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
  return { dispatch } as Dispatcher;
}
