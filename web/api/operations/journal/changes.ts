/** Operations on the changes that runs and agents have made in worktrees. */
import { refusing } from "../../../journal/access/refusals.ts";
import {
  ChangeComment,
  ChangeDiff,
  ChangeId,
  ChangeQuery,
  ChangeRow,
  Changes,
  SentComment,
} from "../../../journal/changes/change-records.ts";
import { applyChange, changeDiff, changeRows, commentOnChange, dropChange } from "../../../journal/changes/changes.ts";
import { operation } from "../../table/operation.ts";

const forOwner = { subject: null, role: "owner", isOutside: true } as const;
const ofChange = { ...forOwner, pathId: ChangeId } as const;

export const changes = [
  operation({
    ...forOwner,
    id: "change.list",
    method: "GET",
    path: "/changes",
    summary: "The changes of runs and agents in worktrees of folders, newest first",
    query: ChangeQuery,
    answer: Changes,
    handle: ({ machine }, { query }) => refusing(() => changeRows(machine, query.state)),
  }),
  operation({
    ...ofChange,
    id: "change.diff",
    method: "GET",
    path: "/changes/{id}",
    summary: "Changes, with the patch",
    answer: ChangeDiff,
    handle: ({ machine }, { id }) => refusing(() => changeDiff(machine, id)),
  }),
  operation({
    ...ofChange,
    id: "change.apply",
    method: "POST",
    path: "/changes/{id}/apply",
    summary: "Take changes into the files of the folder: all of them or none, and nothing is committed",
    answer: ChangeRow,
    handle: ({ machine }, { id }) => refusing(() => applyChange(machine, id)),
  }),
  operation({
    ...ofChange,
    id: "change.drop",
    method: "POST",
    path: "/changes/{id}/drop",
    summary: "Delete changes, and their branch",
    answer: ChangeRow,
    handle: ({ machine }, { id }) => refusing(() => dropChange(machine, id)),
  }),
  operation({
    ...ofChange,
    id: "change.comment",
    method: "POST",
    path: "/changes/{id}/comments",
    summary: "Say something about changes to who made them, which goes on with it",
    body: ChangeComment,
    status: 202,
    answer: SentComment,
    handle: ({ machine }, { id, body }) => refusing(() => commentOnChange(machine, id, body)),
  }),
];
