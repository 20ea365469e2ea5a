/** The rules of a simulated worker; each can be broken, to see that it is missed. */
export type Rules = {
  /** The request is acknowledged when it is recorded, not before. */
  ackAfterRecord: boolean;
  /** Whether a started run is taken over when its worker is lost, not merely silent. */
  waitForLost: boolean;
  /** Only whose lease holds may publish. */
  publishOnLease: boolean;
  /** After its lease had lapsed, a worker asks for each run whether it is still its own. */
  confirm: boolean;
  /** An agent is started once a folder. */
  startedMarker: boolean;
  /** Claims are changed only from what was seen. */
  compareAndSet: boolean;
  /** An attempt starts only when its claim says so. */
  begin: boolean;
  /** A claim that was made again of a run that has ended is not taken. */
  askLedger: boolean;
  /** Whether a worker that takes more than all together may gives it back. */
  heldUpTo: boolean;
  /** The ledger says that a run has ended before its claim is forgotten. */
  ledgerFirst: boolean;
};

export const rules: Rules = {
  ackAfterRecord: true,
  waitForLost: true,
  publishOnLease: true,
  confirm: true,
  startedMarker: true,
  compareAndSet: true,
  begin: true,
  askLedger: true,
  heldUpTo: true,
  ledgerFirst: true,
};
