/** Asker: the user whom a request is from, and by what it says so. */
import type { User } from "../../../workspace/records/people.ts";

export type Asker = {
  user: User;
  /**
   * Whether the tokens of this machine's `.run/` stand for them: they may make workspaces, name files of the journal,
   * and have no limit of rate.
   */
  isOwner: boolean;
  /** The token or the cookie's secret, as it was sent. Never logged, never kept. */
  credential: string;
  /** The session of a request with a session's cookie. */
  session: { id: string; expiresAt: number } | null;
  /** The name that the browser or program gives itself, for people. */
  device: string;
  /** The address of this server as the asker knows it, without a path. */
  origin: string;
  /** The address by which other machines reach it; null: none do. */
  publicOrigin: string | null;
};
