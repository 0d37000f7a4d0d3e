// Each condition is true for all waiting rows and is the condition of one index, used only if a statement names it.
// Otherwise, with statistics from when the queue was empty, PostgreSQL would scan the whole queue each time.

/** Index `deliveries_due`: what is due first. */
export const BY_DUE_TIME = `due_at > '-infinity'`;

/** Index `deliveries_waiting`: which endpoints have waiting deliveries, and which of an endpoint's is due first. */
export const BY_ENDPOINT = `due_at < 'infinity'`;
