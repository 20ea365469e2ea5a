/** Whether a bus is healthy: the server that is meant takes a word and gives it back. That its port answers proves nothing. */
import { randomUUID } from "node:crypto";
import { Kvm } from "@nats-io/kv";
import { type BusAddress, openBus } from "../connection/connect.ts";

const bucket = "cortex_health";
/** The size of the bucket, which keeps the latest value alone. */
const maxBytes = 64 * 1024;

/** @param serverName the name that the server was started with: another one on its port is not it */
export async function isHealthy(address: BusAddress, serverName: string, timeoutMs: number): Promise<boolean> {
  await using bus = await openBus(address, "supervisor", timeoutMs);
  if (bus.connection.info?.server_name !== serverName) return false;
  const kv = await new Kvm(bus.js).create(bucket, { history: 1, max_bytes: maxBytes });
  const word = randomUUID();
  await kv.put("word", word);
  return (await kv.get("word"))?.string() === word;
}
