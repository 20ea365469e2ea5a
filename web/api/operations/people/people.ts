/** Operations on oneself and one's sessions. */
import { z } from "zod";
import { membershipsOf } from "../../../../workspace/people/members.ts";
import { makeSessionLink } from "../../../../workspace/people/session-links.ts";
import { beginSession, csrfTokenOf, devicesOf, endDevice, endSession } from "../../../../workspace/people/sessions.ts";
import { Time, timeOf } from "../../../../workspace/records/fields.ts";
import { pageOfAll } from "../../../../workspace/records/page.ts";
import { Member, User } from "../../../../workspace/records/people.ts";
import { WorkspaceError } from "../../../../workspace/records/workspace-error.ts";
import { endedCookie, sessionCookie } from "../../access/session-cookie.ts";
import { listOf, operation, pageQuery } from "../../table/operation.ts";

const Me = User.extend({ memberships: z.array(Member) });

const Session = z.object({
  csrf_token: z.string().meta({ description: "Goes with each change in the header X-CSRF-Token." }),
  expires_at: Time,
});

const SessionLink = z.object({
  url: z.string().meta({ description: "Opens the page in one browser, once." }),
  public_url: z.string().nullable().meta({
    description:
      "The same link for a browser of another machine, which is asked for the password; null: there is no public address.",
  }),
  expires_at: Time,
});

const SessionDevice = z
  .object({
    id: z.string(),
    device: z.string().meta({ description: "The browser and the system, as it calls itself." }),
    is_this: z.boolean().meta({ description: "Whether it is the session that asks." }),
    created_at: Time,
    last_seen_at: Time.meta({ description: "To the minute." }),
    expires_at: Time,
  })
  .meta({ id: "SessionDevice" });

const session = { subject: null, role: "user", path: "/session" } as const;

export const people = [
  operation({
    id: "me.get",
    method: "GET",
    path: "/me",
    summary: "The user who asks, and the workspaces that they are a member of",
    subject: null,
    role: "user",
    answer: Me,
    handle: async ({ store, asker: { user } }) => ({ ...user, memberships: await membershipsOf(store, user.id) }),
  }),
  operation({
    ...session,
    id: "session.create",
    method: "POST",
    summary: "Begin a session in a browser",
    description: "For whoever has a token. The answer sets a cookie that no script can read.",
    status: 201,
    answer: Session,
    isSecret: true,
    handle: async ({ store, asker, setHeader }) => {
      const { secret, expiresAt } = await beginSession(store.database, asker.user.id, asker.device);
      setHeader("Set-Cookie", sessionCookie(secret, asker.origin));
      return { csrf_token: csrfTokenOf(secret), expires_at: timeOf(expiresAt) };
    },
  }),
  operation({
    ...session,
    id: "session.get",
    method: "GET",
    summary: "The session of the cookie",
    answer: Session,
    refusals: [404],
    handle: async ({ asker }) => {
      if (!asker.session) throw new WorkspaceError("not_found", "this request has no session: it has a token");
      return { csrf_token: csrfTokenOf(asker.credential), expires_at: timeOf(asker.session.expiresAt) };
    },
  }),
  operation({
    ...session,
    id: "session.delete",
    endsAccess: true,
    method: "DELETE",
    summary: "End the session of the cookie",
    status: 204,
    handle: async ({ store, asker, setHeader }) => {
      if (asker.session) await endSession(store.database, asker.credential);
      setHeader("Set-Cookie", endedCookie);
    },
  }),
  operation({
    id: "session.list",
    method: "GET",
    path: "/sessions",
    summary: "One's sessions: the devices on which the page is open",
    subject: null,
    role: "user",
    query: pageQuery,
    answer: listOf(SessionDevice),
    handle: async ({ store, asker }, { query }) => {
      const devices = await devicesOf(store.database, asker.user.id);
      const items = devices.map(({ id, device, createdAt, lastSeenAt, expiresAt }) => ({
        id,
        device,
        is_this: id === asker.session?.id,
        created_at: timeOf(createdAt),
        last_seen_at: timeOf(lastSeenAt),
        expires_at: timeOf(expiresAt),
      }));
      return pageOfAll(items, query, ({ id, created_at }) => `${created_at} ${id}`);
    },
  }),
  operation({
    id: "session.revoke",
    endsAccess: true,
    method: "DELETE",
    path: "/sessions/{id}",
    summary: "End one of one's sessions",
    subject: null,
    role: "user",
    status: 204,
    handle: ({ store, asker }, { id }) => endDevice(store.database, asker.user.id, id),
  }),
  operation({
    id: "session.link",
    method: "POST",
    path: "/session-links",
    summary: "Make a link that opens the page in a browser",
    description: "Good for ten minutes and one use. `cortex open`, and the code by which a device is paired.",
    subject: null,
    role: "user",
    status: 201,
    answer: SessionLink,
    isSecret: true,
    handle: async ({ store, asker }) => {
      const { code, expiresAt } = await makeSessionLink(store.database, asker.user.id);
      const path = `/sign-in?code=${code}`;
      return {
        url: `${asker.origin}${path}`,
        public_url: asker.publicOrigin === null ? null : `${asker.publicOrigin}${path}`,
        expires_at: timeOf(expiresAt),
      };
    },
  }),
];
