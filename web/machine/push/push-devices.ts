/** The browsers that are told of what happens: each a session, and gone with it. */
import type { Database } from "../../../workspace/database/connection/open-database.ts";
import { timeOf } from "../../../workspace/records/fields.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import type { NewPushDevice, PushDevice, PushKind } from "../records/push-records.ts";

/** Characters of a session's hash that are its id. */
const idLength = 32;

export type Target = { hash: string; endpoint: string; p256dh: string; auth: string; kinds: PushKind[]; since: number };

/** Lists the devices whose sessions last. */
export async function pushTargets(database: Database): Promise<Target[]> {
  const rows = await database
    .selectFrom("push_devices")
    .innerJoin("sessions", "sessions.hash", "push_devices.session_hash")
    .selectAll("push_devices")
    .where("sessions.expires_at", ">=", Date.now())
    .execute();
  return rows.map(({ session_hash: hash, endpoint, p256dh, auth, kinds_json, created_at: since }) => ({
    hash,
    endpoint,
    p256dh,
    auth,
    kinds: JSON.parse(kinds_json) as PushKind[],
    since,
  }));
}

/** A session's browser is told of these kinds from now on. */
export async function addPushDevice(database: Database, id: string, device: NewPushDevice): Promise<void> {
  const { endpoint, keys, kinds } = device;
  const hash = await hashOf(database, id);
  const values = { endpoint, p256dh: keys.p256dh, auth: keys.auth, kinds_json: JSON.stringify([...new Set(kinds)]) };
  await database
    .insertInto("push_devices")
    .values({ session_hash: hash, ...values, created_at: Date.now() })
    .onConflict((conflict) => conflict.column("session_hash").doUpdateSet(values))
    .execute();
}

/** @param hash the session's: `pushDeviceOf` finds it */
export async function removePushDevice(database: Database, hash: string): Promise<void> {
  await database.deleteFrom("push_devices").where("session_hash", "=", hash).execute();
  await database.deleteFrom("pushes").where("session_hash", "=", hash).execute();
}

/** As their owner sees them. @param thisId the session that asks */
export async function listPushDevices(database: Database, thisId: string | null): Promise<PushDevice[]> {
  const targets = await pushTargets(database);
  const sessions = await database.selectFrom("sessions").select(["hash", "device"]).execute();
  const names = new Map(sessions.map(({ hash, device }) => [hash, device]));
  return Promise.all(
    targets.map(async ({ hash, endpoint, kinds, since }) => {
      const last = await database
        .selectFrom("pushes")
        .select(["state", "why", "created_at"])
        .where("session_hash", "=", hash)
        .orderBy("created_at", "desc")
        .orderBy("name", "desc")
        .limit(1)
        .executeTakeFirst();
      return {
        id: hash.slice(0, idLength),
        device: names.get(hash) ?? "",
        is_this: hash.slice(0, idLength) === thisId,
        kinds,
        service: new URL(endpoint).origin,
        created_at: timeOf(since),
        last: last ? { state: last.state, why: last.why, at: timeOf(last.created_at) } : null,
      };
    }),
  );
}

/** The session of a browser that is told. @throws WorkspaceError `not_found` */
export async function pushDeviceOf(database: Database, id: string): Promise<string> {
  const row = await database
    .selectFrom("push_devices")
    .select("session_hash")
    .where("session_hash", "like", likeId(id))
    .executeTakeFirst();
  if (!row) throw unknown();
  return row.session_hash;
}

async function hashOf(database: Database, id: string): Promise<string> {
  const row = await database.selectFrom("sessions").select("hash").where("hash", "like", likeId(id)).executeTakeFirst();
  if (!row) throw unknown();
  return row.hash;
}

function likeId(id: string): string {
  if (!/^[0-9a-f]+$/.test(id) || id.length !== idLength) throw unknown();
  return `${id}%`;
}

const unknown = () => new WorkspaceError("not_found", "no such browser is told of anything: see cortex push list");
