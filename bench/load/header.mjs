/** What every request carries, so that the guard of "everything on" finds it and nobody else has less to read. */
export const HEADER = 'x-team: blue';
