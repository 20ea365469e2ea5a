/** The path by which a run reads the whole result of a call of which its model was given a part. */

const scheme = "result:";

/** Ids that can stand in a path as they are. A provider's may hold anything. */
const plainId = /^[\w.:-]{1,200}$/;

/** The path of a call's result; null where its id can't stand in one. */
export const resultPath = (callId: string): string | null => (plainId.test(callId) ? `${scheme}${callId}` : null);

/** The id of the call whose result a path names; null: it names something else. */
export const callOfResult = (path: string): string | null =>
  path.startsWith(scheme) ? path.slice(scheme.length) : null;
