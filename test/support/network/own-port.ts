/** A port for a test's own server: the system gives it to nobody else, and no other test takes it while the server is being started again. */
import { freePort } from "../../../proc/os/free-port.ts";

/** Below what the system gives to whoever asks for any port. Each of vitest's workers has a share of its own. */
const lowest = 10_000;
const perWorker = 2000;
const share = lowest + (Number(process.env["VITEST_POOL_ID"] ?? 0) % 10) * perWorker;
// Another run of the tests on this machine begins elsewhere.
let next = Math.floor(Math.random() * perWorker);

/** The address of a server that isn't there. */
export const addressOfNobody = async () => `http://127.0.0.1:${await ownPort()}/`;

export async function ownPort(): Promise<number> {
  for (;;) {
    const port = share + (next++ % perWorker);
    if ((await freePort(port)) === port) return port;
  }
}
