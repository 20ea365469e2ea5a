/** Faults of the machine, such as a full disk: whatever was tried meanwhile isn't what is wrong. */
const codes = new Set(["ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE", "ENOMEM", "EACCES", "EPERM"]);

export const isMachineFault = (error: unknown): boolean =>
  error instanceof Error && "code" in error && typeof error.code === "string" && codes.has(error.code);
