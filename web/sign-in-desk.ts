/** Lets browsers in: by a link alone on this machine, by a link and the password at the public address. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { originFor } from "../protocol/guards/http-guard.ts";
import { beginSession } from "../workspace/people/sessions.ts";
import { isSessionLink, takeSessionLink } from "../workspace/people/session-links.ts";
import { deviceName } from "./api/access/device-name.ts";
import { sessionCookie } from "./api/access/session-cookie.ts";
import type { LazyWorkspace } from "./lazy-workspace.ts";
import type { PublicSide } from "./page/public-side.ts";
import { readForm } from "./page/read-form.ts";
import { SignInTries } from "./page/sign-in-tries.ts";
import { type PageAnswer, passwordAnswer, signInAnswer } from "./page/sign-in.ts";

type DeskDeps = { workspace: Pick<LazyWorkspace, "get">; publicSide: PublicSide | undefined };

export class SignInDesk {
  readonly #deps: DeskDeps;
  readonly #tries = new SignInTries();

  constructor(deps: DeskDeps) {
    this.#deps = deps;
  }

  /** On this machine. */
  async byLink(code: string, { method, headers }: IncomingMessage): Promise<PageAnswer> {
    return method === "GET" ? this.#letIn(code, headers) : signInAnswer("none");
  }

  /** The link stays good until the password is right, or was wrong too often. */
  async byPassword(code: string, request: IncomingMessage): Promise<PageAnswer> {
    const { store } = await this.#deps.workspace.get();
    if (!(await isSessionLink(store.database, code))) return signInAnswer("used");
    if (request.method !== "POST") return passwordAnswer(false);
    // A form of ours says where it was sent from.
    if (request.headers.origin === undefined) return passwordAnswer(false);
    const form = await readForm(request);
    const left = this.#tries.left(code);
    const isRight = left >= 0 && this.#deps.publicSide?.isPassword(form?.get("password") ?? "") === true;
    if (isRight) return this.#letIn(code, request.headers);
    if (left > 0) return passwordAnswer(true);
    await takeSessionLink(store.database, code);
    return signInAnswer("used");
  }

  /** Leads on to an address without the code, which is of no use any more. */
  async #letIn(code: string, headers: IncomingHttpHeaders): Promise<PageAnswer> {
    const { store } = await this.#deps.workspace.get();
    const userId = await takeSessionLink(store.database, code);
    if (userId === null) return signInAnswer("used");
    const { secret } = await beginSession(store.database, userId, deviceName(headers["user-agent"]));
    const cookie = sessionCookie(secret, originFor(headers, this.#deps.publicSide));
    const location = { Location: "/", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer" };
    return { status: 303, headers: { ...location, "Set-Cookie": cookie }, body: "" };
  }
}
