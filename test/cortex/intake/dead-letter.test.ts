/**
 * The requests that couldn't be taken in many deliveries are put away, unless they had been taken or refused: then they
 * only lacked the rest.
 */
import { expect, test } from "vitest";
import type { Bus } from "../../../bus/connection/connect.ts";
import { deadLetters, resendDeadLetter } from "../../../bus/runs/dead-letters.ts";
import { Ledger } from "../../../bus/claims/ledger.ts";
import { defaultMaxPayload, mostMessageBytes } from "../../../bus/events/message-size.ts";
import { publishRequest, storedRequest, storedRequests } from "../../../bus/runs/requests.ts";
import { deadLetterDelivery } from "../../../cortex/intake/dead-letter.ts";
import { RequestErasure } from "../../../cortex/intake/request-erasure.ts";
import { systemClock } from "../../../cortex/model/clock.ts";
import { busRequests } from "../../../cortex/ports/bus-requests.ts";
import { journalFiles } from "../../../cortex/ports/run-files.ts";
import { logOf } from "../../../proc/logging/log.ts";
import { contentHash } from "../../../protocol/runs/request/request-content.ts";
import { BusServer } from "../../bus/bus-server.ts";

const log = logOf("test");
log.level = "silent";
const request = { ts: 1_736_380_800_000, prompt: "hello" };
const hash = contentHash(request);

async function deadLetter(server: BusServer, bus: Bus, ledger: Ledger): Promise<void> {
  const claims = { get: () => undefined, takeClaim: async () => false, end: async () => false };
  const requests = busRequests(bus);
  const files = journalFiles(server.journal);
  const erasure = new RequestErasure(requests);
  const parts = { clock: systemClock, files, requests, worker: "here", ledger, claims, erasure, log };
  for await (const delivery of storedRequests(bus, new AbortController().signal))
    return deadLetterDelivery(parts, delivery, "no");
}

test("a message that can't be a request is refused once more and erased: no letter keeps its secrets", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  const refused = bus.connection.subscribe("cortex.rejected", { max: 1 });
  await bus.js.publish("cortex.request", JSON.stringify({ env: { KEY: "told once" } }));
  await deadLetter(server, bus, await Ledger.open(bus));
  for await (const message of refused)
    expect(message.json()).toMatchObject({ reason: "invalid", error: expect.stringContaining("prompt") });
  expect(await storedRequest(bus, 1)).toBe(null);
  expect(await deadLetters(bus)).toEqual([]);
});

test("a copy of what is recorded under another place is not a letter", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  const ledger = await Ledger.open(bus);
  await ledger.record(String(request.ts), { hash, stream_seq: 7 });
  await publishRequest(bus, request, hash);
  await deadLetter(server, bus, ledger);
  expect(await deadLetters(bus)).toEqual([]);
});

test("a request isn't put away while the bus doesn't say whether it was taken", async () => {
  await using server = await BusServer.start();
  const [bus, other] = [await server.as("cortex"), await server.as("cortex")];
  const ledger = await Ledger.open(other);
  await publishRequest(bus, request, hash);
  await other.connection.close();
  await expect(deadLetter(server, bus, ledger)).rejects.toThrow("closed");
  expect(await deadLetters(bus)).toEqual([]);
});

const jsonOf = (bytes: number) => {
  const empty = JSON.stringify({ prompt: "" });
  return JSON.stringify({ prompt: "x".repeat(bytes - empty.length) });
};

test("a request of nearly all that the bus takes is a letter as well, and can be sent again", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  const refused = bus.connection.subscribe("cortex.rejected", { max: 1 });
  const data = jsonOf(mostMessageBytes(bus) - 500);
  await bus.js.publish("cortex.request", data);
  await deadLetter(server, bus, await Ledger.open(bus));
  const [stored] = await deadLetters(bus);
  expect(stored?.letter).toMatchObject({ reason: "undeliverable", error: "no", stream_seq: 1 });
  expect(Buffer.from(stored?.letter.data ?? "", "base64").toString() === data).toBe(true);
  for await (const message of refused) expect(message.string()).toMatch(/"prompt":"xx/);
  expect(await storedRequest(bus, 1)).toBe(null);
  if (stored) await resendDeadLetter(bus, stored);
  expect(Buffer.from((await storedRequest(bus, 2)) ?? []).toString() === data).toBe(true);
});

test("a request that fills a message to the last byte ends, too: its reason is kept, and says so", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  bus.connection.publish("cortex.request", jsonOf(defaultMaxPayload));
  await deadLetter(server, bus, await Ledger.open(bus));
  const [stored] = await deadLetters(bus);
  expect(stored?.letter.error).toBe(`no. Its ${defaultMaxPayload} bytes are too many to be kept`);
  expect(stored?.letter.data).toBe(undefined);
  expect(await storedRequest(bus, 1)).toBe(null);
});

test("a message that can't be a request and is of full size is refused in words, not delivered again for ever", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  const refused = bus.connection.subscribe("cortex.rejected", { max: 2 });
  for (const promt of ["x".repeat(1_048_000), Array.from({ length: 260_000 }, () => 10)]) {
    bus.connection.publish("cortex.request", JSON.stringify({ promt, all: "x".repeat(260_000) }).slice(0, 1_048_500));
    await deadLetter(server, bus, await Ledger.open(bus));
  }
  for await (const message of refused)
    expect(message.json()).toMatchObject({ reason: "invalid", error: expect.any(String) });
  expect(await storedRequest(bus, 1)).toBe(null);
  expect(await storedRequest(bus, 2)).toBe(null);
});
