/** The receiver of the webhook's posts: a small HTTP server that notes what comes, and answers as it is told. */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { keptConnections } from "../support/network/kept-connections.ts";

export type Posted = { headers: IncomingHttpHeaders; body: string };
/** A status with headers; `reset` breaks the connection off once the body was read, `torn` in the middle of the status. */
export type Answer = { status: number; headers?: Record<string, string> } | "reset" | "torn";

export class Receiver implements AsyncDisposable {
  readonly posted: Posted[] = [];
  /** All that came and wasn't refused. */
  readonly taken: Posted[] = [];
  /** The next ones, then always 200. */
  readonly answers: (Answer | Promise<Answer>)[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(keptConnections, (request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      request.on("end", () => {
        const posted = { headers: request.headers, body };
        this.posted.push(posted);
        void Promise.resolve(this.answers.shift() ?? { status: 200 }).then((answer) => {
          if (typeof answer === "string" || answer.status < 400) this.taken.push(posted);
          if (answer === "reset") request.socket.destroy();
          else if (answer === "torn") request.socket.write("HTTP/1.1 2", () => request.socket.destroy());
          else response.writeHead(answer.status, answer.headers ?? {}).end("{}");
        });
      });
    });
  }

  static async start(port = 0): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => void receiver.#server.listen(port, "127.0.0.1", resolve));
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** The ids of what came, each as often as it came. */
  get ids(): string[] {
    return this.posted.map(({ body }) => (JSON.parse(body) as { id: string }).id);
  }

  /** Breaks all connections. */
  drop(): void {
    this.#server.closeAllConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
