/**
 * The state of a call that its client keeps from one round to the next (`requestState`): signed, so that a client can neither change
 * it nor use it for another tool or with another token.
 */
import {
  createRequestStateCodec,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";

type KeptState = { agent: string; tool: string; state: string };

export type KeptStates = RequestStateCodec<KeptState>;

/** In seconds. A form may wait for its user over night. */
const ttlSeconds = 86_400;

/** @param key a secret that no client knows */
export const keptStates = (key: string): KeptStates => createRequestStateCodec<KeptState>({ key, ttlSeconds });

/** The same result, with its state signed. */
export async function signed(
  states: KeptStates,
  { requestState, ...result }: InputRequiredResult,
  owner: Omit<KeptState, "state">,
): Promise<InputRequiredResult> {
  if (requestState === undefined) return result;
  return { ...result, requestState: await states.mint({ ...owner, state: requestState }) };
}

/**
 * Reads the state that a tool gave the client to keep. Its signature was checked when the request came in.
 * @throws ProtocolError if it is another tool's, or was given to somebody else
 */
export function keptState(mcpReq: ServerContext["mcpReq"], owner: Omit<KeptState, "state">): string | undefined {
  const kept = mcpReq.requestState<KeptState>();
  if (kept === undefined || (kept.agent === owner.agent && kept.tool === owner.tool)) return kept?.state;
  const reason = { reason: "invalid_request_state" };
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState", reason);
}
