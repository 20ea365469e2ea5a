import { hasCode } from "./errno.ts";

/** Faults of the machine, such as a full disk: whatever was tried meanwhile isn't what is wrong. */
const machineCodes = ["ENOSPC", "EDQUOT", "EIO", "EMFILE", "ENFILE", "ENOMEM"];

/**
 * Codes of a file or folder that is closed to us. Where that is one agent's alone, waiting for it would hold up all others;
 * where it is the whole journal, nothing can be put away either, and what was tried comes again.
 */
const closedCodes = ["EACCES", "EPERM", "EROFS"];

export const isMachineFault = (error: unknown): boolean => hasCode(error, ...machineCodes);

/** Whether a file or its folder is closed to us. */
export const isClosedFile = (error: unknown): boolean => hasCode(error, ...closedCodes);
