/** The settings of `signal` alone. */
import { z } from "zod";

export const signalFields = {
  number: z
    .string()
    .regex(/^\+[1-9]\d{6,14}$/, "expected a number such as +491700000001")
    .optional()
    .meta({ description: "`signal`: the number of the account that signal-cli has." }),
};
