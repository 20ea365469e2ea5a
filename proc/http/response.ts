/** An answer: what the platform's `Response` does for those who only read one. Its body is read once, as there. */
import { type HeadersSource, PlainHeaders } from "./headers.ts";

export type ResponseBody = string | Uint8Array | ReadableStream<Uint8Array> | null;

type Bytes = Uint8Array<ArrayBuffer>;

export type ResponseInit = {
  status?: number | undefined;
  statusText?: string | undefined;
  headers?: HeadersSource;
  /** Where it came from, in the end. */
  url?: string;
  redirected?: boolean;
};

export class PlainResponse implements Response {
  readonly status: number;
  readonly statusText: string;
  readonly headers: PlainHeaders;
  readonly url: string;
  readonly redirected: boolean;
  readonly type = "default";
  readonly #init: ResponseInit;
  readonly #given: string | Uint8Array | null;
  #body: ReadableStream<Bytes> | null | undefined;
  #isUsed = false;

  constructor(body: ResponseBody = null, init: ResponseInit = {}) {
    this.status = init.status ?? 200;
    this.statusText = init.statusText ?? "";
    this.headers = init.headers instanceof PlainHeaders ? init.headers : new PlainHeaders(init.headers);
    this.url = init.url ?? "";
    this.redirected = init.redirected ?? false;
    this.#init = init;
    const isStream = body !== null && typeof body !== "string" && !(body instanceof Uint8Array);
    this.#given = isStream ? null : body;
    if (isStream) this.#body = body as ReadableStream<Bytes>;
    else if (body === null) this.#body = null;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get bodyUsed(): boolean {
    return this.#isUsed || this.#body?.locked === true;
  }

  /** Made when it is first asked for: most answers that were given as text are read as text. */
  get body(): ReadableStream<Bytes> | null {
    if (this.#body === undefined) this.#body = streamOf(toBytes(this.#given ?? ""));
    return this.#body;
  }

  async text(): Promise<string> {
    if (typeof this.#given === "string" && this.#body === undefined) {
      this.#use();
      return this.#given;
    }
    return new TextDecoder().decode(await this.bytes());
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async bytes(): Promise<Bytes> {
    this.#use();
    const parts: Uint8Array[] = [];
    for await (const part of this.body ?? []) parts.push(part);
    return new Uint8Array(Buffer.concat(parts));
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer;
  }

  async blob(): Promise<Blob> {
    return new Blob([await this.bytes()], { type: this.headers.get("content-type") ?? "" });
  }

  formData(): Promise<FormData> {
    return Promise.reject(new TypeError("forms aren't read from an answer"));
  }

  clone(): PlainResponse {
    if (this.bodyUsed) throw new TypeError("the body has been read: it can't be had twice");
    const init = { ...this.#init, headers: new PlainHeaders(this.headers) };
    if (!this.#body) return new PlainResponse(this.#given, init);
    const [own, other] = this.#body.tee();
    this.#body = own;
    return new PlainResponse(other, init);
  }

  #use(): void {
    if (this.bodyUsed) throw new TypeError("the body has been read already");
    // Where there is nothing, it may be read again and again.
    this.#isUsed = this.#given !== null || this.#body !== null;
  }
}

function toBytes(body: string | Uint8Array): Bytes {
  return typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
}

function streamOf(bytes: Bytes): ReadableStream<Bytes> {
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
}
