/** Operations on the tokens of members. */
import { z } from "zod";
import { listTokens, makeToken, revokeToken } from "../../../../workspace/people/member-tokens.ts";
import { pageOfAll } from "../../../../workspace/records/page.ts";
import { UserToken } from "../../../../workspace/records/people.ts";
import { listOf, operation, pageQuery } from "../../table/operation.ts";

const NewToken = UserToken.extend({ token: z.string().meta({ description: "Told this once." }) });
const TokenChoice = z.object({ token_id: UserToken.shape.id });

const ofMember = { subject: "members", role: "member" } as const;
const description = "For the member, and for an admin of all workspaces that the member is in.";

export const tokens = [
  operation({
    ...ofMember,
    id: "token.list",
    method: "GET",
    path: "/members/{id}/tokens",
    summary: "The tokens of a member, by what they are called",
    description,
    query: pageQuery,
    answer: listOf(UserToken),
    handle: async ({ store, actor }, { id, query }) =>
      pageOfAll(await listTokens(store, id, actor), query, ({ id: name, created_at }) => `${created_at} ${name}`),
  }),
  operation({
    ...ofMember,
    id: "token.create",
    method: "POST",
    path: "/members/{id}/tokens",
    summary: "Make another token of a member",
    description,
    status: 201,
    answer: NewToken,
    isSecret: true,
    handle: ({ store, actor }, { id }) => makeToken(store, id, actor),
  }),
  operation({
    ...ofMember,
    id: "token.revoke",
    endsAccess: true,
    method: "POST",
    path: "/members/{id}/tokens/revoke",
    summary: "End a token of a member",
    description,
    body: TokenChoice,
    status: 204,
    handle: ({ store, actor }, { id, body }) => revokeToken(store, id, body.token_id, actor),
  }),
];
