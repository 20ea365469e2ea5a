/** Description of a setting that names a file with a secret. */
export const secretFile = "A file that its owner alone can read; absolute, or relative to the journal.";
