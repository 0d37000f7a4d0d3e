// True of all that waits, and the condition of one index each, which no statement uses without naming it: by what a
// queue looked like while it was empty, PostgreSQL would go through all of it for each question.

/** The index `deliveries_due`: what is due first. */
export const BY_DUE_TIME = `due_at > '-infinity'`;

/** The index `deliveries_waiting`: which endpoints have something waiting, and what of an endpoint's is due first. */
export const BY_ENDPOINT = `due_at < 'infinity'`;
