/** Answers and requests over HTTP that break off in the middle of their body, whose head has promised all of it. */
import { request, type ServerResponse } from "node:http";

type Headers = Record<string, string>;

/** Sends half an answer, and breaks the connection. */
export function answerHalf(response: ServerResponse, status: number, headers: Headers, body: string | Buffer): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...headers, "Content-Length": bytes.length });
  response.write(bytes.subarray(0, bytes.length >> 1), () => response.socket?.destroy());
}

/** Posts half a body, and breaks the connection. Resolves when it is closed. */
export async function postHalf(url: string, headers: Headers, body: string): Promise<void> {
  const bytes = Buffer.from(body);
  const post = request(url, { method: "POST", headers: { ...headers, "Content-Length": bytes.length } });
  const closed = Promise.withResolvers<void>();
  // That it hangs up is our doing.
  post.on("error", () => {}).once("close", closed.resolve);
  post.write(bytes.subarray(0, bytes.length >> 1), () => post.destroy());
  await closed.promise;
}
