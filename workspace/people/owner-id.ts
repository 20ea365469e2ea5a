/** The id of the owner's user: the same in each database, so that two programs that begin at once make one. */
export const ownerId = "00000000-0000-7000-8000-000000000001";
