/** The tables of sessions in browsers: how they begin, and what a browser is told by Web Push. */

/** A session in a browser, by the SHA-256 of its cookie's secret. */
export type SessionTable = {
  hash: string;
  user_id: string;
  created_at: number;
  expires_at: number;
  /** The name that people see of it: a browser and a system. */
  device: string;
  last_seen_at: number;
};

/** A link that begins a session, once, by the SHA-256 of its code. */
export type SessionLinkTable = { hash: string; user_id: string; expires_at: number };

/** Where the browser of a session is told of what happens: a push service's address, and the browser's keys. */
export type PushDeviceTable = {
  session_hash: string;
  endpoint: string;
  p256dh: string;
  auth: string;
  kinds_json: string;
  created_at: number;
};

/** A notice that a browser is sent, once. */
export type PushTable = {
  session_hash: string;
  /** The name of what it tells: the same is told once. */
  name: string;
  kind: string;
  leads_to: string;
  state: "waiting" | "sent" | "failed";
  why: string | null;
  /** Noted before each try. */
  tries: number;
  next_at: number;
  created_at: number;
};
