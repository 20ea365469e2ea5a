/**
 * Which era of the protocol a server speaks, found out by trying. A server at an address is asked, which costs a request. A
 * program is greeted in the older way: one of the older era may end at any other first message, or keep silent until the time is
 * up, and one that speaks both answers that as well. Only where the first try says so, there is a second.
 */
import { ProtocolError, SdkError, SdkErrorCode } from "@modelcontextprotocol/server";
import type { VersionNegotiationMode } from "@modelcontextprotocol/client";

/** The first stateless version. */
const stateless = "2026-07-28";

/** The tries, in order. @param isProgram whether it is a program started here */
export function eraModes(isProgram: boolean): readonly VersionNegotiationMode[] {
  return isProgram ? ["legacy", { pin: stateless }] : ["auto", "legacy"];
}

/** The try before all others, where the settings name one. */
export const firstMode = (protocol: string | undefined): { mode?: VersionNegotiationMode } =>
  protocol === stateless ? { mode: { pin: stateless } } : {};

/** The question takes a part of the time that a server has to be connected: an older one at an address may keep silent, too. */
export const negotiationOf = (mode: VersionNegotiationMode, connectMs: number) => ({
  mode,
  probe: { timeoutMs: Math.ceil(connectMs / 3) },
});

/** Whether a server that refused one era may speak the other: it has answered with an error, or stumbled over the question. */
export function maySpeakOther(error: unknown, mode: VersionNegotiationMode): boolean {
  if (error instanceof ProtocolError) return true;
  if (!(error instanceof SdkError)) return false;
  return (
    error.code === SdkErrorCode.EraNegotiationFailed || (mode === "auto" && error.code === SdkErrorCode.RequestTimeout)
  );
}
