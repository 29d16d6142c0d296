/**
 * The last event that a reader has got. An EventSource that lost the connection sends the header beside the query that it
 * began with, so the header counts.
 */
export const lastEventOf = (
  header: (name: string) => string | undefined,
  after: string | undefined,
): string | undefined => header('last-event-id') || after;
