/** A call at the gate. */

/**
 * @field callId the call's in its run's file, where the client says it
 * @field isCutOff the call was made before, and its answer got lost on the way
 */
export type GatedCall = { args: unknown; callId?: string | undefined; isCutOff: boolean; signal: AbortSignal };
