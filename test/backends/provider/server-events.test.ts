import { expect, test } from "vitest";
import { ProviderError } from "../../../backends/provider/provider.ts";
import { streamDone, serverEvents, type StreamFailures } from "../../../backends/provider/server-events.ts";

const failures: StreamFailures = {
  broken: (cause) => new ProviderError("the stream broke", { isBroken: true, cause }),
  page: (status, page) => new ProviderError(`${status}: ${page}`, { status }),
};

/** Reads the events of a server's stream that comes in these pieces. */
async function read(pieces: Iterable<Uint8Array>): Promise<unknown[]> {
  const response = new Response(ReadableStream.from(pieces), { headers: { "content-type": "text/event-stream" } });
  return await Array.fromAsync(serverEvents(response, failures));
}

const bytes = (text: string) => new TextEncoder().encode(text);

test.each([
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
])("a stream with lines that end in %s is read whole, torn between any two bytes", async (_, end) => {
  const lines = [
    ": hello",
    'data: {"a":"🌻"}',
    "",
    "event: x",
    "id: 1",
    "data:[1,",
    "data: 2]",
    "",
    "odd",
    "data: [DONE]",
    "",
    ": bye",
    "",
  ];
  const all = bytes(lines.join(end));
  const expected = [{ a: "🌻" }, [1, 2], streamDone];
  for (let at = 0; at <= all.length; at++)
    expect(await read([all.subarray(0, at), all.subarray(at)])).toEqual(expected);
  expect(await read([...all].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
});

test("an event of a megabyte is read, in whatever pieces it comes", async () => {
  const text = "x".repeat(2 ** 20);
  const all = bytes(`data: ${JSON.stringify(text)}\n\n`);
  const pieces = Array.from({ length: Math.ceil(all.length / 1_000) }, (_, at) =>
    all.subarray(at * 1_000, (at + 1) * 1_000),
  );
  expect(await read(pieces)).toEqual([text]);
});

test("an event that the end of the stream cuts off is none", async () => {
  expect(await read([bytes("data: 1\n\ndata: 2\n")])).toEqual([1]);
});

const megabyte = "x".repeat(2 ** 20);

test.each([
  ["a line", bytes(megabyte)],
  ["lines of one event", bytes(`data: ${megabyte}\n`)],
])("a stream that never ends is given up: %s", async (_, piece) => {
  await expect(read(Array.from({ length: 66 }, (_, at) => (at === 0 ? bytes("data: ") : piece)))).rejects.toMatchObject(
    { message: "the stream broke", cause: { message: "an event without an end" } },
  );
});

test("a page in place of a stream is told with its status and its beginning", async () => {
  const page = new Response("<html>Please sign in</html>", { headers: { "content-type": "text/html" } });
  await expect(Array.fromAsync(serverEvents(page, failures))).rejects.toThrow("200: <html>Please sign in</html>");
});
