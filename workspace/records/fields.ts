/** Fields that several records have. */
import { z } from "zod";

export const Id = z.uuidv7().meta({ description: "A UUID of version 7: newer ones sort behind older ones." });

/** ISO 8601, as the API gives times; the tables have ms. */
export const Time = z.iso.datetime();

export const timeOf = (ms: number) => new Date(ms).toISOString();
export const timeOrNull = (ms: number | null) => (ms === null ? null : timeOf(ms));
