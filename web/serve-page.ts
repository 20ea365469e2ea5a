/** The page of the web program: its files for whoever has a session or a token, and the sign-in for everybody else. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "../proc/logging/log.ts";
import { isPublic, refusal } from "../protocol/guards/http-guard.ts";
import { WorkspaceError } from "../workspace/records/workspace-error.ts";
import { secretIn } from "./api/access/session-cookie.ts";
import type { LazyWorkspace } from "./lazy-workspace.ts";
import { fileAt, indexFile, readPageFile } from "./page/page-files.ts";
import { pageHeaders } from "./page/page-headers.ts";
import type { PublicSide } from "./page/public-side.ts";
import { againAnswer, type PageAnswer, signInAnswer } from "./page/sign-in.ts";
import { SignInDesk } from "./sign-in-desk.ts";

/** The addresses that aren't the page's: the API and the channel's own routes. */
const others = /^\/(?:api|v1|openapi\.json)(?:[/?]|$)/;

const signInPath = "/sign-in";

export type PageDeps = {
  workspace: Pick<LazyWorkspace, "get">;
  publicSide: PublicSide | undefined;
  log: Logger;
};

export class PageServer {
  readonly #deps: PageDeps;
  readonly #desk: SignInDesk;

  constructor(deps: PageDeps) {
    this.#deps = deps;
    this.#desk = new SignInDesk(deps);
  }

  /** Takes a request for the page. @returns whether it is one */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const { method = "", url = "/" } = request;
    const isSignIn = method === "POST" && addressOf(url).pathname === signInPath;
    if (!isSignIn && (!["GET", "HEAD"].includes(method) || others.test(url))) return false;
    const { log } = this.#deps;
    this.#answer(request)
      .catch((error: unknown) => {
        log.error({ err: error }, "the page can't be served");
        return signInAnswer("away");
      })
      .then(({ status, headers, body }) => {
        response.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) });
        response.end(method === "HEAD" ? undefined : body);
      })
      .catch((error: unknown) => log.warn({ err: error }, "an answer of the page wasn't sent"));
    return true;
  }

  async #answer(request: IncomingMessage): Promise<PageAnswer> {
    const { publicSide } = this.#deps;
    const foreign = refusal(request.headers, request.socket.localPort ?? 0, publicSide);
    if (foreign !== undefined) return plain(403, foreign);
    const { pathname, searchParams } = addressOf(request.url ?? "/");
    if (pathname === signInPath) {
      const code = searchParams.get("code");
      if (code === null || request.method === "HEAD") return signInAnswer("none");
      return isPublic(request.headers, publicSide)
        ? this.#desk.byPassword(code, request)
        : this.#desk.byLink(code, request);
    }
    if (!(await this.#isLetIn(request)))
      return request.headers["sec-fetch-site"] === "cross-site" ? againAnswer : signInAnswer("none");
    const file = fileAt(pathname);
    const read = await readPageFile(file ?? indexFile, String(request.headers["accept-encoding"] ?? ""));
    if (read) return { status: 200, headers: { ...pageHeaders, ...read.headers }, body: read.body };
    return file === null ? signInAnswer("unbuilt") : plain(404, "there is no such file");
  }

  /**
   * Tells whether a request is let in; one with neither cookie nor token is refused without a look into the database.
   */
  async #isLetIn({ headers }: IncomingMessage): Promise<boolean> {
    if (headers.authorization === undefined && secretIn(headers.cookie) === undefined) return false;
    const { api } = await this.#deps.workspace.get();
    try {
      await api.askerOf("GET", headers);
      return true;
    } catch (error) {
      if (error instanceof WorkspaceError) return false;
      throw error;
    }
  }
}

const plain = (status: number, text: string): PageAnswer => ({
  status,
  headers: { "Content-Type": "text/plain; charset=utf-8" },
  body: `${text}\n`,
});

/** An address that can't be read is that of no file. */
function addressOf(url: string): Pick<URL, "pathname" | "searchParams"> {
  return URL.parse(`http://page${url.startsWith("/") ? url : "/"}`) ?? new URL("http://page/");
}
