/** The body of an answer as a web stream: read from the connection no faster than it is read from here. */
import type { IncomingMessage } from "node:http";

/** `failureOf` makes what readers get of what broke it. One that ends before it is whole is broken, and never just at its end. */
export function bodyStream(
  message: IncomingMessage,
  failureOf: (error: Error | undefined) => unknown,
): ReadableStream<Uint8Array> {
  let isOver = false;
  let error: Error | undefined;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      message.on("data", (bytes: Buffer) => {
        if (isOver) return;
        controller.enqueue(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
        if ((controller.desiredSize ?? 0) <= 0) message.pause();
      });
      message.on("error", (thrown) => void (error = thrown));
      message.on("end", () => {
        if (isOver || !message.complete) return;
        isOver = true;
        controller.close();
      });
      message.on("close", () => {
        if (isOver) return;
        isOver = true;
        controller.error(failureOf(error));
      });
    },
    pull() {
      message.resume();
    },
    cancel() {
      isOver = true;
      // The connection of a whole answer can be used again; for the rest of another nobody knows how long it would be.
      return message.complete ? readOut(message) : void message.destroy();
    },
  });
}

/** Resolves when nothing more comes, so that whoever asks next finds the connection free. */
export function readOut(message: IncomingMessage): Promise<void> {
  return new Promise((resolve) => void message.once("close", resolve).resume());
}
