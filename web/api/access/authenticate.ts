/**
 * The asker of a request: by a bearer token of theirs, by a token of this machine's `.run/`, or by a session's cookie.
 */
import type { IncomingHttpHeaders } from "node:http";
import { bearerToken, originFor, type PublicAddress } from "../../../protocol/guards/http-guard.ts";
import { isToken } from "../../../journal/access/token-file.ts";
import type { WorkspaceStore } from "../../../workspace/database/changes/store.ts";
import { ensureOwner } from "../../../workspace/owner.ts";
import { ownerId } from "../../../workspace/people/owner-id.ts";
import { csrfTokenOf, sessionOf } from "../../../workspace/people/sessions.ts";
import { userOfToken } from "../../../workspace/people/tokens.ts";
import type { User } from "../../../workspace/records/people.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import type { Asker } from "../table/asker.ts";
import { deviceName } from "./device-name.ts";
import { secretIn } from "./session-cookie.ts";

export class Authenticator {
  readonly #store: WorkspaceStore;
  readonly #ownerTokens: readonly string[];
  readonly #publicAddress: PublicAddress | undefined;
  #owner: Promise<User> | null = null;

  /** @param ownerTokens whoever has one of them is the owner */
  constructor(store: WorkspaceStore, ownerTokens: readonly string[], address?: PublicAddress) {
    this.#publicAddress = address;
    this.#store = store;
    this.#ownerTokens = ownerTokens;
  }

  /** @throws WorkspaceError `unauthenticated`, and `forbidden` for a change by cookie without the session's own word */
  async askerOf(method: string, headers: IncomingHttpHeaders): Promise<Asker> {
    const credential = bearerToken(headers.authorization);
    if (credential !== undefined) return this.#askerOf(await this.#userOfToken(credential), credential, null, headers);
    const secret = headers.authorization === undefined ? secretIn(headers.cookie) : undefined;
    const session = secret === undefined ? null : await sessionOf(this.#store.database, secret);
    if (secret === undefined || !session)
      throw new WorkspaceError(
        "unauthenticated",
        "expected the header Authorization: Bearer with a token",
        "a member's token, or web_token of .run/endpoints.json",
      );
    if (method !== "GET" && headers["x-csrf-token"] !== csrfTokenOf(secret))
      throw new WorkspaceError(
        "forbidden",
        "a change by cookie needs the header X-CSRF-Token",
        "its value is csrf_token of GET /api/v1/session",
      );
    return this.#askerOf(session.user, secret, session, headers);
  }

  async #userOfToken(credential: string): Promise<User> {
    const isOwners = this.#ownerTokens.some((token) => isToken(token, credential));
    const user = isOwners ? await this.#ownerUser() : await userOfToken(this.#store.database, credential);
    if (!user) throw new WorkspaceError("unauthenticated", "the token isn't valid", "ask an admin for a new one");
    return user;
  }

  /** The first who asks as the owner makes the owner, with the first workspace. */
  #ownerUser(): Promise<User> {
    this.#owner ??= ensureOwner(this.#store);
    this.#owner.catch(() => {
      this.#owner = null;
    });
    return this.#owner;
  }

  /** Nobody but the owner gets a token or a session of the owner's. */
  #askerOf(user: User, credential: string, session: Asker["session"], headers: IncomingHttpHeaders): Asker {
    return {
      user,
      isOwner: user.id === ownerId,
      credential,
      session,
      device: deviceName(headers["user-agent"]),
      origin: originFor(headers, this.#publicAddress),
      publicOrigin: this.#publicAddress?.origin ?? null,
    };
  }
}
