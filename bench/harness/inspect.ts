/** Looks into a running Node process that was started with `--inspect`: what it waits for, and what it holds when all garbage is gone. */

/** Where the inspector listens, as the process says it on stderr. */
export function inspectorUrl(stderr: string): string {
  const url = /Debugger listening on (ws:\S+)/.exec(stderr)?.[1];
  if (url === undefined) throw new Error("the process doesn't say where its inspector listens");
  return url;
}

export type Insight = { timers: number; heapBytes: number };

/** Collects the garbage, then counts. */
export async function look(url: string): Promise<Insight> {
  const socket = new WebSocket(url);
  try {
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve);
      socket.addEventListener("error", () => reject(new Error(`no inspector at ${url}`)));
    });
    await call(socket, 1, "HeapProfiler.collectGarbage", {});
    const expression =
      "JSON.stringify({ timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length, heapBytes: process.memoryUsage().heapUsed })";
    const { result } = (await call(socket, 2, "Runtime.evaluate", { expression })) as { result: { value: string } };
    return JSON.parse(result.value) as Insight;
  } finally {
    socket.close();
  }
}

function call(socket: WebSocket, id: number, method: string, params: unknown): Promise<unknown> {
  return new Promise((resolve) => {
    const hear = ({ data }: MessageEvent) => {
      const answer = JSON.parse(String(data)) as { id?: number; result?: unknown };
      if (answer.id !== id) return;
      socket.removeEventListener("message", hear);
      resolve(answer.result);
    };
    socket.addEventListener("message", hear);
    socket.send(JSON.stringify({ id, method, params }));
  });
}
