/** Records of workspaces, users and members, as the API gives them. */
import { z } from "zod";
import { Id, Time } from "./fields.ts";
import { WorkspaceSettings, WorkspaceSettingsUpdate } from "./workspace-settings.ts";

export const Role = z.enum(["admin", "member"]);
export type Role = z.infer<typeof Role>;

export const Notifications = z.enum(["all", "mentions", "none"]).meta({
  description:
    "The messages that the member wants to be told of: all of others, those that name or answer the member, or none.",
});

/** Bytes of a page, which has at most 4,000 tokens: a token is four bytes of UTF-8, roughly, in any script. */
const maxPageBytes = 16_000;

export const Budget = z
  .object({
    max_cost_usd: z
      .number()
      .nonnegative()
      .optional()
      .meta({ description: "The budget of the workspace in a day, in USD." }),
    max_cost_usd_per_agent: z
      .number()
      .nonnegative()
      .optional()
      .meta({ description: "The budget of each agent in a day, in USD." }),
  })
  .meta({
    description:
      "The cost that the agents' answers may have in a day. An answer may cost what its agent's limit says, else a quarter of this, and never more than what is left; what runs is counted so.",
  });
export type Budget = z.infer<typeof Budget>;

export const Workspace = z
  .object({
    id: Id,
    name: z.string().min(1).max(200),
    page: z
      .string()
      .max(maxPageBytes)
      .meta({ description: "The page that every agent is told of the team: Markdown." }),
    trust_level: z.int().min(0).max(3).meta({ description: "0: each action asks; 3: only those that escalate do." }),
    budget: Budget.nullable(),
    settings: WorkspaceSettings,
    created_at: Time,
    updated_at: Time,
  })
  .meta({ id: "Workspace" });
export type Workspace = z.infer<typeof Workspace>;

const ShortPage = Workspace.shape.page.refine(
  (page) => Buffer.byteLength(page) <= maxPageBytes,
  `expected at most 4,000 tokens, which are ${maxPageBytes} bytes`,
);

export const WorkspaceUpdate = Workspace.pick({ name: true, page: true, trust_level: true, budget: true })
  .extend({ page: ShortPage, settings: WorkspaceSettingsUpdate })
  .partial();
export type WorkspaceUpdate = z.infer<typeof WorkspaceUpdate>;

export const User = z.object({ id: Id, name: z.string().min(1).max(200), created_at: Time }).meta({ id: "User" });
export type User = z.infer<typeof User>;

export const Member = z
  .object({
    id: Id,
    workspace_id: Id,
    user_id: Id,
    name: User.shape.name,
    handle: z.string().meta({ description: "The handle that follows the @ to mention the member." }),
    role: Role,
    notifications: Notifications,
    created_at: Time,
  })
  .meta({ id: "Member" });
export type Member = z.infer<typeof Member>;

/** A token by what it is called: whoever reads this can't speak with it. */
export const UserToken = z
  .object({ id: z.string().regex(/^[0-9a-f]{12}$/), created_at: Time })
  .meta({ id: "UserToken" });
export type UserToken = z.infer<typeof UserToken>;

export const MemberUpdate = Member.pick({ role: true, notifications: true }).partial();
export type MemberUpdate = z.infer<typeof MemberUpdate>;
