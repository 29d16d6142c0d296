/** An EventSource that reconnects sends the header beside its first query, so the header counts. */
export const lastEventId = (
  header: (name: string) => string | undefined,
  after: string | undefined,
): string | undefined => header('last-event-id') || after;
