/**
 * The tables of the workspaces, the same in SQLite and PostgreSQL. Times are ms since 1970, truth values 0 or 1, and what ends
 * in `_json` is JSON as text.
 */
import type { PushDeviceTable, PushTable, SessionLinkTable, SessionTable } from "./session-tables.ts";

type Truth = 0 | 1;

export type WorkspaceTable = {
  id: string;
  name: string;
  /** The page that every agent is told of the team: Markdown, edited by members. */
  page: string;
  trust_level: number;
  budget_json: string | null;
  settings_json: string;
  /** The number of its last event. Whoever counts it up holds the row, so that events have one order. */
  last_event: number;
  created_at: number;
  updated_at: number;
};

export type UserTable = { id: string; name: string; created_at: number };

/** A token of a user, by its SHA-256: whoever reads the database can't use it. */
export type TokenTable = { hash: string; user_id: string; created_at: number };

export type MemberTable = {
  id: string;
  workspace_id: string;
  user_id: string;
  role: "admin" | "member";
  notifications: "all" | "mentions" | "none";
  /** The number of the last event that the member has seen. */
  read_position: number;
  created_at: number;
};

export type AgentTable = {
  id: string;
  workspace_id: string;
  slug: string;
  is_active: Truth;
  is_system: Truth;
  /** The published one. */
  version: number;
  created_at: number;
  updated_at: number;
  /** When it was removed: what it has begun and said still needs its versions. */
  removed_at: number | null;
};

/** A version is never changed. */
export type AgentVersionTable = {
  agent_id: string;
  version: number;
  config_json: string;
  created_by: string | null;
  created_at: number;
};

export type ThreadTable = {
  id: string;
  workspace_id: string;
  title: string;
  is_brief: Truth;
  /** The message that sums it up. */
  summary_id: string | null;
  created_by: string;
  created_at: number;
  updated_at: number;
};

export type ForkTable = {
  id: string;
  workspace_id: string;
  thread_id: string;
  /** Where it began. */
  message_id: string;
  description: string;
  status: "open" | "resolving" | "resolved" | "abandoned";
  draft: string | null;
  resolution_id: string | null;
  created_by: string;
  created_at: number;
  updated_at: number;
};

export type MessageTable = {
  id: string;
  workspace_id: string;
  thread_id: string;
  fork_id: string | null;
  /** The number of the event that told of it: a list's order is that of the events. */
  position: number;
  parent_id: string | null;
  author_type: "human" | "agent" | "system";
  author_id: string | null;
  author_name: string;
  text: string;
  parts_json: string;
  metadata_json: string;
  created_at: number;
  edited_at: number | null;
};

/** A file that belongs to a workspace: of one of its messages, or stored for one. `id`: the SHA-256 of its content. */
export type AttachmentTable = { workspace_id: string; id: string; name: string; created_at: number };

export type TaskTable = {
  id: string;
  workspace_id: string;
  thread_id: string;
  fork_id: string | null;
  trigger_message_id: string;
  agent_id: string;
  agent_version: number;
  task_type: "message_response" | "fork_resolution" | "summary";
  status: "queued" | "running" | "completed" | "failed" | "cancelled";
  /** The task whose answer it begins on. */
  after_task_id: string | null;
  input_json: string;
  output_message_id: string | null;
  run_id: string | null;
  token_usage_json: string | null;
  cost_usd: number | null;
  error: string | null;
  created_at: number;
  started_at: number | null;
  completed_at: number | null;
  /** Whether there is anything left to do for it. A cancelled one is open until its run has ended. */
  is_open: Truth;
  /** How much of the context it is given by now: less each time that it was too long. */
  context_size: string;
  /** The request of its run as it was sent or will be: the same one, whoever sends it again. */
  request_json: string | null;
  /** Until when it waits for a rate limit of its provider. */
  waits_until: number | null;
  /** Most that its run may cost, in USD, where the workspace has a budget. What a running one has is set aside. */
  allowance_usd: number | null;
};

/** A message that is for a member in particular. `position`: the message's. */
export type AddressedTable = {
  workspace_id: string;
  user_id: string;
  position: number;
  message_id: string;
  reason: "mention" | "answer";
};

/** A call of an agent's tool that waits for a person, or did. */
export type ApprovalTable = {
  id: string;
  workspace_id: string;
  thread_id: string;
  fork_id: string | null;
  task_id: string;
  agent_id: string;
  /** The id of the question that the call's run asks. */
  question_id: string;
  tool: string;
  args_json: string;
  why: string;
  action: "approve" | "escalate";
  requires: "any_member" | "admin" | "specific_user";
  user_id: string | null;
  status: "open" | "allowed" | "denied" | "expired";
  decided_by: string | null;
  reason: string | null;
  escalates_at: number | null;
  expires_at: number;
  created_at: number;
  decided_at: number | null;
  /** Whether the run has heard of the decision. */
  is_told: Truth;
};

/** The summary of the messages before those that an agent is shown. */
export type SummaryTable = {
  workspace_id: string;
  /** A hash of the messages that it covers, and of when they were edited. */
  coverage: string;
  run_id: string;
  /** The request of its run: the same one, whoever sends it again. */
  request_json: string;
  /** Null until the run has ended. */
  text: string | null;
  created_at: number;
};

/** The words of a message of people or agents, in the index of each database's kind. */
export type MessageWordsTable = { words: string; message_id: string; workspace_id: string; thread_id: string };

/** The events, each in one transaction with what happened: clients that listen read them from here. */
export type EventTable = {
  workspace_id: string;
  number: number;
  event: string;
  data_json: string;
  created_at: number;
};

/** The answer to a user's request with an `Idempotency-Key`. */
export type IdempotencyTable = {
  user_id: string;
  key: string;
  request_hash: string;
  status: number;
  response_json: string;
  created_at: number;
};

/** A room of a channel whose messages are those of a thread. */
export type BindingTable = {
  id: string;
  workspace_id: string;
  thread_id: string;
  channel_type: string;
  /** Null until the code was said in a room. */
  channel_id: string | null;
  /** The SHA-256 of the code. */
  code_hash: string | null;
  /** When the code ends. */
  expires_at: number | null;
  /** The last event that was looked at for the room. */
  position: number;
  created_by: string;
  created_at: number;
};

/** The identity of a member on a channel: `<type>:<userId>`. */
export type MemberIdentityTable = { workspace_id: string; identity: string; member_id: string };

/** The message that came from a channel, `<type>:<id>`, so that it becomes one here once. */
export type ChannelMessageTable = { external_id: string; created_at: number };

/** The notice of a limit in a thread or fork, on a day. */
export type LimitNoticeTable = { place_id: string; scope: string; day: string };

export type Tables = {
  workspaces: WorkspaceTable;
  users: UserTable;
  tokens: TokenTable;
  sessions: SessionTable;
  session_links: SessionLinkTable;
  push_devices: PushDeviceTable;
  pushes: PushTable;
  members: MemberTable;
  agents: AgentTable;
  agent_versions: AgentVersionTable;
  threads: ThreadTable;
  forks: ForkTable;
  messages: MessageTable;
  message_words: MessageWordsTable;
  attachments: AttachmentTable;
  tasks: TaskTable;
  addressed: AddressedTable;
  approvals: ApprovalTable;
  events: EventTable;
  context_summaries: SummaryTable;
  idempotency_keys: IdempotencyTable;
  bindings: BindingTable;
  member_identities: MemberIdentityTable;
  channel_messages: ChannelMessageTable;
  limit_notices: LimitNoticeTable;
};
