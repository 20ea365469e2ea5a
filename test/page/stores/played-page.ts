/** The page's stores without a browser and without a server: the test answers each read when it likes, and tells events. */
import { registerHooks } from "node:module";
import type { events } from "../../../web/client/api-types.ts";

type Live = typeof import("../../../page/live/machine-events.ts");

/** A read that is on its way. */
export type Asked = { url: URL; answer(body: unknown, status?: number): void };

const page = new URL("../../../page/", import.meta.url).href;
/** A page asks its own origin. */
const origin = "http://page";

export class PlayedPage implements AsyncDisposable {
  /** Modules that are imported with this mark, and those that they import, are this page's own. */
  readonly #mark: string;
  readonly #hooks;
  readonly #real = { fetch: globalThis.fetch, Request: globalThis.Request };
  readonly #asked: Asked[] = [];
  #noticed: () => void = () => {};
  #events: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** The status that the live stream is refused with. */
  #refused: number | null = null;

  constructor(mark: string) {
    this.#mark = `?${mark}`;
    this.#hooks = registerHooks({
      resolve: (specifier, context, next) => {
        const { url, ...resolved } = next(specifier, context);
        const isOwn = context.parentURL?.endsWith(this.#mark) === true && url.startsWith(page);
        return { ...resolved, url: isOwn ? url + this.#mark : url };
      },
    });
    const { Request: RealRequest } = this.#real;
    globalThis.Request = class extends RealRequest {
      constructor(input: string | URL | Request, init?: RequestInit) {
        super(typeof input === "string" && input.startsWith("/") ? origin + input : input, init);
      }
    };
    globalThis.fetch = (input, init) => {
      const request = input instanceof Request ? input : new Request(input, init);
      return this.#answer(new URL(request.url), request.signal);
    };
    Object.assign(globalThis, { document: { hidden: false, addEventListener() {} }, addEventListener() {} });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#events) {
      const { liveState } = await this.#live();
      this.#refused ??= 403;
      this.#events.close();
      await new Promise<void>((resolve) => void liveState.subscribe(({ kind }) => kind === "refused" && resolve()));
    }
    this.#hooks.deregister();
    Object.assign(globalThis, this.#real);
    for (const name of ["document", "addEventListener"]) Reflect.deleteProperty(globalThis, name);
  }

  module<Module>(path: string): Promise<Module> {
    return import(`${page}${path}${this.#mark}`);
  }

  /** Begins to listen. */
  async listen(): Promise<void> {
    const { startListening, liveState } = await this.#live();
    startListening();
    await new Promise<void>((resolve) => void liveState.subscribe(({ kind }) => kind === "live" && resolve()));
  }

  /** Begins to listen while the server isn't there yet; returns what makes it be there. */
  async listenInVain(): Promise<() => Promise<void>> {
    const { startListening, liveState } = await this.#live();
    const become = (wanted: string) =>
      new Promise<void>((resolve) => void liveState.subscribe(({ kind }) => kind === wanted && resolve()));
    this.#refused = 503;
    startListening();
    await become("cut off");
    return async () => {
      this.#refused = null;
      await Promise.race([become("back"), become("live")]);
    };
  }

  /** Tells an event; afterwards the stores have heard it. */
  async tell<Name extends keyof events>(event: Name, data: object): Promise<void> {
    const { onMachineEvent } = await this.#live();
    const heard = Promise.withResolvers<void>();
    const end = onMachineEvent(event, () => heard.resolve());
    this.#events?.enqueue(new TextEncoder().encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
    await heard.promise;
    end();
  }

  /** The next read of a path that nobody has answered yet. */
  async asked(path: string): Promise<Asked> {
    for (;;) {
      const at = this.#asked.findIndex(({ url }) => url.pathname === `/api/v1/${path}`);
      const [found] = at === -1 ? [] : this.#asked.splice(at, 1);
      if (found) return found;
      await new Promise<void>((resolve) => (this.#noticed = resolve));
    }
  }

  /** How many reads of a path wait for an answer that nobody has taken on. */
  waiting(path: string): number {
    return this.#asked.filter(({ url }) => url.pathname === `/api/v1/${path}`).length;
  }

  #live(): Promise<Live> {
    return this.module<Live>("live/machine-events.ts");
  }

  async #answer(url: URL, ended: AbortSignal): Promise<Response> {
    if (url.pathname === "/api/v1/events") return this.#eventStream();
    if (url.pathname === "/api/v1/session") return Response.json({ csrf_token: "x" });
    const answer = Promise.withResolvers<Response>();
    ended.addEventListener("abort", () => answer.reject(ended.reason));
    this.#asked.push({ url, answer: (body, status = 200) => answer.resolve(Response.json(body, { status })) });
    this.#noticed();
    return answer.promise;
  }

  #eventStream(): Response {
    if (this.#refused !== null) return new Response(null, { status: this.#refused });
    const stream = new ReadableStream<Uint8Array>({ start: (controller) => void (this.#events = controller) });
    return new Response(stream, { headers: { "Last-Event-ID": "1" } });
  }
}
