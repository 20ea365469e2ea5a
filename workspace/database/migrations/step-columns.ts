/** Columns as the steps of the tables make them. */
import type { ColumnDefinitionBuilder } from "kysely";

export const required = (column: ColumnDefinitionBuilder) => column.notNull();
export const key = (column: ColumnDefinitionBuilder) => column.primaryKey();
export const to = (reference: string) => (column: ColumnDefinitionBuilder) =>
  column.notNull().references(reference).onDelete("cascade");
